// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Layers, between which axes are put where ONNX wants them.
extension ONNXTranslation {
  /// One node of several in a row: the operation, what it reads beside what comes from the one before, and attributes.
  private struct Link {
    let type: String
    var others: [String] = []
    var attributes: [ONNXAttribute] = []
  }

  private mutating func emit(_ links: [Link], on x: String, as result: String) {
    var x = x
    for (index, link) in links.enumerated() {
      x = emit(
        link.type, [x] + link.others, link.attributes, as: index == links.count - 1 ? result : nil)
    }
  }

  private func transpose(_ order: [Int]) -> [Link] {
    order == Array(order.indices)
      ? [] : [Link(type: "Transpose", attributes: [ONNXAttribute("perm", order)])]
  }

  /// A matrix over an axis, which is the last one meanwhile.
  mutating func dense(_ node: Node, axis: Int, as result: String) {
    let axes = graph.shape(of: node.result).fixed.indices
    let order = axes.filter { $0 != axis } + [axis]
    let x = operand(node, 0)
    var links = transpose(order)
    links.append(Link(type: "MatMul", others: [transposed(node.operands[1])]))
    if node.operands.count > 2 { links.append(Link(type: "Add", others: [operand(node, 2)])) }
    emit(links + transpose(order.inverse), on: x, as: result)
  }

  /// A convolution along fixed axes. All axes in front of the channels, and those behind the ones that it walks along, are
  /// one axis of batches meanwhile.
  ///
  ///     x [2, 8, 100, 5]    channels 8, along 100
  ///       [2, 5, 8, 100]    Transpose
  ///       [10, 8, 100]      Reshape, Conv, Reshape, Transpose
  mutating func convolution(_ node: Node, _ convolution: Convolution, as result: String) {
    guard case .fixed(let first) = convolution.axis else {
      preconditionFailure("a convolution along frames is of streams")
    }
    let (own, made) = (graph.shape(of: node.operands[0]).fixed, graph.shape(of: node.result).fixed)
    let walked = first - 1..<first + convolution.walks.count
    let batch = own.indices.filter { !walked.contains($0) }
    let order = batch + walked
    let count = batch.reduce(1) { $0 * own[$1] }
    let walks = convolution.walks
    let attributes = [
      ONNXAttribute("dilations", walks.map(\.dilation)), ONNXAttribute("group", convolution.groups),
      ONNXAttribute("kernel_shape", walks.map(\.kernelSize)), ONNXAttribute("strides", walks.map(\.stride)),
    ]

    let x = operand(node, 0)
    var links = transpose(order)
    if batch.count != 1 { links.append(reshape([count] + own[walked])) }
    var others = [operand(node, 1)]
    if node.operands.count > 2 { others.append(operand(node, 2)) }
    links.append(Link(type: "Conv", others: others, attributes: attributes))
    if batch.count != 1 { links.append(reshape(order.map { made[$0] })) }
    emit(links + transpose(order.inverse), on: x, as: result)
  }

  private mutating func reshape(_ extents: [Int]) -> Link {
    Link(type: "Reshape", others: [integers(extents)])
  }
}

extension [Int] {
  /// The order that undoes this one.
  fileprivate var inverse: [Int] {
    indices.sorted { self[$0] < self[$1] }
  }
}
