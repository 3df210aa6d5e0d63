// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelGraph {
  /// The part of each kernel that runs while all parameters are settled; nil where nothing does.
  ///
  ///     map     buffer 0 ← tan(frequency * 0.001)       nothing: the number was found out when the last ramp landed,
  ///     cycle   y ← loop over x and buffer 0            and here it is taken from there
  ///
  /// Legal because maps over frames take settled values from their one place, and only they read those buffers.
  package var kernelsWhileSettled: [Kernel?] {
    var needed: Set<BufferID> = []
    for kernel in allKernels {
      for leaf in kernel.leaves { needed.formUnion(leaf.buffersNeeded(besides: settledValues)) }
    }
    return kernels.map { kernel in
      guard case .map(var map) = kernel, map.space.inner == .frames else { return kernel }
      map.stores.removeAll { store in
        guard case .buffer(let id) = store.access.location, let value = store.value else { return false }
        return buffers[id.index].lifetime == .tile && settledValues[value] != nil && !needed.contains(id)
      }
      return map.stores.isEmpty ? nil : .map(map)
    }
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
