// SPDX-License-Identifier: Apache-2.0

/// The way in which the numbers of frames lie in memory.
///
///     rows       channel 0:  frame 0, frame 1, …           vectors go along the frames
///                channel 1:  frame 0, frame 1, …
///
///     columns    frame 0:  channel 0, channel 1, …         vectors go along the channels
///                frame 1:  channel 0, channel 1, …
///
/// Signals lie in rows. In a cycle with a fold, such as a recurrent layer, each frame waits for all channels of the one
/// before it: there is nothing to be done along the frames, and much along the channels. It goes through columns.
package enum FrameLayout: Hashable, Sendable {
  case rows
  case columns

  /// Numbers from one column to the next: whole cache lines.
  package static func columnPitch(_ count: Int) -> Int { count.roundedUp(to: 16) }
}

extension KernelGraph.Buffer.Extent {
  /// Numbers from one frame to the next where they lie in columns; nil elsewhere.
  package var columnPitch: Int? {
    if case .columns(let count) = self { FrameLayout.columnPitch(count) } else { nil }
  }
}
