// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// What is given, what is shown, and the two in one place.
extension KernelLowering {
  func placeGiven() {
    for node in graph.nodes {
      switch node.op {
      case .input(let index):
        storage[node.result] = Storage(location: .input(index), isRows: isRows(node.result))
      case .parameter(let index): storage[node.result] = Storage(location: .parameter(index), isRows: false)
      case .weights(let id): storage[node.result] = Storage(location: pack(graph[id].values), isRows: false)
      // Most literals are written into the code; one that a kernel reads from memory is packed when it is placed.
      case .literal: break
      case .unary, .binary, .select, .fma, .slice, .concatenate, .reshape, .transpose, .pad, .broadcast,
        .sum, .maximum, .dense, .convolution, .delay, .control:
        break
      }
    }
  }

  /// Puts numbers into the packed weights, aligned to a cache line where they are more than one.
  func pack(_ values: [Float]) -> Location {
    if values.count > 1 { while weights.count % 16 != 0 { weights.append(0) } }
    weights += values
    return .weights(weights.count - values.count)
  }

  /// Lets an output show a value: stored by the map that computes it, or copied.
  func show(_ value: ValueID, at index: Int) {
    let shape = graph.shape(of: value)
    let output = Storage(location: .output(index), isRows: shape.frames != nil)
    let strides = rowMajor(shape.fixed)
    if let maker = makers[value], !isBlock(value) {
      maker.store(value, access(output, strides: strides, inner: maker.space.inner))
      return
    }
    let draft = KernelDraft(mapOver: shape)
    bring(value, to: draft)
    draft.store(value, access(output, strides: strides, inner: draft.space.inner))
    drafts.append(draft)
  }

  /// Puts a copy of an input before everything else where in-place execution would overwrite what is still read.
  ///
  /// Output i, row r may be the same memory as input i, row r. That is harmless where each row's last read comes
  /// before its first write: in an earlier kernel, or in the same map at the same place.
  func copyInputsThatWouldBeOverwritten(_ kernels: inout [Kernel]) {
    let inPlace = InPlace(kernels)
    var copies: [Kernel] = []
    var substitutes: [Location: Location] = [:]
    for node in graph.nodes {
      guard case .input(let index) = node.op, graph.outputs.indices.contains(index),
        !inPlace.isHarmless(index)
      else { continue }
      let shape = graph.inputs[index].type.shape
      let buffer = allocate(shape.frames != nil ? .rows(shape.count) : .elements(shape.count), .tile)
      let draft = KernelDraft(mapOver: shape)
      let strides = rowMajor(shape.fixed)
      draft.load(node.result, access(storage[node.result]!, strides: strides, inner: draft.space.inner))
      let copied = Storage(location: .buffer(buffer), isRows: shape.frames != nil)
      draft.store(node.result, access(copied, strides: strides, inner: draft.space.inner))
      copies.append(draft.kernel)
      substitutes[.input(index)] = .buffer(buffer)
    }
    guard !copies.isEmpty else { return }
    kernels = copies + kernels.map { $0.reading(substitutes) }
  }
}
