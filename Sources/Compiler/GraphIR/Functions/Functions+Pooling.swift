// SPDX-License-Identifier: Apache-2.0

/// Pooling over the last fixed axes, as PyTorch has it: windows of each axis, one after the other.
///
///     maxPool(x [8, 28, 28], size: 2)      [8, 14, 14]
extension Function {
  static let pooling: [Function] = [
    Function(
      name: "maxPool", group: .reductions, slots: pool,
      meaning:
        "the largest numbers of windows over as many of the last fixed axes as size has numbers; stride: without one, the "
        + "size; not-a-numbers are passed over"
    ) { (graph, call) throws(TypingError) in
      try graph.pool(call) { .maximum(axis: $0) }
    },
    Function(
      name: "averagePool", group: .reductions, slots: pool,
      meaning:
        "the means of windows over as many of the last fixed axes as size has numbers; stride: without one, the size"
    ) { (graph, call) throws(TypingError) in
      let sums = try graph.pool(call) { .sum(axis: $0) }
      let count = call.integers("size").reduce(1.0) { $0 * Double($1) }
      return try graph.apply(.binary(.multiply), sums, graph.literal(Float(1 / count)))
    },
  ]

  private static let pool: [Slot] = [
    .value("x"), .integers("size"), .integers("stride", .absent), .integers("dilation", .absent),
  ]
}

extension GraphAssembler {
  fileprivate mutating func pool(_ call: Call, _ reduction: (Int) -> Op) throws(TypingError) -> ValueID {
    var x = call.value("x")
    let size = call.integers("size")
    guard let shape = shape(of: x) else { return forward(nil) }
    guard !size.isEmpty, size.count <= shape.fixed.count else {
      throw TypingError("size has \(size.count) numbers; \(shape) has \(shape.fixed.count) fixed axes")
    }
    func numbers(_ name: String, _ standard: [Int]) throws(TypingError) -> [Int] {
      let numbers = call.optionalIntegers(name) ?? standard
      guard numbers.count == 1 || numbers.count == size.count else {
        throw TypingError("\(name) takes one number, or as many as size; these are \(numbers)")
      }
      return numbers.count == size.count ? numbers : Array(repeating: numbers[0], count: size.count)
    }
    let (hops, dilations) = (try numbers("stride", size), try numbers("dilation", [1]))
    let first = shape.fixed.count - size.count
    for index in size.indices {
      let window = Window(
        axis: first + index, size: size[index], hop: hops[index], dilation: dilations[index])
      x = try apply(reduction(first + index + 1), try apply(.window(window), x))
    }
    return x
  }
}
