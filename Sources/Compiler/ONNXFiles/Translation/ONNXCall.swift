// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A node with the values that go into it: what the function that translates its op gets to see.
struct ONNXCall {
  let node: ONNXNode
  /// Nil where one is left out.
  var operands: [ONNXValue?]
  /// The version of the set of ops that the node is of.
  let opset: Int
  let attributes: ONNXAttributes
  let writer: ONNXWriter
  let source: ONNXSource
  /// Whether integers that a program would have rounded are refused: not in the body of a loop along an axis, where they
  /// are followed, and not of outputs, which are floats.
  var checksIntegers: Bool

  // MARK: Operands

  func has(_ index: Int) -> Bool { operands.indices.contains(index) && operands[index] != nil }

  func optional(_ index: Int) -> ONNXValue? { has(index) ? operands[index] : nil }

  /// An operand that the op needs.
  func operand(_ index: Int) throws(ONNXError) -> ONNXValue {
    guard let value = optional(index) else { throw ONNXError("input \(index + 1) is missing") }
    return value
  }

  /// An operand that has to be known while the model is translated.
  func constant(_ index: Int, _ what: String) throws(ONNXError) -> ONNXConstant {
    guard let constant = try operand(index).constant else {
      throw ONNXError(
        "\(what) is computed when the model runs; it must be a constant", unknown: [node.inputs[index]])
    }
    return constant
  }

  /// The integers of an operand that has to be known; nil where it is left out.
  func integers(_ index: Int, _ what: String) throws(ONNXError) -> [Int]? {
    guard has(index) else { return nil }
    let constant = try constant(index, what)
    guard constant.count <= 4096 else { throw ONNXError("\(what) has \(constant.count) numbers") }
    return constant.integers.map { Int($0) }
  }

  /// Integers that older sets of ops have as an attribute and later ones as an operand.
  func integers(_ name: String, orOperand index: Int) throws(ONNXError) -> [Int]? {
    try has(index) ? integers(index, "'\(name)'") : attributes.integers(name)
  }

  // MARK: Results

  /// The name that the file has for a result.
  var wish: String {
    node.outputs.first { !$0.isEmpty } ?? (node.name.isEmpty ? node.op : node.name)
  }

  /// Whether somebody asks for a result.
  func wants(_ index: Int) -> Bool { node.outputs.indices.contains(index) && !node.outputs[index].isEmpty }

  /// Refuses a result that is not computed.
  func refuse(_ index: Int, _ what: String) throws(ONNXError) {
    guard !wants(index) else { throw ONNXError("the output of \(what) is not known") }
  }

  /// A line of its own, for what is used more than once.
  func line(_ suffix: String, _ value: ONNXValue) throws(ONNXError) -> ONNXValue {
    guard case .expression(let text) = value.content else { return value }
    let name = try writer.define("\(wish)_\(suffix)", text, value.shape)
    return ONNXValue(value.element, value.shape, .named(name))
  }

  /// Numbers that the translation makes, once there is room for them.
  func array(
    _ suffix: String, _ shape: [Int], _ numbers: @autoclosure () -> [Double]
  ) throws(ONNXError) -> ONNXValue {
    try source.take(try shape.numbers(of: "an array"))
    return ONNXValue(ONNXConstant(.float, shape, .doubles(numbers()), name: "\(wish).\(suffix)"))
  }

  /// The numbers 0, 1, 2 … along an axis, where others are broadcast.
  func positions(_ count: Int, axis: Int, rank: Int) throws(ONNXError) -> ONNXValue {
    var shape = Array(repeating: 1, count: rank)
    shape[axis] = count
    return try array("positions", shape, (0..<count).map(Double.init))
  }

  // MARK: Text

  /// A value as expressions say it: a name, a number, or an array of weights.
  func text(_ value: ONNXValue) throws(ONNXError) -> String {
    switch value.content {
    case .named(let name): return name
    case .expression(let text): return "(\(text))"
    case .constant(let constant):
      if constant.shape.isEmpty, let number = try single(constant) { return Self.text(number) }
      return try array(constant)
    }
  }

  /// The only number of a constant, as a program has it; nil where there are more, or none.
  func single(_ constant: ONNXConstant) throws(ONNXError) -> Double? {
    try checkIntegers(of: constant)
    return constant.single
  }

  /// Refuses integers that a program would have rounded. The largest of their kind, which stand for no bound, may be.
  private func checkIntegers(of constant: ONNXConstant) throws(ONNXError) {
    guard case .integers(let numbers) = constant.content, constant.element.kind == .integer, checksIntegers
    else {
      return
    }
    let largest = [Int64(Int32.max), Int64(UInt32.max), .max]
    guard let number = numbers.first(where: { Int64(exactly: Float($0)) != $0 && !largest.contains($0) })
    else {
      return
    }
    let what = constant.name.map { "the constant \(quoted($0))" } ?? "a constant"
    throw ONNXError(
      "\(what) holds \(number), which no float of 32 bits does; such integers are known where all is constant",
      unknown: node.inputs)
  }

  /// A constant as an array, also where it is a single number.
  private func array(_ constant: ONNXConstant) throws(ONNXError) -> String {
    try checkIntegers(of: constant)
    guard constant.count > 0 else {
      throw ONNXError("an input has no numbers: its shape is \(constant.shape)")
    }
    let floats = constant.floats
    guard floats.firstNonFinite != nil else { return writer.keep(constant, "\(wish).constant") }
    // Arrays are finite: the infinite numbers are made of their signs.
    guard !floats.contains(where: \.isNaN) else {
      throw ONNXError("a constant holds what is not a number, which no array can")
    }
    let name = constant.name ?? "\(wish).constant"
    func part(_ suffix: String, _ number: (Float) -> Float) -> String {
      let numbers = Numbers(floats.map(number))
      return writer.keep(ONNXConstant(.float, constant.shape, .floats(numbers), name: name + suffix), name)
    }
    let signs = part(".infinite") { $0.isInfinite ? ($0 < 0 ? -1 : 1) : 0 }
    return "select(\(signs) == 0, \(part(".finite") { $0.isInfinite ? 0 : $0 }), \(signs) * reciprocal(0))"
  }

  /// A number as expressions say it; an infinite one as a quotient.
  static func text(_ number: Double) -> String {
    let float = Float(number)
    if float.isNaN { return "(0 * reciprocal(0))" }
    if float.isInfinite { return float < 0 ? "(-reciprocal(0))" : "reciprocal(0)" }
    return float == 0 && float.sign == .minus ? "-0" : written(float)
  }
}

extension String {
  /// An expression without the brackets around it, where commas bound it.
  var unbracketed: String {
    guard hasPrefix("("), hasSuffix(")") else { return self }
    var depth = 0
    for (index, character) in zip(indices, self) {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if depth == 0 { return index == self.index(before: endIndex) ? String(dropFirst().dropLast()) : self }
    }
    return self
  }
}
