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

  /// How often they come to the innermost one's inside; frames count as one.
  var rounds: Int {
    let inner = if case .count(let count) = inner { count } else { 1 }
    return extents.reduce(inner, *)
  }
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
      sample.result = sample.result.map { writes($0, Loops(Space(extents: [], inner: .frames))) }
      return .sample(sample)
    case .cycle(var cycle):
      cycle.kernels = cycle.kernels.map { $0.rewriting(reads: reads, writes: writes) }
      return .cycle(cycle)
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
          + [sample.result].compactMap(\.self).map { ($0, Loops(Space(extents: [], inner: .frames))) }
      )
    case .cycle(let cycle):
      let all = cycle.kernels.map(\.walks)
      return (all.flatMap(\.reads), all.flatMap(\.writes))
    }
  }

  /// The kernels of a cycle, or the kernel alone.
  var leaves: [Kernel] {
    if case .cycle(let cycle) = self { cycle.kernels.flatMap(\.leaves) } else { [self] }
  }

  /// The same kernel without loops of one round: two shapes with the same numbers are walked alike.
  var withoutUnitAxes: Kernel {
    switch self {
    case .map(let map): .map(map.withoutUnitAxes)
    case .fold(let fold): .fold(fold.withoutUnitAxes)
    case .sample, .cycle: self
    }
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
    var result = rewriting { access, _ in
      access.withoutUnitAxes(of: space)
    } writes: { access, _ in
      access.withoutUnitAxes(of: space)
    }
    result.space = space.withoutUnitAxes
    return result
  }
}

extension FoldKernel {
  /// Reduced axes stay as they are.
  var withoutUnitAxes: FoldKernel {
    var result = self
    result.left = left.withoutUnitAxes(of: space)
    result.right = right?.withoutUnitAxes(of: space)
    result.bias = bias?.withoutUnitAxes(of: space)
    result.epilogue = epilogue.withoutUnitAxes
    precondition(tile == .single, "axes go before a tile is chosen")
    return result
  }
}

extension Space {
  fileprivate var withoutUnitAxes: Space {
    var result = Space(extents: extents.filter { $0 > 1 }, inner: inner)
    if inner == .count(1), let last = result.extents.popLast() { result.inner = .count(last) }
    return result
  }
}

extension Kernel {
  /// The same kernel within a cycle along its first axis, which is the innermost one where it has no other.
  var walked: Kernel {
    switch self {
    case .map(let map): return .map(map.walked)
    case .fold(var fold):
      let isInnermost = fold.space.extents.isEmpty
      func apart(_ access: Access) -> Access { isInnermost ? access.withInnermostApart : access }
      (fold.left, fold.right, fold.bias) = (apart(fold.left), fold.right.map(apart), fold.bias.map(apart))
      fold.epilogue = fold.epilogue.walked
      return .fold(fold)
    case .sample, .cycle: return self
    }
  }
}

extension MapKernel {
  fileprivate var walked: MapKernel {
    var result = self
    if space.extents.isEmpty, case .count(let count) = space.inner {
      result = rewriting { access, _ in
        access.withInnermostApart
      } writes: { access, _ in
        access.withInnermostApart
      }
      result.space = Space(extents: [count], inner: .count(1))
    }
    result.space.isWalked = true
    return result
  }
}

extension Access {
  /// The same walk with the innermost axis as the first one, around a single number.
  fileprivate var withInnermostApart: Access {
    var result = self
    result.strides.insert(innerStride, at: 0)
    result.delayStrides.insert(0, at: 0)
    result.innerStride = 0
    return result
  }

  /// The same walk in the space without loops of one round; what comes behind the axes of the space stays.
  fileprivate func withoutUnitAxes(of space: Space) -> Access {
    var result = self
    func remove(_ axis: Int) -> Int {
      result.delayStrides.remove(at: axis)
      return result.strides.remove(at: axis)
    }
    var axes = space.extents.count
    for axis in space.extents.indices.reversed() where space.extents[axis] == 1 {
      _ = remove(axis)
      axes -= 1
    }
    if space.inner == .count(1) { result.innerStride = axes > 0 ? remove(axes - 1) : 0 }
    return result
  }
}
