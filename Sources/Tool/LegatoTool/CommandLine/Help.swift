// SPDX-License-Identifier: Apache-2.0

extension Console {
  /// The text of `legato --help`.
  var help: String {
    let examples = "models/bitcrusher.json models/audio/pluck-and-drums.wav crushed.wav"
    return """
      Legato turns model files into native code, and runs sound through it.

      \(heading("usage"))
      \(rows(Subcommand.all.map { ("legato \($0.usage)", $0.summary) }))

      \(heading("everywhere"))
      \(rows((Subcommand.commonOptions + [.version]).map { ($0.listing, $0.meaning) }))

      \(heading("example"))
        legato process \(examples)

      MODEL is the path of a file, or a name that `legato models` lists: `legato process filter in.wav out.wav`.

      `legato help process`, or `legato process --help`, tells more of process, and so on. Exit codes: 0 done,
      1 failed, 2 wrong usage, 3 a device is absent or lost, 4 a verification failed or a check found something, 128 + n
      ended by signal n.

      """
  }

  /// The text of `legato SUBCOMMAND --help`.
  func help(of subcommand: Subcommand) -> String {
    let options = subcommand.options + Subcommand.commonOptions
    return """
      \(subcommand.summary)

      \(heading("usage"))
      \(subcommand.usages.map { "  legato " + $0 }.joined(separator: "\n"))

      \(subcommand.explanation)

      \(heading("options"))
      \(rows(options.map { ($0.listing, $0.meaning) }))

      \(heading("example"))
        \(subcommand.example)

      """
  }

  /// Two columns, the first as wide as its longest entry, the second as wide as the page.
  func rows(_ rows: [(String, String)]) -> String {
    let room = Self.pageWidth - 4 - (rows.map(\.0.count).max() ?? 0)
    return table(
      rows.flatMap { name, meaning in
        Self.lines(of: meaning, width: room).enumerated().map { [$0 == 0 ? name : "", $1] }
      })
  }

  private static let pageWidth = 120

  /// A text in lines that are no longer, as long as no word is.
  private static func lines(of text: String, width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      if lines[lines.count - 1].isEmpty {
        lines[lines.count - 1] = String(word)
      } else if lines[lines.count - 1].count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// Columns, each as wide as its longest entry, indented by two.
  func table(_ rows: [[String]]) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { $0.dropFirst(column).first?.count ?? 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      var line = "  " + cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
