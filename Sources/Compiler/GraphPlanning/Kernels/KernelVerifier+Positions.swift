// SPDX-License-Identifier: Apache-2.0

/// Cycles along an axis: what a position may read of those before, and of its own.
extension KernelVerifier {
  /// The buffers of which a cycle along an axis reads what it wrote at positions before: each read that comes before a write
  /// keeps behind it, or finds what the position before left in the same places, and the first one what was there.
  mutating func pasts(
    of kernels: [Kernel], _ positions: CycleKernel.Positions, _ name: String
  ) -> Set<BufferID> {
    var pasts: Set<BufferID> = []
    let walks = kernels.map(\.walks)
    var writes: [Location: [(place: Int, access: Access, range: ClosedRange<Int>)]] = [:]
    for (place, walk) in walks.enumerated() {
      for (write, loops) in walk.writes
      where write.strides.count == loops.extents.count && !write.strides.isEmpty {
        writes[write.location, default: []].append((place, write, write.atOnePosition(of: loops)))
      }
    }
    for (place, kernel) in kernels.enumerated() {
      guard let space = kernel.elementwise?.space, space.isWalked, space.extents.first == positions.count
      else {
        violations.append("\(name).\(place) does not go through the positions of its cycle")
        continue
      }
      for (read, readLoops) in walks[place].reads {
        guard case .buffer(let id) = read.location else { continue }
        let all = writes[read.location] ?? []
        let (own, earlier) = (read.atOnePosition(of: readLoops), all.prefix { $0.place < place })
        if !earlier.isEmpty {
          let isThere =
            positions.isBackward
            ? earlier.contains { own.lowerBound >= $0.range.lowerBound }
            : earlier.contains { own.upperBound <= $0.range.upperBound }
          if !isThere || !earlier.allSatisfy({ $0.access.strides.first == read.strides.first }) {
            violations.append("\(name).\(place) reads buffer \(id.index) of other positions")
          }
        }
        let later = all[earlier.count...]
        guard !later.isEmpty else { continue }
        if later.allSatisfy({ $0.access.strides.first == 0 }), read.strides.first == 0,
          coverage.isWhole(read.location, graph.buffers[id.index].extent.count)
        {
          let isSum = if case .fold(let fold) = kernel { fold.takesSums(by: read) } else { false }
          if later.contains(where: { $0.place == place }), !isSum {
            violations.append("\(name).\(place) writes buffer \(id.index) while it reads it")
          }
          if !earlier.isEmpty {
            violations.append("\(name).\(place) reads buffer \(id.index) between two that write it")
          }
          continue
        }
        pasts.insert(id)
        for write in later {
          let isBehind =
            positions.isBackward
            ? own.lowerBound > write.range.upperBound : own.upperBound < write.range.lowerBound
          if !isBehind || read.strides.first != write.access.strides.first || read.strides[0] <= 0 {
            violations.append("\(name).\(place) reads buffer \(id.index) where it is not written yet")
          }
        }
      }
    }
    return pasts
  }
}
