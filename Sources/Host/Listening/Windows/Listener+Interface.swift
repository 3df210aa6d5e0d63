// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

/// The roles of a model's inputs and outputs for a listener: states, and the classifier.
extension Listener {
  /// The states before the first window.
  static func states(
    _ pairs: [(input: String, output: String)], _ compilation: Compilation
  ) throws(RequestError) -> [String: Tensor] {
    let layout = compilation.layout
    var states: [String: Tensor] = [:]
    for pair in pairs {
      guard let input = layout.inputs.first(where: { $0.name == pair.input })?.shape,
        let output = layout.outputs.first(where: { $0.name == pair.output })?.shape, input == output
      else {
        throw RequestError(
          "the state \(quoted(pair.input)) cannot be what \(quoted(pair.output)) was: their shapes differ")
      }
      states[pair.input] = zeros(input)
    }
    return states
  }

  static func zeros(_ shape: [Int]) -> Tensor {
    // As many as the shape has.
    try! Tensor(shape: shape, values: Array(repeating: 0, count: shape.reduce(1, *)))
  }

  /// The inputs that are outputs of the window before, as somebody says it or their names do.
  static func pairs(
    of model: Model, _ named: [String: String]
  ) throws(RequestError) -> [(input: String, output: String)] {
    let inputs = model.inputs.map(\.name)
    for (input, output) in named.sorted(by: { $0.key < $1.key }) {
      guard inputs.contains(input) else { throw RequestError(no: "input", called: input, among: inputs) }
      guard model.outputs.contains(output) else {
        throw RequestError(no: "output", called: output, among: model.outputs)
      }
    }
    return model.carriedInputs(named)
  }

  /// The output that is a classifier, and its labels.
  static func classifier(
    _ model: Model, _ compilation: Compilation, _ options: Options, states: [String]
  ) throws(RequestError) -> (output: String, labels: [String]) {
    let outputs = model.outputs.filter { !states.contains($0) }
    if let asked = options.output, !outputs.contains(asked) {
      throw RequestError(no: "output", called: asked, among: outputs)
    }
    let labelled = outputs.first { model.labels(of: $0) != nil }
    guard let output = options.output ?? labelled ?? (outputs.count == 1 ? outputs[0] : nil) else {
      throw RequestError(
        "none of the outputs \(alternatives(outputs.map { quoted($0) }, "and")) has labels; \(RequestError.Name.labels) NAME=FILE says which is a classifier, and names them"
      )
    }
    guard let labels = options.labels ?? model.labels(of: output) else {
      throw RequestError(
        "the output \(quoted(output)) has no labels; \(RequestError.Name.labels) FILE names them, a line each, or \"labels\" in the model's file"
      )
    }
    if let twice = Dictionary(grouping: labels, by: \.self).filter({ $1.count > 1 }).keys.sorted().first {
      throw RequestError(
        "the output \(quoted(output)) has two labels \(quoted(twice)); what is heard is told apart by them")
    }
    let shape = compilation.layout.outputs.first { $0.name == output }?.shape ?? []
    guard shape.reduce(1, *) == labels.count else {
      throw RequestError(
        "the output \(quoted(output)) is \(shape), and there are \(counted(labels.count, "label")); a window has a number for each"
      )
    }
    return (output, labels)
  }
}

extension RequestError.Name {
  /// The labels of a classifier.
  static let labels = RequestError.Name(rawValue: "labels")
}
