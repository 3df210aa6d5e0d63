// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import StepRunning

extension Console {
  func text(_ interface: StepInterface, path: String) -> String {
    func rows(_ ports: [StepInterface.Port]) -> String {
      Self.table(
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
      sections.append(heading("axes") + "\n" + Self.table(rows))
    }
    let words = interface.inputs.map { " --input \($0.name)=FILE" }.joined()
    sections.append(heading("run it") + "\n  legato run \(path)\(words)")
    return sections.joined(separator: "\n\n") + "\n"
  }
}
