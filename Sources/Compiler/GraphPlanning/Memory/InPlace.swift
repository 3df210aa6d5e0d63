// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Graph {
  /// Whether an output may lie where the input of the same number does: one that is not said to lie apart, and is as large as
  /// what is given with each step.
  package func mayAlias(_ index: Int) -> Bool {
    guard inputs.indices.contains(index), outputs.indices.contains(index), !outputs[index].isApart,
      !inputs[index].isArrayParameter
    else { return false }
    let (input, output) = (inputs[index].type.shape, shape(of: outputs[index].value))
    // In a stream all rows are as long, and row by row may alias.
    return input.frames != nil || output.frames != nil || input.count == output.count
  }
}

/// Whether an output may alias the input of the same number.
///
/// One pass over the kernels finds where each input is read last and where each output is written first. The kernels
/// of a cycle come one after the other in each frame, and none of them looks at another frame of an input: they count
/// as if they ran one after the other.
package struct InPlace {
  private let kernels: [Kernel]
  private var lastReader: [Int: Int] = [:]
  private var firstWriter: [Int: Int] = [:]

  package init(_ kernels: [Kernel]) {
    self.kernels = kernels.flatMap(\.leaves)
    for (position, kernel) in self.kernels.enumerated() {
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
    return kernels[reader].goesInStep(reading: .input(index), writing: .output(index))
  }
}

extension Kernel {
  /// Whether it writes each number of the one place at the moment it has read it from the other, as a map does, or a
  /// fold's epilogue. What a fold adds up is read in other rounds, too.
  func goesInStep(reading input: Location, writing output: Location) -> Bool {
    guard let map = elementwise else { return false }
    func isMeant(_ access: Access) -> Bool { access.location == input || access.location == output }
    if case .fold(let fold) = self, fold.operands.contains(where: isMeant) { return false }
    return (map.loads.values + map.stores.map(\.access)).filter(isMeant).goInStep(over: map.space)
  }
}

extension [Access] {
  /// Whether all of them are at the same number at the same time, and at each number once.
  func goInStep(over space: Space) -> Bool {
    // Along an axis of one element nothing is walked, whatever the stride says.
    let axes = space.extents.indices.filter { space.extents[$0] > 1 }
    return allSatisfy { walk in
      axes.allSatisfy { walk.strides[$0] == self[0].strides[$0] }
        && walk.offset == self[0].offset && walk.innerStride == self[0].innerStride
        && walk.delay == self[0].delay && walk.delayStrides == self[0].delayStrides && walk.index == nil
        // A row that is read again in a later round would have been overwritten in an earlier one.
        && walk.walksOnce(over: space)
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
