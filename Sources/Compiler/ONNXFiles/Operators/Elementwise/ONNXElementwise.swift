// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// An op that makes each number of one number of each operand, which are stretched to one shape.
///
///     Add    x + y    as expressions say it; of constants, as numbers and as integers
struct ONNXElementwise: Sendable {
  enum Result: Sendable {
    /// The kind of numbers of the first operand.
    case first
    /// The same, where integers of few bits begin again behind their largest.
    case wrapped
    /// The same, of what may fall below 0.
    case lowered
    case truth
  }

  let operands: Int
  let result: Result
  let text: @Sendable ([String]) -> String
  let number: @Sendable ([Double]) -> Double
  /// Nil where integers go as numbers; the result is nil where it does not fit.
  let integer: (@Sendable ([Int64]) -> Int64?)?
  /// The expression for integers, where it is another one.
  let integerText: (@Sendable ([String]) -> String)?

  init(
    _ operands: Int, _ result: Result, _ text: @escaping @Sendable ([String]) -> String,
    _ number: @escaping @Sendable ([Double]) -> Double, integer: (@Sendable ([Int64]) -> Int64?)? = nil,
    integerText: (@Sendable ([String]) -> String)? = nil
  ) {
    (self.operands, self.result, self.text, self.number) = (operands, result, text, number)
    (self.integer, self.integerText) = (integer, integerText)
  }

  init(
    _ operands: Int, _ text: @escaping @Sendable ([String]) -> String,
    _ number: @escaping @Sendable ([Double]) -> Double, integer: (@Sendable ([Int64]) -> Int64?)? = nil,
    integerText: (@Sendable ([String]) -> String)? = nil
  ) {
    self.init(operands, .first, text, number, integer: integer, integerText: integerText)
  }

  /// Numbers of constants that are computed while translating; more are left to the compiler.
  private static let mostNumbers = 1 << 16

  @Sendable func translate(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    guard call.operands.count == operands else {
      throw ONNXError("it takes \(counted(operands, "input")), and has \(call.operands.count)")
    }
    var values: [ONNXValue] = []
    for index in 0..<operands { values.append(try call.operand(index)) }
    return try apply(values, call)
  }

  /// The result for some values.
  func apply(_ values: [ONNXValue], _ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    var shape = values[0].shape
    for value in values.dropFirst() {
      guard let both = shape.stretched(with: value.shape) else {
        throw ONNXError("the shapes \(shape) and \(value.shape) do not go together")
      }
      shape = both
    }
    let element: ONNXElement
    switch result {
    case .first, .wrapped, .lowered: element = values[0].element
    case .truth: element = .bool
    }
    let constants = values.compactMap(\.constant)
    if constants.count == values.count, let count = shape.numbers,
      count <= Self.mostNumbers || values.allSatisfy({ $0.element.kind == .integer })
    {
      try call.source.take(count)
      return ONNXValue(try evaluate(constants, element, shape))
    }
    try ONNXCall.check(shape)
    let isInteger = values[0].element.kind == .integer
    var text = (isInteger ? integerText ?? self.text : self.text)(try texts(values, shape, call))
    if isInteger, result == .wrapped || result == .lowered { text = try wrapped(text, values[0].element) }
    return .expression(text, element, shape)
  }

  /// The operands as expressions say them: a constant of one number goes as that, where the others have the shape.
  private func texts(_ values: [ONNXValue], _ shape: [Int], _ call: ONNXCall) throws(ONNXError) -> [String] {
    var others: [Int]? = []
    for value in values where value.constant?.single == nil { others = others?.stretched(with: value.shape) }
    return try values.map { value throws(ONNXError) in
      if others == shape, let constant = value.constant, let number = try call.single(constant) {
        return ONNXCall.text(number)
      }
      return try call.text(value)
    }
  }

  private func wrapped(_ text: String, _ element: ONNXElement) throws(ONNXError) -> String {
    guard let range = element.smallRange else {
      guard !element.isUnsigned else {
        throw ONNXError(
          "arithmetic of unsigned integers of 32 and 64 bits, which begin again below 0, is not known")
      }
      return text
    }
    let count = range.count
    return range.lowerBound == 0
      ? "(\(text)) % \(count)" : "(\(text) + \(count / 2)) % \(count) - \(count / 2)"
  }

  private func evaluate(
    _ constants: [ONNXConstant], _ element: ONNXElement, _ shape: [Int]
  ) throws(ONNXError) -> ONNXConstant {
    let positions = constants.map { StridedPositions(shape, $0.shape.stridesStretched(to: shape)).all }
    let count = positions[0].count
    if let integer, constants.allSatisfy({ $0.element.kind != .floating }) {
      let operands = constants.map(\.integers)
      return ONNXConstant(
        element, shape,
        .integers(
          try (0..<count).map { row throws(ONNXError) in
            let numbers = operands.indices.map { operands[$0][positions[$0][row]] }
            guard let result = integer(numbers) else {
              throw ONNXError("there is no integer for \(numbers.map(String.init).joined(separator: ", "))")
            }
            return element.wrapping(result)
          }))
    }
    let operands = constants.map(\.doubles)
    let numbers = (0..<count).map { row in number(operands.indices.map { operands[$0][positions[$0][row]] }) }
    return ONNXConstant(element, shape, computed: numbers)
  }
}

extension ClosedRange<Int> {
  /// The number of the range that is a whole number of its lengths away.
  func wrapping(_ number: Int) -> Int {
    let rest = (number &- lowerBound) % count
    return lowerBound + (rest < 0 ? rest + count : rest)
  }
}
