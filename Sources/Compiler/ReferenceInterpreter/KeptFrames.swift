// SPDX-License-Identifier: Apache-2.0

/// The places of a node's frames among the kept numbers of all nodes.
///
///     node        0                 1
///     frames      3    1    2       2    3
///     numbers   [ ... | ... | ... ][ .. | .. ]
///
/// Of each node some frames are kept, which take turns.
struct KeptFrames {
  private let starts: [Int]
  private let kept: [Int]
  private let counts: [Int]
  /// How many numbers all frames of all nodes have.
  let size: Int

  /// - Parameters:
  ///   - kept: For each node, how many frames.
  ///   - counts: For each node, how many numbers a frame has.
  init(kept: [Int], counts: [Int]) {
    var starts: [Int] = []
    var size = 0
    for (frames, count) in zip(kept, counts) {
      starts.append(size)
      size += frames * count
    }
    (self.starts, self.kept, self.counts, self.size) = (starts, kept, counts, size)
  }

  /// The place of a frame's first number, or nil before the start.
  subscript(node: Int, frame: Int) -> Int? {
    frame < 0 ? nil : starts[node] + frame % kept[node] * counts[node]
  }
}
