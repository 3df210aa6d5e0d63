// SPDX-License-Identifier: Apache-2.0

/// A value of an ONNX graph, on its way into expressions.
struct ONNXValue: Sendable {
  enum Content: Sendable {
    case constant(ONNXConstant)
    /// A line of the graph, or an input, by its name.
    case named(String)
    /// An expression that is yet to become a line.
    case expression(String)
  }

  var element: ONNXElement
  var shape: [Int]
  var content: Content
  /// The row of the trace of integers in the body of a loop; nil for what is not followed.
  var trace: Int?
  /// Whether it is a position that was kept within its axis before: what is below 0 is not counted from the end.
  var isKept = false

  init(_ element: ONNXElement, _ shape: [Int], _ content: Content) {
    (self.element, self.shape, self.content) = (element, shape, content)
  }

  init(_ constant: ONNXConstant) {
    self.init(constant.element, constant.shape, .constant(constant))
  }

  /// A value that an expression says.
  static func expression(_ text: String, _ element: ONNXElement, _ shape: [Int]) -> ONNXValue {
    ONNXValue(element, shape, .expression(text))
  }

  var constant: ONNXConstant? {
    switch content {
    case .constant(let constant): constant
    case .named, .expression: nil
    }
  }

  var rank: Int { shape.count }
  var count: Int { shape.reduce(1, *) }
}
