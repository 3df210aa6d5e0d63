// SPDX-License-Identifier: Apache-2.0

/// The bytes that make of one picture in a terminal another one.
///
///     before   load  12 %   xruns 0          after   load  13 %   xruns 0
///     bytes    ESC [ 5 ; 9 H  3
///
/// Cells that stay are not written, unless that takes fewer bytes than to jump over them. Each difference stands for
/// itself: it assumes nothing of where the cursor is, and leaves the style plain. Where a terminal may take another
/// number of columns for a character than we do, the cursor is put in its place again.
package struct ScreenDifference {
  private let former: Screen
  private let screen: Screen
  private var output = ""
  private var style = CellStyle.plain
  /// Nil where it is not known.
  private var cursor: (row: Int, column: Int)?

  /// - Parameter former: what the terminal shows; nil where that is not known, and it is wiped.
  package static func bytes(from former: Screen?, to screen: Screen) -> [UInt8] {
    let isUsable = former.map { $0.columns == screen.columns && $0.rows == screen.rows } ?? false
    let blank = Screen(columns: screen.columns, rows: screen.rows)
    var difference = ScreenDifference(former: isUsable ? former ?? blank : blank, screen: screen)
    if !isUsable { difference.output += "\u{1B}[m\u{1B}[2J" }
    for row in 0..<screen.rows { difference.write(row) }
    difference.select(.plain)
    return Array(difference.output.utf8)
  }

  private mutating func write(_ row: Int) {
    let end = endOfText(row)
    let wiped = (end..<screen.columns).count { changes(row, $0) }
    // To wipe the rest of a line takes three bytes.
    let last = wiped > 3 ? end : screen.columns
    for column in 0..<last where changes(row, column) {
      guard case .text = screen[row, column] else { continue }
      reach(row, column)
      put(row, column)
    }
    guard wiped > 3 else { return }
    reach(row, end)
    select(.plain)
    output += "\u{1B}[K"
  }

  /// Behind the last cell of a row that is not blank.
  private func endOfText(_ row: Int) -> Int {
    var end = screen.columns
    while end > 0, screen[row, end - 1] == .blank { end -= 1 }
    return end
  }

  /// Whether a cell has to be written; of a character of two columns, whether one of them has.
  private func changes(_ row: Int, _ column: Int) -> Bool {
    if screen[row, column] != former[row, column] { return true }
    let hasRest = column + 1 < screen.columns && screen[row, column + 1] == .rest
    return hasRest && former[row, column + 1] != .rest
  }

  private mutating func put(_ row: Int, _ column: Int) {
    guard case .text(let text, let wanted) = screen[row, column] else { return }
    select(wanted)
    output += text.text
    let next = column + text.columns
    // In the last column a terminal keeps its cursor where it is.
    cursor = text.isCertain && next < screen.columns ? (row, next) : nil
  }

  private mutating func select(_ wanted: CellStyle) {
    output += wanted.selection(after: style)
    style = wanted
  }

  /// Brings the cursor to a cell, by a jump or over cells that are written once more.
  private mutating func reach(_ row: Int, _ column: Int) {
    let jump = self.jump(to: row, column)
    defer { cursor = (row, column) }
    guard let cursor, cursor.row == row, cursor.column <= column else {
      output += jump
      return
    }
    var rewritten = self
    for between in cursor.column..<column {
      guard case .text(let text, _) = screen[row, between], text.isCertain,
        rewritten.output.utf8.count - output.utf8.count < jump.utf8.count
      else {
        output += jump
        return
      }
      rewritten.put(row, between)
    }
    if rewritten.output.utf8.count - output.utf8.count <= jump.utf8.count {
      self = rewritten
    } else {
      output += jump
    }
  }

  private func jump(to row: Int, _ column: Int) -> String {
    let absolute = column == 0 ? "\u{1B}[\(row + 1)H" : "\u{1B}[\(row + 1);\(column + 1)H"
    guard let cursor else { return absolute }
    if cursor.row == row {
      guard cursor.column < column else { return column == cursor.column ? "" : "\u{1B}[\(column + 1)G" }
      let way = column - cursor.column
      return way == 1 ? "\u{1B}[C" : "\u{1B}[\(way)C"
    }
    return column == 0 && row == cursor.row + 1 ? "\r\n" : absolute
  }
}
