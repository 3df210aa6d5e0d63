// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelGraph {
  /// The positions of the kernels that have nothing to do while all parameters stand still.
  ///
  ///     map     buffer 0 ← tan(frequency * 0.001)       idle: the number was found out when the last ramp landed,
  ///     cycle   y ← loop over x and buffer 0            and here it is taken from there
  ///
  /// Legal because maps over frames take what is settled from its one place, and nobody else reads those buffers.
  package var idleWhileSettled: Set<Int> {
    var needed: Set<BufferID> = []
    for kernel in allKernels {
      for leaf in kernel.leaves { needed.formUnion(leaf.buffersNeeded(besides: settledValues)) }
    }
    let idle = kernels.indices.filter { index in
      guard case .map(let map) = kernels[index], map.space.inner == .frames else { return false }
      return map.stores.allSatisfy { store in
        guard case .buffer(let id) = store.access.location, let value = store.value else { return false }
        return buffers[id.index].lifetime == .tile && settledValues[value] != nil && !needed.contains(id)
      }
    }
    return Set(idle)
  }
}

extension Kernel {
  /// The buffers that a leaf reads, but for those of which it takes a settled number instead.
  fileprivate func buffersNeeded(besides settled: [ValueID: BufferID]) -> [BufferID] {
    func reads(of map: MapKernel) -> [Access] {
      map.loads.filter { map.space.inner != .frames || settled[$0.key] == nil }.map(\.value)
    }
    let accesses =
      switch self {
      case .map(let map): reads(of: map)
      case .fold(let fold): fold.operands + reads(of: fold.epilogue)
      case .sample(let sample): [sample.source]
      case .cycle(let cycle): preconditionFailure("a cycle of \(cycle.kernels.count) is no leaf")
      }
    return accesses.compactMap { if case .buffer(let id) = $0.location { id } else { nil } }
  }
}
