// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato

/// The inputs, outputs and states of a step.
struct StepInterface: Encodable {
  struct Port: Encodable {
    let name: String
    /// Nil where it is not known before all axes are.
    let shape: [ModelReport.Axis]?
    /// The kind of its numbers, such as float32.
    let type: String
    /// The file's own name; nil where it is the same.
    let original: String?
    /// How a picture becomes its numbers; nil where it takes none.
    let image: String?
    /// How many labels there are for the numbers along its last axis; nil where there are none.
    let labels: Int?
    let description: String?

    init(
      _ name: String, _ shape: [ModelReport.Axis]?, type: String = "float32", original: String? = nil,
      image: String? = nil, labels: Int? = nil, description: String? = nil
    ) {
      (self.name, self.shape, self.image, self.labels) = (name, shape, image, labels)
      (self.type, self.description) = (type, description)
      self.original = original == name ? nil : original
    }
  }

  let model: String
  let inputs, outputs: [Port]
  /// Nil where it is not known before all axes are.
  let state: [Port]?
  /// Named axes that nothing says the length of.
  let open: [String]

  /// - Parameters:
  ///   - compilation: nil where an axis is open.
  ///   - forms: how pictures become the numbers of inputs.
  init(_ model: Model, _ compilation: Compilation?, _ forms: [String: ImageForm], open: [String]) {
    func numbers(_ shape: [Int]) -> [ModelReport.Axis] { shape.map(ModelReport.Axis.number) }
    self.model = model.name
    self.open = open
    inputs = model.inputs.map { input in
      Port(
        input.name, input.shape.map(ModelReport.Axis.init), type: input.type, original: input.original,
        image: forms[input.name]?.description,
        description: input.summary.isEmpty ? nil : input.summary)
    }
    outputs = model.outputs.enumerated().map { row, name in
      Port(
        name, (compilation?.layout.outputs[row].shape).map(numbers), type: model.type(ofOutput: name),
        original: model.original(ofOutput: name), labels: model.labels(of: name)?.count)
    }
    state = compilation?.states.map { Port($0.name, numbers($0.shape)) }
  }
}

extension Console {
  func text(_ interface: StepInterface, path: String) -> String {
    func rows(_ ports: [StepInterface.Port]) -> String {
      table(
        ports.map { port in
          let axes = port.shape?.map(\.description).joined(separator: ", ")
          let facts = [
            port.original.map { "\(quoted($0)) in the file" },
            port.image.map { "an image, \($0)" }, port.labels.map { counted($0, "label") },
            port.description.map { printable($0, limit: 1000) },
          ].compactMap { $0 }
          return [
            printable(port.name), axes.map { "[\($0)]" } ?? "", port.type, facts.joined(separator: "; "),
          ]
        })
    }
    var sections = [heading(printable(interface.model))]
    sections.append(heading("inputs") + "\n" + rows(interface.inputs))
    sections.append(heading("outputs") + "\n" + rows(interface.outputs))
    if let state = interface.state, !state.isEmpty {
      sections.append(heading("state, steps in front") + "\n" + rows(state))
    }
    if !interface.open.isEmpty {
      let rows = interface.open.map { printable($0) }.map {
        [$0, "as long as in the arrays that are given, or --bind \($0)=N"]
      }
      sections.append(heading("axes") + "\n" + table(rows))
    }
    let words = interface.inputs.map { " --input \($0.name)=FILE" }.joined()
    sections.append(heading("run it") + "\n  legato run \(path)\(words)")
    return sections.joined(separator: "\n\n") + "\n"
  }
}
