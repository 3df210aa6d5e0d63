// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import StepRunning

extension TopLabels {
  /// A table of the outputs that have labels, and a notice for one whose numbers are no probabilities.
  func text(_ results: [String: Tensor], _ outputs: [String], path: String, _ console: Console) -> String {
    var lines: [[String]] = []
    for name in outputs {
      guard let tensor = results[name], let rows = rows(of: tensor, name) else { continue }
      if !tensor.values.allSatisfy({ (0...1).contains($0) }) {
        console.notice(
          "\(path): the numbers of \(quoted(name)) are no probabilities, which lie from 0 to 1; a softmax makes them"
        )
      }
      for (row, labels) in rows.enumerated() {
        let place = rows.count > 1 ? " \(Self.position(ofRow: row, in: tensor))" : ""
        for (rank, label) in labels.enumerated() {
          let value = label.value.map(shortest) ?? "not finite"
          lines.append([rank == 0 ? printable(name) + place : "", printable(label.label, limit: 256), value])
        }
      }
    }
    return Console.table(lines) + "\n"
  }
}
