// SPDX-License-Identifier: Apache-2.0

/// Memory of one tile: buffers that are never in use together share it.
///
/// A buffer is in use from the first kernel that writes it to the last one that reads it. Kernel by kernel, what
/// begins to be in use takes the lowest gap that holds it, the largest first; then what is used no more leaves one.
struct Arena {
  private(set) var offsets: [Int: Int] = [:]
  let liveRanges: [ClosedRange<Int>?]
  private(set) var size = 0

  init(_ graph: KernelGraph) {
    liveRanges = Self.liveRanges(of: graph)
    var beginning = [[Int]](repeating: [], count: graph.kernels.count)
    var ending = beginning
    for case (let index, let range?) in liveRanges.enumerated() {
      beginning[range.lowerBound].append(index)
      ending[range.upperBound].append(index)
    }
    var gaps = Gaps()
    func bytes(_ index: Int) -> Int { graph.buffers[index].bytes.roundedUp(to: 64) }
    for position in graph.kernels.indices {
      for index in beginning[position].sorted(by: { (bytes($1), $0) < (bytes($0), $1) }) {
        let offset = gaps.take(bytes(index))
        offsets[index] = offset
        size = max(size, offset + bytes(index))
      }
      for index in ending[position] { gaps.give(offsets[index]!..<offsets[index]! + bytes(index)) }
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

/// The free bytes of an arena in order, no two gaps side by side; the last one has no end.
private struct Gaps {
  private var ranges = [0..<Int.max]

  /// Takes so many bytes from the lowest gap that holds them; where they begin.
  mutating func take(_ bytes: Int) -> Int {
    let index = ranges.firstIndex { $0.count >= bytes }!
    let gap = ranges[index]
    if gap.count == bytes {
      ranges.remove(at: index)
    } else {
      ranges[index] = gap.lowerBound + bytes..<gap.upperBound
    }
    return gap.lowerBound
  }

  /// Gives bytes back, and joins them with the gaps at their ends.
  mutating func give(_ bytes: Range<Int>) {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].lowerBound < bytes.lowerBound { low = middle + 1 } else { high = middle }
    }
    var (first, joined) = (low, bytes)
    if low > 0, ranges[low - 1].upperBound == bytes.lowerBound {
      first -= 1
      joined = ranges[first].lowerBound..<joined.upperBound
    }
    if low < ranges.count, ranges[low].lowerBound == bytes.upperBound {
      joined = joined.lowerBound..<ranges[low].upperBound
      low += 1
    }
    ranges.replaceSubrange(first..<low, with: [joined])
  }
}
