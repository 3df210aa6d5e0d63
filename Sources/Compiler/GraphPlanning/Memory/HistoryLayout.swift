// SPDX-License-Identifier: Apache-2.0

/// The layout of a history in memory.
///
/// Of rows each is a ring of whole tiles, with the first one's frames once more behind its end, and room for what a whole
/// vector reads or writes behind those:
///
///     | tile 0 | tile 1 | … | tile n-1 | tile 0 again | room |
///
/// Tiles begin and end within one tile's length of the absolute position, so that a write never wraps; and a
/// read of up to a tile's frames, wherever it begins, finds them in one piece. Where all reads begin where tiles do, no
/// tile is there again. What a write leaves behind its last frame overwrites frames that are not read any more: a ring
/// is longer than the past by a tile.
///
/// Of a short past that folds read, which would be a small part of such a ring, nothing but the past is kept. The present
/// tile stands in a window of the arena, and before it is read, the past is put in front of it, and then moved on:
///
///     past      … w x y z                w x y z → a b c d
///     window              a b c d …              w x y z a b c d …
///
/// Of columns, and of steps, a history is a ring of slots, each with the elements of a frame (or step) side by side: at
/// least one for each frame back and one for the present.
package struct HistoryLayout: Hashable, Sendable {
  /// The way in which the place of a frame is found.
  package enum Search: Hashable, Sendable {
    /// Its slot is what a mask leaves of its place in the stream.
    case mask
    /// Its slot is so many before the head, that of the present tile's first frame: a ring may have any length, and all
    /// of one length have one head. Only for kernels of whole tiles.
    case head
    /// It stands in a window, always so many frames before the tile's first one. Only for kernels of whole tiles.
    case window
  }

  package let search: Search
  /// Slots of a ring before its repetition, or frames of a past.
  package let capacity: Int
  /// Frames that stand behind the ring once more.
  package let repeated: Int
  /// Bytes from one row to the next, or from one slot to the next.
  package let pitch: Int
  /// Bytes of all rows or slots.
  package let bytes: Int
  /// Bytes of the window; 0 where there is none.
  package let windowBytes: Int

  /// The longest past that stands in a window: moved with each tile, a longer one costs more than it saves.
  package static let longestInWindow = 64
  /// Bytes from one row of a window to the next: an odd number of cache lines, so that rows stand in different ones.
  package static let windowPitch = (longestInWindow + Plan.tileFrames + room) * 4
  /// The fewest rows that have a window: one alone would wait for what has just been moved.
  private static let fewestInWindow = 2
  /// The fewest rows of rings that have a head: of a few, powers of two cost little, and finding a head is more.
  private static let fewestWithHead = 8
  /// Numbers of the widest vector, which may begin at a ring's last frame.
  private static let room = 16

  init(_ history: KernelGraph.History, _ use: HistoryUse) {
    switch history.layout {
    case .rows:
      if use.isWhole, use.isWrittenFirst, use.isFolded, history.length <= Self.longestInWindow,
        history.width >= Self.fewestInWindow
      {
        search = .window
        capacity = max(1, history.length).roundedUp(to: Self.room)
        repeated = 0
        pitch = capacity * 4
        windowBytes = history.width * Self.windowPitch
      } else {
        let least = history.length.roundedUp(to: Plan.tileFrames) + Plan.tileFrames
        let hasHead = use.isWhole && history.width >= Self.fewestWithHead
        search = hasHead ? .head : .mask
        capacity = hasHead ? least : least.roundedUpToPowerOfTwo
        repeated = use.isWhole && !use.straddles ? 0 : Plan.tileFrames
        pitch = (capacity + repeated + Self.room) * 4
        windowBytes = 0
      }
      bytes = pitch * history.width
    case .columns:
      search = .mask
      capacity = (history.length + 1).roundedUpToPowerOfTwo
      repeated = 0
      // A few numbers lie close together, so that long pasts of them take no more memory than they have to.
      pitch = (history.width < 16 ? history.width : FrameLayout.columnPitch(history.width)) * 4
      bytes = pitch * capacity
      windowBytes = 0
    }
  }
}

extension Int {
  fileprivate var roundedUpToPowerOfTwo: Int {
    var power = 1
    while power < self { power *= 2 }
    return power
  }
}
