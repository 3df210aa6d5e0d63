// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Memory of one tile: buffers and windows that are never in use together share it.
///
///     kernel     0    1    2    3
///     buffer 0   ████████              0
///     buffer 1        ████████      1024
///     buffer 2             ████████    0     buffer 0 is not used any more
///     buffer 3                  ███    0     in place: kernel 3 writes each number where it has read it
///
/// A buffer is in use from the first kernel that writes it to the last one that reads it; so is the window of a history.
/// What a map or an epilogue computes number by number takes the memory of an input that is read there for the last time,
/// where rows of the two are equally far apart. What is left is placed in two ways: kernel by kernel into the lowest gap
/// that holds it, and the largest first into the lowest place where nothing else is alive; the smaller arena is kept.
struct Arena {
  /// The offset of each buffer and window, in bytes.
  let offsets: [Location: Int]
  /// The live range of each, in kernels.
  let liveRanges: [Location: ClosedRange<Int>]
  let size: Int

  /// A buffer of this size is large: eight of them do not fit into a second cache. Large ones take pages, and as many lines
  /// more that eight one behind the other begin at places all over a page.
  private static let (largeBytes, pageBytes, stagger) = (1 << 16, 1 << 12, 9 * 64)

  /// The bytes that a buffer takes: whole cache lines; a large one whole pages, and some lines.
  ///
  /// A cache finds room for a line by its place in a page. Buffers of as many pages that are walked through side by side,
  /// such as what a layer keeps of each position for its gradient, would all want the same few lines.
  private static func room(_ bytes: Int) -> Int {
    bytes < largeBytes ? bytes.roundedUp(to: 64) : bytes.roundedUp(to: pageBytes) + stagger
  }

  /// Places that follow each other in place, in one block of memory.
  struct Block {
    var places: [Location]
    var bytes: Int
    var range: ClosedRange<Int>
  }

  /// Placing the largest first looks at each pair of blocks: of more than these, only the other way is tried.
  private static let mostBlocksBySize = 1024

  /// - Parameter windows: the bytes of each history's window; 0 where it has none.
  init(_ graph: KernelGraph, windows: [Int], aliases: Bool) {
    func bytes(_ place: Location) -> Int {
      switch place {
      case .buffer(let id) where graph.buffers[id.index].lifetime == .tile:
        Self.room(graph.buffers[id.index].bytes)
      case .history(let id): windows[id.index]
      case .buffer, .input, .output, .weights, .parameter: 0
      }
    }
    liveRanges = graph.liveRanges.filter { bytes($0.key) > 0 }
    let blocks = Self.blocks(of: graph, liveRanges, bytes, sharing: aliases)
    let inTurn = ByTime(blocks, kernels: graph.kernels.count, reuses: aliases).placement
    var best = inTurn
    if aliases, blocks.count <= Self.mostBlocksBySize {
      let bySize = placedBySize(blocks)
      if bySize.size < best.size { best = bySize }
    }
    var offsets: [Location: Int] = [:]
    for (block, offset) in zip(blocks, best.offsets) {
      for place in block.places { offsets[place] = offset }
    }
    self.offsets = offsets
    size = best.size
  }

  /// Places in the order in which they begin to be in use, those together that follow each other in place.
  private static func blocks(
    of graph: KernelGraph, _ ranges: [Location: ClosedRange<Int>], _ bytes: (Location) -> Int, sharing: Bool
  ) -> [Block] {
    var beginning = [[Location]](repeating: [], count: graph.kernels.count)
    for (place, range) in ranges { beginning[range.lowerBound].append(place) }
    var blocks: [Block] = []
    /// The block that a place is the last one of.
    var blockEndingWith: [Location: Int] = [:]
    for position in graph.kernels.indices {
      for place in beginning[position].sorted(by: { (bytes($1), $0.number) < (bytes($0), $1.number) }) {
        let predecessor =
          sharing
          ? graph.kernels[position].inputsWrittenInPlace(by: place).first { input in
            ranges[input]?.upperBound == position && bytes(place) <= bytes(input)
              && blockEndingWith[input] != nil
          } : nil
        if let predecessor, let block = blockEndingWith.removeValue(forKey: predecessor) {
          blocks[block].places.append(place)
          blocks[block].range = blocks[block].range.lowerBound...ranges[place]!.upperBound
          blockEndingWith[place] = block
        } else {
          blockEndingWith[place] = blocks.count
          blocks.append(Block(places: [place], bytes: bytes(place), range: ranges[place]!))
        }
      }
    }
    return blocks
  }
}

