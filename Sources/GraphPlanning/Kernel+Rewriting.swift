// SPDX-License-Identifier: Apache-2.0

/// The loops that an access is walked by: those around, outermost first, and the innermost one.
package struct Loops: Hashable, Sendable {
  package var extents: [Int]
  package var inner: Space.Inner

  init(_ space: Space, reduced: [Int] = []) {
    extents = space.extents + reduced
    inner = space.inner
  }

  static let one = Loops(Space(extents: [], inner: .count(1)))
}

extension Kernel {
  typealias Transform = (Access, Loops) -> Access

  /// The same kernel with other accesses; kernels of a cycle included.
  func rewriting(
    reads: Transform = { access, _ in access }, writes: Transform = { access, _ in access }
  ) -> Kernel {
    switch self {
    case .map(let map): return .map(map.rewriting(reads: reads, writes: writes))
    case .fold(var fold):
      let loops = Loops(fold.space, reduced: fold.reduced)
      fold.left = reads(fold.left, loops)
      fold.right = fold.right.map { reads($0, loops) }
      fold.bias = fold.bias.map { reads($0, loops) }
      fold.epilogue = fold.epilogue.rewriting(reads: reads, writes: writes)
      return .fold(fold)
    case .sample(var sample):
      sample.source = reads(sample.source, Loops(Space(extents: [], inner: .frames)))
      let held = writes(Access(.buffer(sample.held), strides: [], innerStride: 0), .one)
      if case .buffer(let id) = held.location { sample.held = id }
      return .sample(sample)
    case .cycle(let nested):
      return .cycle(nested.map { $0.rewriting(reads: reads, writes: writes) })
    }
  }

  /// Every access that reads, and every one that writes, with its loops; kernels of a cycle included.
  var walks: (reads: [(access: Access, loops: Loops)], writes: [(access: Access, loops: Loops)]) {
    switch self {
    case .map(let map):
      let loops = Loops(map.space)
      return (
        map.loads.sorted { $0.key < $1.key }.map { ($0.value, loops) }, map.stores.map { ($0.access, loops) }
      )
    case .fold(let fold):
      let loops = Loops(fold.space, reduced: fold.reduced)
      let (reads, writes) = Kernel.map(fold.epilogue).walks
      return (fold.operands.map { ($0, loops) } + reads, writes)
    case .sample(let sample):
      return (
        [(sample.source, Loops(Space(extents: [], inner: .frames)))],
        [(Access(.buffer(sample.held), strides: [], innerStride: 0), .one)]
      )
    case .cycle(let nested):
      let all = nested.map(\.walks)
      return (all.flatMap(\.reads), all.flatMap(\.writes))
    }
  }

  /// The kernels of a cycle, or the kernel alone.
  var leaves: [Kernel] { if case .cycle(let nested) = self { nested.flatMap(\.leaves) } else { [self] } }

  /// The same kernel without loops of one round in its maps: two shapes with the same numbers are walked alike.
  var withoutUnitAxes: Kernel {
    guard case .map(let map) = self else { return self }
    return .map(map.withoutUnitAxes)
  }
}

extension MapKernel {
  func rewriting(
    reads: Kernel.Transform = { access, _ in access }, writes: Kernel.Transform = { access, _ in access }
  ) -> MapKernel {
    let loops = Loops(space)
    var result = self
    result.loads = loads.mapValues { reads($0, loops) }
    result.stores = stores.map { Store($0.value, writes($0.access, loops)) }
    return result
  }

  var withoutUnitAxes: MapKernel {
    var result = self
    func change(_ change: (inout Access) -> Void) {
      result.loads = result.loads.mapValues { access in
        var access = access
        change(&access)
        return access
      }
      for index in result.stores.indices { change(&result.stores[index].access) }
    }
    for axis in space.extents.indices.reversed() where space.extents[axis] == 1 {
      result.space.extents.remove(at: axis)
      change { access in
        access.strides.remove(at: axis)
        access.delayStrides.remove(at: axis)
      }
    }
    guard result.space.inner == .count(1) else { return result }
    if let last = result.space.extents.popLast() {
      result.space.inner = .count(last)
      change { access in
        access.innerStride = access.strides.removeLast()
        access.delayStrides.removeLast()
      }
    } else {
      change { $0.innerStride = 0 }
    }
    return result
  }
}
