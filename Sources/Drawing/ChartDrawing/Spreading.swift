// SPDX-License-Identifier: Apache-2.0

/// Moves places as little as it takes to stand some way apart, in the same order, within a range.
///
///     10 12 40   apart 8   →   7 15 40
///
/// Where the range is too short for all, they go on beyond its upper end.
func spread(_ places: [Double], apart distance: Double, within range: ClosedRange<Double>) -> [Double] {
  /// Places that touch, as one block around their mean.
  struct Block {
    var members: [Int]
    var first: Double
    let distance: Double

    var end: Double { first + Double(members.count) * distance }
  }
  let order = places.indices.sorted { (places[$0], $0) < (places[$1], $1) }
  func block(_ members: [Int]) -> Block {
    // Each member would like the block to begin where it then stands best itself.
    let wishes = members.enumerated().map { places[$1] - Double($0) * distance }
    let best = wishes.reduce(0, +) / Double(members.count)
    let last = range.upperBound - Double(members.count - 1) * distance
    return Block(members: members, first: max(range.lowerBound, min(best, last)), distance: distance)
  }
  var blocks: [Block] = []
  for index in order {
    var next = block([index])
    while let last = blocks.last, last.end > next.first {
      blocks.removeLast()
      next = block(last.members + next.members)
    }
    blocks.append(next)
  }
  var result = places
  for block in blocks {
    for (rank, index) in block.members.enumerated() {
      result[index] = block.first + Double(rank) * distance
    }
  }
  return result
}
