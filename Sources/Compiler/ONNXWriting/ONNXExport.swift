// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import ProtobufWire

/// A graph of steps as an ONNX file: IR version 8, operators as of opset 17, weights included.
///
///     input x [4]; parameter gain = 2        inputs   x, gain with the initializer 2, y_in
///     y = gain * x + delay(y, 1)       ─▶    nodes    Mul, Gather, Add, Unsqueeze
///     output y                               outputs  y, y_out
///
/// The same graph makes the same bytes.
package struct ONNXExport: Sendable {
  package let bytes: [UInt8]
  /// Nodes of ONNX.
  package let nodes: Int
  /// Numbers of all weights.
  package let weights: Int
  package let states: [State]
  /// Steps of zeros that run before the model's own first one.
  package let prewarm: Int

  /// A state that the file leaves to its user: an output that is an input of the next step.
  package struct State: Sendable {
    package let input, output: String
    package let shape: [Int]
  }

  /// - Parameters:
  ///   - graph: One of steps.
  ///   - summary: What the model is.
  ///   - descriptions: What inputs are, by their names.
  ///   - carried: Inputs of the graph that are outputs of the step before.
  ///   - notes: What stands beside the graph for other programs, by names.
  ///   - types: The kinds of numbers of inputs and outputs, by their names and in NumPy's words. Others than floats of 32
  ///     bits are cast behind the input and in front of the output; of fewer than 8 bits they stay floats.
  package init(
    _ graph: Graph, summary: String = "", descriptions: [String: String] = [:],
    carrying carried: [(input: String, output: String)] = [], notes: [(key: String, value: String)] = [],
    types: (inputs: [String: String], outputs: [String: String]) = ([:], [:])
  ) {
    let elements = ONNXElements(
      inputs: types.inputs.compactMapValues { ONNXElement(word: $0) },
      outputs: types.outputs.compactMapValues { ONNXElement(word: $0) })
    // What begins with the first step does so by arithmetic, of which the file can say it.
    let translation = ONNXTranslation(graph.startingCold(), elements: elements)
    nodes = translation.nodes.count
    prewarm = graph.prewarm
    states =
      carried.map { pair in
        let input = graph.inputs.first { $0.name == pair.input }
        return State(input: pair.input, output: pair.output, shape: input?.type.shape.fixed ?? [])
      } + translation.states.map { State(input: $0.input, output: $0.output, shape: $0.shape) }
    weights = Self.weights(translation.initializers, translation.nodes)
    var writer = ProtobufWriter(capacity: 4 * weights + 256 * nodes)
    writer.integer(1, 8)
    writer.text(2, "Legato")
    let explanation = [summary, Self.explanation(states, prewarm: graph.prewarm)].filter { !$0.isEmpty }
    if !explanation.isEmpty { writer.text(6, explanation.joined(separator: "\n")) }
    writer.message(7) { $0.write(translation, graph, descriptions) }
    writer.message(8) { $0.integer(2, 17) }
    for property in Self.properties(states, prewarm: graph.prewarm) { writer.write(property, as: 14) }
    for parameter in graph.parameters {
      writer.write(ONNXProperty(key: "legato.parameter.\(parameter.name)", value: parameter.note), as: 14)
    }
    for note in notes { writer.write(ONNXProperty(key: note.key, value: note.value), as: 14) }
    bytes = writer.bytes
  }

  /// The numbers of weights, those in bodies of loops among them.
  private static func weights(_ initializers: [ONNXInitializer], _ nodes: [ONNXNode]) -> Int {
    let own = initializers.reduce(0) { count, initializer in
      switch initializer.content {
      case .numbers(let numbers), .transposed(let numbers, _): count + numbers.count
      case .number, .integers: count
      }
    }
    return nodes.flatMap(\.attributes).reduce(own) { count, attribute in
      guard case .body(let body) = attribute.value else { return count }
      return count + weights(body.initializers, body.nodes)
    }
  }

  /// The beginning of what is remembered, in words.
  package static func beginning(prewarm: Int) -> String {
    prewarm == 0
      ? "zeros into the first step"
      : "zeros into the first of \(counted(prewarm, "step")) of zeros that run before the model's own first one"
  }

  /// How what is remembered goes from step to step, in words.
  private static func explanation(_ states: [State], prewarm: Int) -> String {
    guard !states.isEmpty else { return "" }
    return
      "State: what goes out as NAME_out goes into the next step as NAME_in; \(beginning(prewarm: prewarm))."
  }

  /// The same for programs: `legato.state.h_in` is `h_out`.
  private static func properties(_ states: [State], prewarm: Int) -> [ONNXProperty] {
    states.map { ONNXProperty(key: "legato.state.\($0.input)", value: $0.output) }
      + (prewarm == 0 ? [] : [ONNXProperty(key: "legato.prewarm", value: String(prewarm))])
  }
}

extension ProtobufWriter {
  /// Writes the fields of a `GraphProto`.
  fileprivate mutating func write(
    _ translation: ONNXTranslation, _ graph: Graph, _ descriptions: [String: String]
  ) {
    for node in translation.nodes { write(node, as: 1) }
    text(2, graph.name.isEmpty ? "model" : graph.name)
    for parameter in graph.parameters {
      write(ONNXInitializer(name: parameter.name, extents: [], content: .number(parameter.initial)), as: 5)
    }
    for initializer in translation.initializers { write(initializer, as: 5) }
    for input in graph.inputs {
      write(
        ONNXPort(
          name: input.name, element: translation.elements.inputs[input.name] ?? .float32,
          extents: input.type.shape.fixed, summary: descriptions[input.name] ?? ""), as: 11)
    }
    for parameter in graph.parameters {
      write(ONNXPort(name: parameter.name, extents: [], summary: parameter.explanation), as: 11)
    }
    for state in translation.states {
      let beginning = ONNXExport.beginning(prewarm: graph.prewarm)
      let summary = "\(state.name) in the last steps, the oldest first; \(beginning)."
      write(ONNXPort(name: state.input, extents: state.shape, summary: summary), as: 11)
    }
    for output in translation.outputs { write(output, as: 12) }
    for state in translation.states {
      let summary = "What \(state.input) is in the next step."
      write(ONNXPort(name: state.output, extents: state.shape, summary: summary), as: 12)
    }
  }
}

extension ParameterDeclaration {
  /// "How loud it is. 0 to 2 dB."
  fileprivate var explanation: String {
    let range = "\(minimum) to \(maximum)" + (unit.isEmpty ? "" : " " + unit) + "."
    return summary.isEmpty ? range : summary + " " + range
  }

  /// The same for programs, as a model file says it; steps have no ramp.
  fileprivate var note: String {
    var fields = [
      ("default", written(initial)), ("minimum", written(minimum)), ("maximum", written(maximum)),
    ]
    if !unit.isEmpty { fields.append(("unit", unit.asJSON)) }
    fields += [("scale", scale.rawValue.asJSON), ("ramp", "0")]
    if !summary.isEmpty { fields.append(("description", summary.asJSON)) }
    return "{ " + fields.map { "\($0.0.asJSON): \($0.1)" }.joined(separator: ", ") + " }"
  }
}
