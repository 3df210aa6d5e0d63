// SPDX-License-Identifier: Apache-2.0

/// Whether an output may lie in the memory of the input of the same number.
package enum InPlace {
  /// Whether, row by row, the last read of input `index` comes before the first write of output `index`.
  package static func isHarmless(_ index: Int, _ kernels: [Kernel]) -> Bool {
    guard let firstWriter = kernels.firstIndex(where: { $0.touches(.output(index)).writes }) else {
      return true
    }
    for (position, kernel) in kernels.enumerated() where kernel.touches(.input(index)).reads {
      if position < firstWriter { continue }
      guard position == firstWriter, kernel.readsAndWritesInStep(.input(index), .output(index)) else {
        return false
      }
    }
    return true
  }
}

extension Kernel {
  fileprivate func touches(_ location: Location) -> (reads: Bool, writes: Bool) {
    let (reads, writes) = accesses
    return (reads.contains { $0.location == location }, writes.contains { $0.location == location })
  }

  /// Whether it is a map that writes each number of the one place at the moment it has read it from the other.
  fileprivate func readsAndWritesInStep(_ input: Location, _ output: Location) -> Bool {
    guard case .map(let map) = self else { return false }
    let walks = (map.loads.values + map.stores.map(\.access)).filter {
      $0.location == input || $0.location == output
    }
    // Along an axis of one element nothing is walked, whatever the stride says.
    let axes = map.space.extents.indices.filter { map.space.extents[$0] > 1 }
    return walks.allSatisfy { walk in
      axes.allSatisfy { walk.strides[$0] == walks[0].strides[$0] }
        && walk.offset == walks[0].offset && walk.innerStride == walks[0].innerStride
        // A row that is read again in a later round would have been overwritten in an earlier one.
        && walk.walksOnce(over: map.space)
    }
  }

  /// The same kernel with one place read instead of another.
  func reading(_ new: Location, insteadOf old: Location) -> Kernel {
    func moved(_ access: Access) -> Access {
      var access = access
      if access.location == old { access.location = new }
      return access
    }
    switch self {
    case .map(var map):
      map.loads = map.loads.mapValues(moved)
      return .map(map)
    case .fold(var fold):
      fold.left = moved(fold.left)
      fold.right = fold.right.map(moved)
      fold.bias = fold.bias.map(moved)
      return .fold(fold)
    case .sample(var sample):
      sample.source = moved(sample.source)
      return .sample(sample)
    case .cycle(let nested):
      return .cycle(nested.map { $0.reading(new, insteadOf: old) })
    }
  }
}

extension Access {
  /// Whether a loop over the space comes to each place at most once.
  fileprivate func walksOnce(over space: Space) -> Bool {
    guard innerStride != 0 || space.inner == .count(1) else { return false }
    return zip(space.extents, strides).allSatisfy { extent, stride in extent == 1 || stride != 0 }
  }
}
