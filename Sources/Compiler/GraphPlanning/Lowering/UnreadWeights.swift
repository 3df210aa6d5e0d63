// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelGraph {
  /// Removes weights that no kernel reads, and packs the rest.
  ///
  ///     | read | unread | read |   →   | read | read |      each beginning at a cache line
  func droppingUnreadWeights() -> KernelGraph {
    var reads: [Range<Int>] = []
    for kernel in blockKernels + kernels + [settling].compactMap({ $0.map(Kernel.map) }) {
      kernel.forEachRead { access, extents in
        if case .weights(let base) = access.location { reads.append(access.reach(from: base, over: extents)) }
      }
    }
    reads.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    var areas: [Range<Int>] = []
    for read in reads {
      if let last = areas.last, read.lowerBound < last.upperBound {
        areas[areas.count - 1] = last.lowerBound..<max(last.upperBound, read.upperBound)
      } else {
        areas.append(read)
      }
    }
    var packed = PackedWeights()
    let moves = areas.map { packed.append($0, of: weights) }
    func moved(_ access: Access) -> Access {
      guard case .weights(let base) = access.location else { return access }
      // Strides of weights are never negative: the first number that is read is the one at the offset.
      let first = base + access.offset
      let move = moves[max(moves.partitioningIndex(where: { $0.from > first }), 1) - 1]
      var access = access
      access.location = .weights(move.to)
      access.offset = first - move.from
      return access
    }
    func reading(_ kernel: Kernel) -> Kernel { kernel.rewriting(reads: { access, _ in moved(access) }) }
    return replacing(
      blockKernels: blockKernels.map(reading), kernels: kernels.map(reading),
      settling: settling?.rewriting(reads: { access, _ in moved(access) }), weights: packed)
  }
}

extension Access {
  /// From the first to behind the last place that a walk with these extents comes to; the innermost axis comes last.
  fileprivate func reach(from base: Int, over extents: [Int]) -> Range<Int> {
    let last = zip(strides + [innerStride], extents).reduce(0) { $0 + $1.0 * ($1.1 - 1) }
    return base + offset..<base + offset + last + (index?.furthest ?? 0) + 1
  }
}

extension Kernel {
  /// Calls for each access that reads, with the extents of the loops that it goes through, the innermost last.
  ///
  /// Frames count as one: only rows of frames move along them.
  fileprivate func forEachRead(_ body: (_ access: Access, _ extents: [Int]) -> Void) {
    switch self {
    case .map(let map):
      for access in map.loads.values { body(access, map.space.extents + [map.space.inner.fixedCount]) }
    case .fold(let fold):
      let extents = fold.space.extents + fold.reduced + [fold.space.inner.fixedCount]
      for access in fold.operands { body(access, extents) }
      Kernel.map(fold.epilogue).forEachRead(body)
    case .sample(let sample):
      body(sample.source, [1])
    case .cycle(let cycle):
      for kernel in cycle.kernels { kernel.forEachRead(body) }
    }
  }
}

extension Space.Inner {
  fileprivate var fixedCount: Int {
    switch self {
    case .frames: 1
    case .count(let count): count
    }
  }
}
