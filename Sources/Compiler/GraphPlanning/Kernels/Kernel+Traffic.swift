// SPDX-License-Identifier: Apache-2.0

extension Kernel {
  /// Bytes that the kernel reads and writes for each frame (or step).
  ///
  /// Each number counts once for each access that meets it, however often the loops come back to it: memory that a
  /// loop does not move along stays in a register or in the nearest cache. What stands there for all frames (a weight,
  /// a settled value) is not moved with the frames and counts nothing in a stream.
  package var bytesPerFrame: Int {
    switch self {
    case .map(let map): map.space.bytes(of: map.loads.values + map.stores.map(\.access))
    case .fold(let fold):
      fold.space.bytes(of: fold.operands, reduced: fold.reduced) + Kernel.map(fold.epilogue).bytesPerFrame
    case .sample: 4
    case .cycle(let cycle): cycle.kernels.reduce(0) { $0 + $1.bytesPerFrame }
    }
  }
}

extension Space {
  /// Bytes of the numbers that accesses meet in one frame, or in a step.
  func bytes(of accesses: [Access], reduced: [Int] = []) -> Int {
    accesses.reduce(0) { total, access in
      let rounds = zip(extents + reduced, access.strides).reduce(1) { $1.1 == 0 ? $0 : $0 * $1.0 }
      switch inner {
      case .frames: return access.innerStride == 0 ? total : total + 4 * rounds
      case .count(let count): return total + 4 * rounds * (access.innerStride == 0 ? 1 : count)
      }
    }
  }
}
