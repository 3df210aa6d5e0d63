// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// One loop nest over a space: what the native code of a step does.
package indirect enum Kernel: Hashable, Sendable {
  case map(MapKernel)
  case fold(FoldKernel)
  case sample(SampleKernel)
  case cycle(CycleKernel)
}

/// Elementwise nodes, from loads to stores, in one pass over a space. Without nodes it copies.
package struct MapKernel: Hashable, Sendable {
  package var space: Space
  /// The nodes, operands first.
  package var nodes: [NodeID]
  package var loads: [ValueID: Access]
  package var stores: [Store]

  package init(space: Space, nodes: [NodeID] = [], loads: [ValueID: Access] = [:], stores: [Store] = []) {
    self.space = space
    self.nodes = nodes
    self.loads = loads
    self.stores = stores
  }
}

extension MapKernel {
  /// Whether some of it walks along the frames from column to column.
  var hasColumns: Bool {
    space.inner == .frames && (loads.values + stores.map(\.access)).contains { $0.innerStride > 1 }
  }

  /// Whether it does nothing but to turn rows into columns, or columns into rows.
  package var isTurn: Bool {
    guard nodes.isEmpty, loads.count == 1, let load = loads.first?.value, space.inner == .frames else {
      return false
    }
    let fromColumns = load.innerStride > 1
    return fromColumns != stores.contains { $0.access.innerStride > 1 }
  }
}

extension MapKernel {
  /// The loop along which a copy reads one number after the other, where it writes so along the innermost axis, and reads
  /// far apart there; nil where that is not so, or where one of both is shorter than a square.
  package func axisOfTransposition(width: Int) -> Int? {
    guard nodes.isEmpty, !space.isWalked, case .count(let count) = space.inner, count >= width,
      loads.count == 1,
      let load = loads.first, load.value.innerStride > 1, load.value.index == nil,
      stores.allSatisfy({ $0.value == load.key && $0.access.innerStride == 1 })
    else { return nil }
    return space.extents.indices.last { axis in
      load.value.strides[axis] == 1 && load.value.delayStrides[axis] == 0 && space.extents[axis] >= width
    }
  }
}

package struct Store: Hashable, Sendable {
  /// The value that is stored; nil stores zeros.
  package var value: ValueID?
  package var access: Access

  package init(_ value: ValueID?, _ access: Access) {
    self.value = value
    self.access = access
  }
}

/// One number carried from frame to frame: a value sampled at multiples of 64 frames of the stream position, or a
/// phase.
package struct SampleKernel: Hashable, Sendable {
  package var node: NodeID
  package var source: Access
  package var held: BufferID
  /// The store of each frame's number; nil where only the held value is read.
  package var result: Access?

  package init(node: NodeID, source: Access, held: BufferID, result: Access? = nil) {
    self.node = node
    self.source = source
    self.held = held
    self.result = result
  }
}

extension Kernel {
  /// Every access that reads, and every one that writes, nested kernels included.
  package var accesses: (reads: [Access], writes: [Access]) {
    switch self {
    case .map(let kernel):
      return (Array(kernel.loads.values), kernel.stores.map(\.access))
    case .fold(let kernel):
      return (kernel.operands + kernel.epilogue.loads.values, kernel.epilogue.stores.map(\.access))
    case .sample(let kernel):
      let held = Access(.buffer(kernel.held), strides: [], innerStride: 0)
      return ([kernel.source], [held] + [kernel.result].compactMap(\.self))
    case .cycle(let cycle):
      let all = cycle.kernels.map(\.accesses)
      return (all.flatMap(\.reads), all.flatMap(\.writes))
    }
  }

  /// Its elementwise part: all of a map, the epilogue of a fold.
  package var elementwise: MapKernel? {
    switch self {
    case .map(let map): map
    case .fold(let fold): fold.epilogue
    case .sample, .cycle: nil
    }
  }

  /// The nodes that the kernel computes.
  package var nodes: [NodeID] {
    switch self {
    case .map(let kernel): kernel.nodes
    case .fold(let kernel): [kernel.node] + kernel.epilogue.nodes
    case .sample(let kernel): [kernel.node]
    case .cycle(let cycle): cycle.kernels.flatMap(\.nodes)
    }
  }
}
