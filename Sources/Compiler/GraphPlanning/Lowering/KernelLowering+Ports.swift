// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Inputs, outputs, and outputs that are inputs.
extension KernelLowering {
  func placeGiven() {
    for node in graph.nodes {
      switch node.op.given {
      case .input(let index):
        storage[.rows]![node.result] = Storage(location: .input(index), isRows: isRows(node.result))
      case .parameter(let index):
        storage[.rows]![node.result] = Storage(location: .parameter(index), isRows: false)
      case .weights(let id):
        let place = weights.append(graph[id].values)
        storage[.rows]![node.result] = Storage(location: .weights(place), isRows: false)
      // Most literals are written into the code; one that a kernel reads from memory is packed when it is placed.
      case .literal, nil: break
      }
    }
  }

  /// Writes a value to an output: a copy, after everything else.
  func show(_ value: ValueID, at index: Int) {
    let shape = graph.shape(of: value)
    let output = Storage(location: .output(index), isRows: shape.frames != nil)
    var map = MapKernel(over: shape)
    bring(value, to: &map, over: shape)
    let place = access(output, strides: shape.fixed.rowMajorStrides, inner: map.space.inner)
    map.stores = [Store(value, place)]
    append(.map(map))
  }

  /// Puts a copy of an input before everything else where in-place execution would overwrite what is still read.
  ///
  /// Output i, row r may be the same memory as input i, row r, where it is as long. That is harmless where each row's last
  /// read comes before its first write: in an earlier kernel, or in the same map at the same place.
  func copyInputsThatWouldBeOverwritten(_ kernels: inout [Kernel]) {
    let inPlace = InPlace(kernels)
    var copies: [Kernel] = []
    var substitutes: [Location: Location] = [:]
    for node in graph.nodes {
      guard case .input(let index) = node.op.given, graph.mayAlias(index), !inPlace.isHarmless(index)
      else { continue }
      let shape = graph.inputs[index].type.shape
      let isRows = shape.frames != nil
      let buffer = allocate(isRows ? .rows(shape.count) : .elements(shape.count), .tile)
      let strides = shape.fixed.rowMajorStrides
      var map = MapKernel(over: shape)
      let input = Storage(location: .input(index), isRows: isRows)
      map.loads[node.result] = access(input, strides: strides, inner: map.space.inner)
      let copied = Storage(location: .buffer(buffer), isRows: isRows)
      map.stores = [Store(node.result, access(copied, strides: strides, inner: map.space.inner))]
      copies.append(Kernel.map(map).withoutUnitAxes)
      substitutes[.input(index)] = .buffer(buffer)
    }
    guard !copies.isEmpty else { return }
    kernels =
      copies
      + kernels.map { kernel in
        kernel.rewriting(
          reads: { access, _ in
            var access = access
            access.location = substitutes[access.location] ?? access.location
            return access
          })
      }
  }
}
