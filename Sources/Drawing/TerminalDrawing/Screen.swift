// SPDX-License-Identifier: Apache-2.0

/// The contents of a terminal: a grid of cells.
///
///     var screen = Screen(columns: 80, rows: 24)
///     screen.write("Bitcrusher", row: 0, column: 1, .bold)
///
/// What does not fit is cut; a character of two columns is never seen by half.
package struct Screen: Hashable, Sendable {
  package enum Cell: Hashable, Sendable {
    case text(CellText, CellStyle)
    /// The right half of the character in the cell before.
    case rest

    static let blank = Cell.text(.blank, .plain)
  }

  package let columns: Int
  package let rows: Int
  private var cells: [Cell]

  /// More cells than any terminal shows are not kept.
  package static let mostColumns = 1000
  package static let mostRows = 500

  package init(columns: Int, rows: Int) {
    self.columns = min(max(1, columns), Self.mostColumns)
    self.rows = min(max(1, rows), Self.mostRows)
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  package subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

  /// Writes a text from a cell on to the right, and returns the column behind it.
  ///
  /// - Parameter limit: the most columns; a text that is longer ends with `…`, or with `~` where signs are plain.
  @discardableResult
  package mutating func write(
    _ text: String, row: Int, column: Int, _ style: CellStyle = .plain, limit: Int = .max,
    cut: Character = "…"
  ) -> Int {
    guard (0..<rows).contains(row), column < columns, column >= 0, limit > 0 else { return column }
    let room = min(limit, columns - column)
    var characters = text.map { CellText($0) }
    if characters.reduce(0, { $0 + $1.columns }) > room {
      var used = 0
      characters = Array(
        characters.prefix { character in
          used += character.columns
          return used < room
        })
      characters.append(CellText(cut))
    }
    var next = column
    for character in characters {
      put(character, row, next, style)
      next += character.columns
    }
    return next
  }

  /// Puts a character into a cell; what it covers by half goes.
  private mutating func put(_ text: CellText, _ row: Int, _ column: Int, _ style: CellStyle) {
    let first = row * columns + column
    for index in first..<(first + text.columns) { uncover(index, row) }
    cells[first] = .text(text, style)
    if text.columns == 2 { cells[first + 1] = .rest }
  }

  private mutating func uncover(_ index: Int, _ row: Int) {
    if cells[index] == .rest { cells[index - 1] = .blank }
    if index + 1 < (row + 1) * columns, cells[index + 1] == .rest { cells[index + 1] = .blank }
    cells[index] = .blank
  }

  /// The same in the terminal's own colours.
  package var withoutColor: Screen {
    var screen = self
    for index in cells.indices {
      guard case .text(let text, let style) = cells[index] else { continue }
      screen.cells[index] = .text(text, style.withoutColor)
    }
    return screen
  }

  /// The rows as text, without styles; for tests and for people.
  package var text: String {
    (0..<rows).map { row in
      var line = ""
      for column in 0..<columns {
        if case .text(let text, _) = self[row, column] { line += text.text }
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
