// SPDX-License-Identifier: Apache-2.0

/// Texts in columns.
extension Console {
  /// Two columns, the first as wide as its longest entry, the second as wide as the page.
  package static func rows(_ rows: [(String, String)]) -> String {
    let room = pageWidth - 4 - (rows.map(\.0.count).max() ?? 0)
    return table(
      rows.flatMap { name, meaning in
        lines(of: meaning, width: room).enumerated().map { [$0 == 0 ? name : "", $1] }
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
  package static func table(_ rows: [[String]]) -> String {
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
