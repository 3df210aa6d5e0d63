// SPDX-License-Identifier: Apache-2.0

internal import TerminalDrawing

/// A terminal that takes bytes as real ones do, as far as they are ever sent; anything else is kept as a complaint.
///
/// It knows nothing of `Screen`: cells hold a text and the numbers of the style in force.
package struct ModelTerminal {
  package struct Cell: Hashable {
    package var text = " "
    package var style: Set<Int> = []
  }

  package let columns: Int
  package let rows: Int
  package private(set) var cells: [[Cell]]
  package private(set) var complaints: [String] = []
  private var row = 0
  private var column = 0
  /// Whether the last column was written, so that where the cursor is depends on the terminal.
  private var isBehindLast = false
  private var style: Set<Int> = []
  package private(set) var modes: Set<Int> = []

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    // Cells that nobody has wiped.
    cells = Array(repeating: Array(repeating: Cell(text: "#"), count: columns), count: rows)
    // A terminal breaks long lines, and shows its cursor, until it is told otherwise.
    modes = [7, 25]
  }

  package var stylesArePlain: Bool { style.isEmpty }

  package mutating func feed(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return complaints.append("not UTF-8") }
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\u{1B}": takeSequence(&scalars)
      case "\r": (column, isBehindLast) = (0, false)
      case "\n": goDown()
      case _ where scalar.value < 0x20: complaints.append("control \(scalar.value)")
      case _ where scalar.properties.generalCategory == .nonspacingMark: addMark(scalar)
      case _: put(scalar)
      }
    }
  }

  private mutating func goDown() {
    guard row + 1 == rows else {
      row += 1
      return
    }
    cells.removeFirst()
    cells.append(Array(repeating: Cell(), count: columns))
  }

  private mutating func addMark(_ scalar: Unicode.Scalar) {
    guard column > 0 || isBehindLast else { return complaints.append("a mark without a letter") }
    var before = isBehindLast ? columns - 1 : column - 1
    if cells[row][before].text.isEmpty { before -= 1 }
    cells[row][before].text.unicodeScalars.append(scalar)
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    if isBehindLast {
      guard modes.contains(7) else { return complaints.append("\(scalar) behind the last column") }
      (column, isBehindLast) = (0, false)
      goDown()
    }
    let width = String(scalar).columns
    guard column + width <= columns else { return complaints.append("\(scalar) does not fit") }
    for covered in column..<(column + width) {
      if cells[row][covered].text.isEmpty { cells[row][covered - 1] = Cell() }
      if covered + 1 < columns, cells[row][covered + 1].text.isEmpty { cells[row][covered + 1] = Cell() }
    }
    cells[row][column] = Cell(text: String(scalar), style: style)
    // The right half has no text.
    if width == 2 { cells[row][column + 1] = Cell(text: "", style: style) }
    column += width
    if column == columns { (column, isBehindLast) = (columns - 1, true) }
  }

  private mutating func takeSequence(_ scalars: inout ArraySlice<Unicode.Scalar>) {
    guard scalars.popFirst() == "[" else { return complaints.append("no CSI") }
    var parameters = ""
    while let scalar = scalars.popFirst() {
      // Another one begins, and ends this one.
      if scalar == "\u{1B}" { return takeSequence(&scalars) }
      guard (0x40...0x7E).contains(scalar.value) else {
        parameters.unicodeScalars.append(scalar)
        continue
      }
      return take(Character(scalar), parameters)
    }
    complaints.append("a sequence without end")
  }

  private mutating func take(_ final: Character, _ parameters: String) {
    let isPrivate = parameters.hasPrefix("?")
    let numbers = parameters.drop { $0 == "?" }.split(separator: ";").compactMap { Int($0) }
    switch (final, isPrivate) {
    case ("h", true): modes.formUnion(numbers)
    case ("l", true): modes.subtract(numbers)
    case ("H", false):
      row = (numbers.first ?? 1) - 1
      column = (numbers.count > 1 ? numbers[1] : 1) - 1
      isBehindLast = false
      if row >= rows || column >= columns { complaints.append("a place outside: \(row), \(column)") }
    case ("G", false): (column, isBehindLast) = ((numbers.first ?? 1) - 1, false)
    case ("C", false):
      if isBehindLast { complaints.append("a step from behind the last column") }
      column += numbers.first ?? 1
      if column >= columns { complaints.append("a step to the outside") }
    case ("K", false):
      if !style.isEmpty { complaints.append("a line wiped in a style") }
      if cells[row][column].text.isEmpty { cells[row][column - 1] = Cell() }
      for rest in column..<columns { cells[row][rest] = Cell() }
    case ("J", false):
      if numbers != [2] || !style.isEmpty { complaints.append("wiped by half, or in a style") }
      cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
    case ("m", false): select(numbers)
    case _: complaints.append("ESC [ \(parameters) \(final)")
    }
  }

  private mutating func select(_ numbers: [Int]) {
    for number in numbers.isEmpty ? [0] : numbers {
      switch number {
      case 0: style = []
      case 1, 2, 7: style.insert(number)
      case 27: style.remove(7)
      case 30...37: style = style.filter { $0 < 30 }.union([number])
      case 39: style = style.filter { $0 < 30 }
      case _: complaints.append("style \(number)")
      }
    }
  }

  package var text: String {
    cells.map { line in
      var text = line.map(\.text).joined()
      while text.last == " " { text.removeLast() }
      return text + "\n"
    }.joined()
  }
}
