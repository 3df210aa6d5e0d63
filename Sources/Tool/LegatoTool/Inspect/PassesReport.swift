// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

/// What the optimisations did to a model: `legato inspect --stage passes`.
struct PassesReport: Encodable {
  /// What a model costs; `flops` and `bytesMoved` for each frame, or each step.
  struct Figures: Encodable {
    let nodes, flops, bytesMoved, kernels, workspaceBytes, weightsBytes: Int
  }

  struct Rule: Encodable {
    let name: String
    let count: Int
  }

  struct Pass: Encodable {
    let name: String
    let rewrites: Int
    let before, after: Figures
    let rules: [Rule]
  }

  struct Note: Encodable {
    let severity, file, message: String
    let pass: String?
    let line, column: Int?
  }

  let model, clock, cpu: String
  let passes: [Pass]
  let notes: [Note]
  /// Notes as people read them.
  private let lines: [String]

  private enum CodingKeys: CodingKey { case model, clock, cpu, passes, notes }

  /// - Parameter settings: Where parameters stand that are not at their defaults.
  init(
    _ model: Model, _ compilation: Compilation, _ settings: [String: Float]
  ) throws(ModelError) {
    let journal = try compilation.passJournal()
    self.model = model.name
    clock = model.executesStream ? "stream" : "step"
    cpu = compilation.cpu
    passes = journal.rows.map { row in
      Pass(
        name: row.name, rewrites: row.rewrites, before: Figures(row.before), after: Figures(row.after),
        rules: row.rules.map { Rule(name: $0.name, count: $0.count) })
    }
    let notes = compilation.notes(settingParameters: settings)
    self.notes = notes.map { note in
      Note(
        severity: note.severity.rawValue, file: note.file, message: note.message, pass: note.pass,
        line: note.line, column: note.column)
    }
    lines = notes.map { note in "\(note)" + (note.pass.map { " (\($0))" } ?? "") }
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
    return [("rules", applied), ("notes", lines)].filter { !$0.1.isEmpty }
  }
}

extension PassesReport.Figures {
  init(_ figures: PassJournal.Figures) {
    nodes = figures.nodes
    flops = figures.flops
    bytesMoved = figures.bytesMoved
    kernels = figures.kernels
    workspaceBytes = figures.workspaceBytes
    weightsBytes = figures.weightsBytes
  }

  fileprivate var all: [Int] { [nodes, flops, bytesMoved, kernels, workspaceBytes, weightsBytes] }
}

extension PassesReport: CustomStringConvertible {
  /// The report as people read it: names at the left, figures at the right of their columns.
  var description: String {
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
