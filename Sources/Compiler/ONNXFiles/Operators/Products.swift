// SPDX-License-Identifier: Apache-2.0

extension ONNXOperator {
  /// Products of matrices.
  static let products: [String: ONNXOperator] = [
    "MatMul": .init(single: { call throws(ONNXError) in
      try call.product(try call.operand(0), try call.operand(1))
    }),
    "FusedMatMul": .init(
      single: { call throws(ONNXError) in
        for name in ["transBatchA", "transBatchB"] where try call.attributes.flag(name) {
          throw ONNXError("the attribute '\(name)' is not known")
        }
        let x = try call.turned(try call.operand(0), if: "transA")
        let product = try call.product(x, try call.turned(try call.operand(1), if: "transB"))
        return try call.scaled(product, by: try call.attributes.float("alpha", 1))
      }),
    "Gemm": .init(single: gemm),
    "Einsum": .init(single: einsum),
    "Det": .init(single: { _ throws(ONNXError) in throw ONNXError("determinants are not known") }),
  ]

  private static func gemm(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let attributes = call.attributes
    let x = try call.turned(try call.operand(0), if: "transA")
    let weight = try call.operand(1)
    guard x.rank == 2, weight.rank == 2 else {
      throw ONNXError("it takes matrices, not \(x.shape) and \(weight.shape)")
    }
    let (alpha, beta) = (try attributes.float("alpha", 1), try attributes.float("beta", 1))
    // [out, in] is what a dense layer has.
    let isTurned = try attributes.flag("transB")
    let (inner, count) = isTurned ? (weight.shape[1], weight.shape[0]) : (weight.shape[0], weight.shape[1])
    guard x.shape[1] == inner else { throw ONNXError("\(x.shape) and \(weight.shape) do not go together") }
    let (shape, isDense) = ([x.shape[0], count], weight.constant != nil)
    func product(_ bias: ONNXValue? = nil) throws(ONNXError) -> ONNXValue {
      guard isTurned, isDense else {
        return try call.product(x, try call.turned(weight, if: "transB"), bias: bias)
      }
      return try call.dense(x, weight, bias: bias, shape)
    }
    guard let c = call.optional(2) else { return try call.scaled(try product(), by: alpha) }
    guard c.shape.stretched(with: shape) == shape else {
      throw ONNXError("\(c.shape) does not stretch to \(shape)")
    }
    // A row that is added is a bias.
    if alpha == 1, beta == 1, c.count == shape[1], isDense, c.shape.last == shape[1] {
      return try product(try call.reshape(c, [shape[1]]))
    }
    let scaled = try call.scaled(try product(), by: alpha)
    return try ONNXElementwise.all["Add"]!.apply([scaled, try call.scaled(c, by: beta)], call)
  }
}

extension ONNXCall {
  /// A matrix, transposed where an attribute says so.
  func turned(_ x: ONNXValue, if attribute: String) throws(ONNXError) -> ONNXValue {
    guard try attributes.flag(attribute) else { return x }
    guard x.rank >= 2 else { throw ONNXError("\(x.shape) is no matrix") }
    return try transpose(x, Array(0..<x.rank - 2) + [x.rank - 1, x.rank - 2])
  }

  func scaled(_ x: ONNXValue, by factor: Double) throws(ONNXError) -> ONNXValue {
    if factor == 1 { return x }
    guard x.element.kind == .floating || factor == factor.rounded() else {
      throw ONNXError("a product of integers by \(factor) is not known")
    }
    let constant = ONNXValue(ONNXConstant(x.element, [], .doubles([factor])))
    return try ONNXElementwise.all["Mul"]!.apply([x, constant], self)
  }

  /// The product of matrices, or of stacks of them, as NumPy's matmul means it; a constant matrix is a dense layer.
  func product(_ x: ONNXValue, _ y: ONNXValue, bias: ONNXValue? = nil) throws(ONNXError) -> ONNXValue {
    guard x.rank >= 1, y.rank >= 1 else { throw ONNXError("it takes matrices, not single numbers") }
    let inner = y.rank == 1 ? y.shape[0] : y.shape[y.rank - 2]
    let (left, right) = (Array(x.shape.dropLast(2)), Array(y.shape.dropLast(2)))
    guard x.shape.last == inner, let batch = left.stretched(with: right) else {
      throw ONNXError("\(x.shape) times \(y.shape) do not go together")
    }
    let shape =
      (x.rank == 1 && y.rank > 2 ? right : y.rank == 1 ? left : batch)
      + (x.rank == 1 ? [] : [x.shape[x.rank - 2]]) + (y.rank == 1 ? [] : [y.shape[y.rank - 1]])
    try Self.check(shape)
    if y.rank == 2, y.constant != nil { return try dense(x, try transpose(y, [1, 0]), bias: bias, shape) }
    return .expression("matmul(\(try text(x).unbracketed), \(try text(y).unbracketed))", x.element, shape)
  }

  /// A weight [out, in] over the last axis.
  func dense(_ x: ONNXValue, _ weight: ONNXValue, bias: ONNXValue?, _ shape: [Int]) throws(ONNXError)
    -> ONNXValue
  {
    let offset = try bias.map { value throws(ONNXError) in ", bias: \(try text(value).unbracketed)" } ?? ""
    return .expression(
      "dense(\(try text(x).unbracketed), weight: \(try text(weight))\(offset))", x.element, shape)
  }
}