extension KernelGraph {
  /// The kernels from the first to the last that comes to each place.
  fileprivate var liveRanges: [Location: ClosedRange<Int>] {
    var ranges: [Location: ClosedRange<Int>] = [:]
    for (position, kernel) in kernels.enumerated() {
      let (reads, writes) = kernel.accesses
      for place in (reads + writes).map(\.location) {
        ranges[place] = (ranges[place]?.lowerBound ?? position)...position
      }
    }
    return ranges
  }
}

extension Kernel {
  /// The buffers, or windows, that it reads in step with writing one: each number is written when it has been read.
  fileprivate func inputsWrittenInPlace(by result: Location) -> [Location] {
    guard let map = elementwise else { return [] }
    let inputs = map.loads.sorted { $0.key < $1.key }.map(\.value.location)
    return inputs.filter { $0 != result && $0.liesLike(result) && goesInStep(reading: $0, writing: result) }
  }
}

extension Location {
  /// Whether the numbers of both lie equally far apart in the arena.
  func liesLike(_ other: Location) -> Bool {
    switch (self, other) {
    case (.buffer, .buffer), (.history, .history): true
    case (.buffer, _), (.history, _), (.input, _), (.output, _), (.weights, _), (.parameter, _): false
    }
  }

  /// A number by which the places of an arena are in order: buffers first.
  fileprivate var number: Int {
    switch self {
    case .buffer(let id): id.index
    case .history(let id): Int(Int32.max) + id.index
    case .input, .output, .weights, .parameter: .max
    }
  }
}

/// The offsets of blocks, and the bytes that they take together.
private struct Placement {
  var offsets: [Int]
  var size = 0
}

/// The largest first, each at the lowest offset that is free over its live range.
private func placedBySize(_ blocks: [Arena.Block]) -> Placement {
  var placement = Placement(offsets: [Int](repeating: 0, count: blocks.count))
  /// Blocks that have an offset, in the order of memory.
  var placed: [Int] = []
  for index in blocks.indices.sorted(by: { (blocks[$1].bytes, $0) < (blocks[$0].bytes, $1) }) {
    let block = blocks[index]
    var offset = 0
    for other in placed where blocks[other].range.overlaps(block.range) {
      guard placement.offsets[other] < offset + block.bytes else { break }
      offset = max(offset, placement.offsets[other] + blocks[other].bytes)
    }
    placement.offsets[index] = offset
    placement.size = max(placement.size, offset + block.bytes)
    let place = placed.firstIndex { placement.offsets[$0] > offset } ?? placed.count
    placed.insert(index, at: place)
  }
  return placement
}

/// Kernel by kernel: blocks that become live take the lowest gap that holds them, then dead ones leave a gap.
private struct ByTime {
  private(set) var placement: Placement

  init(_ blocks: [Arena.Block], kernels: Int, reuses: Bool) {
    placement = Placement(offsets: [Int](repeating: 0, count: blocks.count))
    var beginning = [[Int]](repeating: [], count: kernels)
    var ending = beginning
    for (index, block) in blocks.enumerated() {
      beginning[block.range.lowerBound].append(index)
      ending[block.range.upperBound].append(index)
    }
    var gaps = Gaps()
    for position in 0..<kernels {
      for index in beginning[position] {
        let (offset, bytes) = (gaps.take(blocks[index].bytes), blocks[index].bytes)
        placement.offsets[index] = offset
        placement.size = max(placement.size, offset + bytes)
      }
      guard reuses else { continue }
      for index in ending[position] {
        gaps.give(placement.offsets[index]..<placement.offsets[index] + blocks[index].bytes)
      }
    }
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
    var first = ranges.partitioningIndex(where: { $0.lowerBound >= bytes.lowerBound })
    var (end, joined) = (first, bytes)
    if first > 0, ranges[first - 1].upperBound == bytes.lowerBound {
      first -= 1
      joined = ranges[first].lowerBound..<joined.upperBound
    }
    if end < ranges.count, ranges[end].lowerBound == bytes.upperBound {
      joined = joined.lowerBound..<ranges[end].upperBound
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: [joined])
  }
}
