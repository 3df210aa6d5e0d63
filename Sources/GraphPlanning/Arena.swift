// SPDX-License-Identifier: Apache-2.0

/// Memory of one tile: buffers that are never in use together share it.
///
/// A buffer is in use from the first kernel that writes it to the last one that reads it. The largest is placed
/// first, each at the lowest offset where nothing stands that is in use with it.
struct Arena {
  private(set) var offsets: [Int: Int] = [:]
  private(set) var liveRanges: [ClosedRange<Int>?]
  private(set) var size = 0

  init(_ graph: KernelGraph) {
    liveRanges = Self.liveRanges(of: graph)
    let ranges = liveRanges
    let order = graph.buffers.indices.filter { ranges[$0] != nil }.sorted {
      (graph.buffers[$1].bytes, $0) < (graph.buffers[$0].bytes, $1)
    }
    // Placed buffers in order of their offsets.
    var placed: [(offset: Int, end: Int, index: Int)] = []
    for index in order {
      let bytes = graph.buffers[index].bytes.roundedUp(to: 64)
      var offset = 0
      for other in placed where ranges[other.index]!.overlaps(ranges[index]!) {
        if offset + bytes <= other.offset { break }
        offset = max(offset, other.end)
      }
      let position = placed.firstIndex { $0.offset > offset } ?? placed.count
      placed.insert((offset, offset + bytes, index), at: position)
      offsets[index] = offset
      size = max(size, offset + bytes)
    }
  }

  private static func liveRanges(of graph: KernelGraph) -> [ClosedRange<Int>?] {
    var ranges = [ClosedRange<Int>?](repeating: nil, count: graph.buffers.count)
    for (position, kernel) in graph.kernels.enumerated() {
      let (reads, writes) = kernel.accesses
      for case .buffer(let id) in (reads + writes).map(\.location)
      where graph.buffers[id.index].lifetime == .tile {
        let range = ranges[id.index]
        ranges[id.index] = (range?.lowerBound ?? position)...position
      }
    }
    return ranges
  }
}
