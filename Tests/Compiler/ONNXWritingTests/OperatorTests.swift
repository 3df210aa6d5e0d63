// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Testing

/// The nodes of ONNX for each op. That they mean the same is tried in ONNX Runtime, by `Tests/ONNX/export.py`.
@Suite struct OperatorTests {
  /// An expression of the ports below, and the nodes that it becomes.
  private static let rows: [(expression: String, types: String)] = [
    ("-x", "Neg"), ("abs(x)", "Abs"), ("sqrt(x)", "Sqrt"), ("exp(x)", "Exp"), ("log(x)", "Log"),
    ("sin(x)", "Sin"), ("cos(x)", "Cos"), ("tan(x)", "Tan"), ("tanh(x)", "Tanh"), ("sigmoid(x)", "Sigmoid"),
    ("erf(x)", "Erf"), ("floor(x)", "Floor"), ("ceil(x)", "Ceil"), ("round(x)", "Round"), ("sign(x)", "Sign"),
    ("truncate(x)", "Abs Floor Sign Mul"),
    ("x + m", "Add"), ("x - m", "Sub"), ("x * m", "Mul"), ("x / m", "Div"), ("x % m", "Div Floor Mul Sub"),
    ("min(x, m)", "Min"), ("max(x, m)", "Max"), ("pow(x, m)", "Pow"), ("fma(x, m, 2)", "Mul Add"),
    ("x < m", "Less Cast"), ("x <= m", "LessOrEqual Cast"), ("x > m", "Greater Cast"),
    ("x >= m", "GreaterOrEqual Cast"), ("x == m", "Equal Cast"), ("x != m", "Equal Not Cast"),
    ("atan2(x, 2)", "Div Atan"),
    ("atan2(x, m)", "Reciprocal Add Less Where Equal Where Div Atan Reciprocal Add Less Where Add Where"),
    // Of a comparison that only chooses no number is made.
    ("select(x < m, x, 1)", "Less Where"), ("select(x != m, x, 1)", "Equal Not Where"),
    ("select(x, m, 1)", "Cast Where"),
    ("slice(x, axis: 1, start: 1, count: 2)", "Slice"), ("concatenate([x, 2 * x, x], axis: 1)", "Mul Concat"),
    ("reshape(x, [6, 4])", "Reshape"), ("transpose(x, [2, 0, 1])", "Transpose"),
    ("pad(x, axis: 1, before: 1)", "Pad"), ("broadcast(m, [2, 4])", "Expand"),
    ("windows(x, axis: 2, size: 2, hop: 2)", "Gather"),
    // A place that stands in the model is no arithmetic.
    ("gather(x, 1.5, axis: 2)", "Gather"), (#"gather(m, "bias")"#, "Gather"),
    ("gather(x, m)", "IsNaN Where Floor Clip Cast Gather"),
    ("sum(x, axis: 1)", "ReduceSum"), ("sum(x, axis: 2, ways: 2)", "ReduceSum"),
    ("maximum(x, axis: 0)", "ReduceMax"),
    (#"dense(x, "w")"#, "MatMul"), (#"dense(x, "w", "bias")"#, "MatMul Add"),
    (#"dense(x, "v", axis: 1)"#, "Transpose MatMul Transpose"),
    // Who is read otherwise, too, is transposed by a node.
    (#"dense(x, "w") * sum("w")"#, "MatMul ReduceSum ReduceSum Mul Transpose"),
    (#"dense(x, -"w")"#, "Neg Transpose MatMul"),
    (#"contraction(x, "w")"#, "MatMul"), ("contraction(x, x)", "Transpose MatMul"),
    (#"conv1d(x, "k", axis: 2, padding: "valid")"#, "Conv"),
    (#"conv1d(reshape(x, [6, 4]), "k6", axis: 1, padding: "valid")"#, "Reshape Reshape Conv Reshape"),
    (
      #"conv1d(x, "k2", axis: 1, padding: "valid")"#,
      "Transpose Conv Transpose"
    ),
    (#"conv2d(x, "square", "bias")"#, "Reshape Conv Reshape"),
    (#"conv3d(reshape(x, [1, 2, 3, 4]), "cube")"#, "Reshape Reshape Conv Reshape"),
    ("delay(x, 1)", "Gather Unsqueeze"), ("delay(x, 3)", "Gather Unsqueeze Slice Concat"),
    ("p * m", "Mul"),
  ]

  private static let ports = """
    input x [2, 3, 4]
    input m [4]
    parameter p [] = 0.5 minimum 0 maximum 1 ramp 0 scale linear
    weights "w" [5, 4] = [\(numbers(20))]
    weights "v" [5, 3] = [\(numbers(15))]
    weights "bias" [5] = [\(numbers(5))]
    weights "k" [5, 3, 2] = [\(numbers(30))]
    weights "k2" [5, 2, 3] = [\(numbers(30))]
    weights "k6" [1, 6, 2] = [\(numbers(12))]
    weights "square" [5, 2, 2, 2] = [\(numbers(40))]
    weights "cube" [1, 1, 2, 2, 2] = [\(numbers(8))]

    """

  private static func numbers(_ count: Int) -> String { (1...count).map(String.init).joined(separator: ", ") }

  private static func lines(_ expression: String) -> String { ports + "y = \(expression)\noutput y = y" }

  @Test(arguments: rows.indices) func types(row: Int) throws {
    let (expression, types) = Self.rows[row]
    let contents = try ONNXContents(of: Self.lines(expression))
    #expect(Set(contents.types.split(separator: " ")) == Set(types.split(separator: " ")), "\(expression)")
    #expect(contents.nodes.count == types.split(separator: " ").count, "\(expression): \(contents.types)")
  }

  @Test func everyOpIsThere() throws {
    var names: Set<String> = []
    for row in Self.rows {
      let graph = try Graph(parsing: "graph \"test\" step 48000\n" + Self.lines(row.expression))
      names.formUnion(graph.nodes.map(\.op.shortName))
    }
    let elementwise =
      UnaryOp.allCases.map(\.rawValue) + BinaryOp.allCases.map(\.rawValue) + ["select", "fma"]
    let movements = [
      "slice", "concatenate", "reshape", "transpose", "pad", "broadcast", "gather", "windows", "delay",
    ]
    let others = ["sum", "maximum", "dense", "contraction", "conv1d", "conv2d", "conv3d"]
    #expect(names == Set(elementwise + movements + others + ["input", "parameter", "literal", "weights"]))
  }

  @Test func attributes() throws {
    func last(_ expression: String) throws -> String {
      let contents = try ONNXContents(of: Self.lines(expression))
      let node = try #require(contents.nodes.last)
      let numbers = node.inputs.dropFirst().compactMap { contents.tensor($0) }.filter { $0.element == 7 }
      let words = node.attributes + numbers.map { "\($0.extents): \($0.numbers.map { Int($0) })" }
      return words.joined(separator: "; ")
    }
    #expect(try last("slice(x, axis: 1, start: 1, count: 2)") == "[1]: [1]; [1]: [3]; [1]: [1]")
    #expect(try last("concatenate([x, x], axis: 2)") == "axis 2")
    #expect(try last("reshape(x, [6, 4])") == "[2]: [6, 4]")
    #expect(try last("reshape(slice(m, 0, 0), [])") == "[0]: []")
    #expect(try last("transpose(x, [2, 0, 1])") == "perm 2 0 1")
    #expect(try last("pad(x, axis: 1, before: 1, after: 2)") == "[6]: [0, 1, 0, 0, 2, 0]")
    #expect(try last("broadcast(m, [2, 4])") == "[2]: [2, 4]")
    #expect(
      try last("windows(x, axis: 2, size: 2, hop: 2, dilation: 1)") == "axis 2; [2, 2]: [0, 1, 2, 3]")
    #expect(try last("windows(x, axis: 1, size: 2, dilation: 2)") == "axis 1; [1, 2]: [0, 2]")
    #expect(try last("gather(x, -3, axis: 2)") == "axis 2; []: [0]")
    #expect(try last(#"gather(m, "bias")"#) == "axis 0; [5]: [1, 2, 3, 3, 3]")
    #expect(try last("sum(x, axis: 1)") == "keepdims 0; [1]: [1]")
    #expect(try last("maximum(x, axis: 1)") == "axes 1; keepdims 0")
    #expect(
      try last(#"conv1d(x, "k", axis: 2, stride: 2, padding: "valid")"#)
        == "dilations 1; group 1; kernel_shape 2; strides 2")
  }

  /// A matrix that is nothing but the right one of products stands in the file as MatMul wants it.
  @Test func transposedWeights() throws {
    let contents = try ONNXContents(
      of: """
        input x [3]
        weights "w" [2, 3] = [1, 2, 3, 4, 5, 6]
        y = dense(x, "w") + dense(2 * x, "w")
        output y = y
        """)
    let weights = contents.initializers.filter { $0.name == "w" }
    #expect(weights.map(\.extents) == [[3, 2]] && weights.map(\.numbers) == [[1, 4, 2, 5, 3, 6]])
  }
}
