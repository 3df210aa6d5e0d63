// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The report of what the optimisations did to a model, for people and as data.
package struct PassesReport: Encodable {
  let model, clock, cpu: String
  let passes: [PassJournal.Row]
  let notes: [CompilationNote]

  /// - Parameter settings: Where parameters stand that are not at their defaults.
  package init(
    _ model: Model, _ compilation: Compilation, _ settings: [String: Float]
  ) throws(ModelError) {
    self.model = model.name
    clock = model.executesStream ? "stream" : "step"
    cpu = compilation.cpu
    passes = try compilation.passJournal().rows
    notes = compilation.notes(settingParameters: settings)
  }

  /// One row a pass, each figure as `before → after` where it changed.
  private var table: [[String]] {
    let unit = clock == "stream" ? "frame" : "step"
    let titles = [
      "pass", "rewrites", "nodes", "FLOPs/\(unit)", "bytes/\(unit)", "kernels", "workspace", "weights",
    ]
    return [titles]
      + passes.map { pass in
        let figures = zip(pass.before.all, pass.after.all).map { $0 == $1 ? "\($1)" : "\($0) → \($1)" }
        return [pass.name, "\(pass.rewrites)"] + figures
      }
  }

  private var sections: [(title: String, lines: [String])] {
    let applied = passes.flatMap { pass in
      pass.rules.map { "\(pass.name): \($0.name), \(counted($0.count, "time"))" }
    }
    let told = notes.map { note in "\(note)" + (note.pass.map { " (\($0))" } ?? "") }
    return [("rules", applied), ("notes", told)].filter { !$0.1.isEmpty }
  }
}

extension PassJournal.Figures {
  fileprivate var all: [Int] { [nodes, flops, bytesMoved, kernels, workspaceBytes, weightsBytes] }
}

extension PassesReport: CustomStringConvertible {
  /// The report as people read it: names at the left, figures at the right of their columns.
  package var description: String {
    let rows = table
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      let cells = zip(row, widths).enumerated().map { column, cell in
        let gap = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + gap : gap + cell.0
      }
      return cells.joined(separator: "  ") + "\n"
    }
    let rest = sections.map { "\n\($0.title)\n" + $0.lines.map { "  " + $0 + "\n" }.joined() }
    return "\(printable(model)) on \(cpu)\n\n" + lines.joined() + rest.joined()
  }
}
