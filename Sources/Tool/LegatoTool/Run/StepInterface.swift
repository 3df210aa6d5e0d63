// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

/// What goes into a step, what comes out, and what is remembered.
struct StepInterface: Encodable {
  struct Port: Encodable {
    let name: String
    /// Nil where it is not known before all axes are.
    let shape: [ModelReport.Axis]?
    let description: String?
  }

  let model: String
  let inputs, outputs: [Port]
  /// Nil where it is not known before all axes are.
  let state: [Port]?
  /// Named axes that nothing says the length of.
  let open: [String]

  /// - Parameter compilation: nil where an axis is open.
  init(_ model: Model, _ compilation: Compilation?, open: [String]) {
    func numbers(_ shape: [Int]) -> [ModelReport.Axis] { shape.map(ModelReport.Axis.number) }
    self.model = model.name
    self.open = open
    inputs = model.inputs.map { input in
      Port(
        name: input.name, shape: input.shape.map(ModelReport.Axis.init),
        description: input.summary.isEmpty ? nil : input.summary)
    }
    outputs =
      compilation?.layout.outputs.map { Port(name: $0.name, shape: numbers($0.shape), description: nil) }
      ?? model.outputs.map { Port(name: $0, shape: nil, description: nil) }
    state = compilation?.states.map { Port(name: $0.name, shape: numbers($0.shape), description: nil) }
  }
}

extension Console {
  func text(_ interface: StepInterface, path: String) -> String {
    func rows(_ ports: [StepInterface.Port]) -> String {
      table(
        ports.map { port in
          let axes = port.shape?.map(\.description).joined(separator: ", ")
          return [
            printable(port.name), axes.map { "[\($0)]" } ?? "",
            printable(port.description ?? "", limit: 1000),
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
      let rows = interface.open.map { [$0, "as long as in the arrays that are given, or --bind \($0)=N"] }
      sections.append(heading("axes") + "\n" + table(rows))
    }
    let words = interface.inputs.map { " --input \($0.name)=FILE" }.joined()
    sections.append(heading("run it") + "\n  legato run \(path)\(words)")
    return sections.joined(separator: "\n\n") + "\n"
  }
}
