// SPDX-License-Identifier: Apache-2.0

package import RealtimeCore

/// The files in place of a device's input, and of recordings: rings, the other ends of which belong to threads that
/// read and write files.
///
///     feed ─▶ inputs ─▶ processor ─▶ fade ─▶ outputs ─▶ device
///                                               └─────▶ recorder
package struct LiveFiles: Sendable {
  /// Fills all inputs; nil where a device does.
  package var feed: SampleRing.Reader?
  package var recorder: SampleRing.Writer?
  /// The device's channels that are recorded, in order.
  package var recorded: [Int]

  package init(
    feed: SampleRing.Reader? = nil, recorder: SampleRing.Writer? = nil, recorded: [Int] = []
  ) {
    (self.feed, self.recorder, self.recorded) = (feed, recorder, recorded)
  }
}

/// Some of a stream's rows, in another order.
@safe struct RowChoice: ~Copyable {
  let rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>

  init(_ channels: [Int], of all: UnsafeBufferPointer<UnsafeMutablePointer<Float>>) {
    let table = UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>.allocate(capacity: channels.count)
    for (index, channel) in channels.enumerated() {
      unsafe table.initializeElement(at: index, to: all[channel])
    }
    unsafe rows = UnsafeBufferPointer(table)
  }

  deinit { unsafe rows.deallocate() }
}
