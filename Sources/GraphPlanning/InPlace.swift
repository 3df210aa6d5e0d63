// SPDX-License-Identifier: Apache-2.0

/// Whether an output may lie in the memory of the input of the same number.
///
/// One pass over the kernels finds where each input is read last and where each output is written first.
package struct InPlace {
  private let kernels: [Kernel]
  private var lastReader: [Int: Int] = [:]
  private var firstWriter: [Int: Int] = [:]

  package init(_ kernels: [Kernel]) {
    self.kernels = kernels
    for (position, kernel) in kernels.enumerated() {
      let (reads, writes) = kernel.accesses
      for case .input(let index) in reads.lazy.map(\.location) { lastReader[index] = position }
      for case .output(let index) in writes.lazy.map(\.location) where firstWriter[index] == nil {
        firstWriter[index] = position
      }
    }
  }

  /// Whether, row by row, the last read of input `index` comes before the first write of output `index`.
  package func isHarmless(_ index: Int) -> Bool {
    guard let reader = lastReader[index], let writer = firstWriter[index] else { return true }
    if reader != writer { return reader < writer }
    return kernels[reader].readsAndWritesInStep(.input(index), .output(index))
  }
}

extension Kernel {
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
}

extension Access {
  /// Whether a loop over the space comes to each place at most once.
  fileprivate func walksOnce(over space: Space) -> Bool {
    guard innerStride != 0 || space.inner == .count(1) else { return false }
    return zip(space.extents, strides).allSatisfy { extent, stride in extent == 1 || stride != 0 }
  }
}
