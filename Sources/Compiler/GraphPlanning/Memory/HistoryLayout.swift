// SPDX-License-Identifier: Apache-2.0

/// The layout of a history in memory.
///
/// Of rows each is a ring whose length is a power of two, with the first tile's frames once more behind
/// its end, and room for what whole vectors write behind those:
///
///     | tile 0 | tile 1 | … | tile n-1 | tile 0 again | room |
///
/// Tiles begin and end within one tile's length of the absolute position, so that a write never wraps; and a
/// read of up to a tile's frames, wherever it begins, finds them in one piece. What a write leaves behind its
/// last frame overwrites frames that are not read any more: a ring is longer than the past by a tile.
///
/// Of columns, and of steps, a history is a ring of slots, each with the elements of a frame (or step) side by side: at
/// least one for each frame back and one for the present.
package struct HistoryLayout: Hashable, Sendable {
  /// Frames of a ring before its repetition, or slots; a power of two.
  package let capacity: Int
  /// Bytes from one row to the next, or from one slot to the next.
  package let pitch: Int
  /// Bytes of all rows or slots.
  package let bytes: Int

  package init(_ history: KernelGraph.History) {
    var capacity: Int
    switch history.layout {
    case .rows:
      capacity = 2 * Plan.tileFrames
      while capacity < history.length + Plan.tileFrames { capacity *= 2 }
      pitch = (capacity + Plan.tileFrames + Plan.stageFrames) * 4
      bytes = pitch * history.width
    case .columns:
      capacity = 1
      while capacity < history.length + 1 { capacity *= 2 }
      // A few numbers lie close together, so that long pasts of them take no more memory than they have to.
      pitch = (history.width < 16 ? history.width : FrameLayout.columnPitch(history.width)) * 4
      bytes = pitch * capacity
    }
    self.capacity = capacity
  }
}
