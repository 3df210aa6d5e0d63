// SPDX-License-Identifier: Apache-2.0

internal import LiveHost
internal import TerminalDrawing

/// Parameters, a row each: name, position, value and unit, range, controller.
extension ViewDrawing {
  /// Draws as many parameters as there are rows, with the one that is selected among them.
  mutating func drawRows(_ count: Int) {
    let first = Self.firstShown(of: contents.rows.count, rows: count, selected: contents.selected)
    let shown = contents.rows[first..<(first + count)]
    let columns = RowColumns(Array(contents.rows), width: width, signs)
    for (index, each) in shown.enumerated() {
      draw(each, isSelected: first + index == contents.selected, columns)
      // More stand above or below.
      let hidesAbove = index == 0 && first > 0
      let hidesBelow = index == count - 1 && first + count < contents.rows.count
      if hidesAbove || hidesBelow { write(signs.between, at: width - signs.between.count, .dim) }
      row += 1
    }
  }

  /// The first parameter that is shown, where not all can be.
  static func firstShown(of count: Int, rows: Int, selected: Int) -> Int {
    min(max(0, selected - rows / 2), max(0, count - rows))
  }

  private mutating func draw(_ shown: ViewContents.Row, isSelected: Bool, _ columns: RowColumns) {
    let knob = shown.knob
    if isSelected { write(signs.marker, at: 0, .bold) }
    write(knob.name, at: 2, isSelected ? .bold : .plain, limit: columns.name)
    if columns.bar > 0 { drawBar(knob.way(to: shown.value), at: columns.barStart, columns.bar, isSelected) }
    let value = ShownNumber.value(shown.value)
    let start = columns.valueStart + max(0, columns.value - value.columns)
    let end = write(value, at: start, isSelected ? .bold : .plain)
    write(knob.unit, at: end + 1)
    if columns.range > 0 { write(RowColumns.range(knob, signs), at: columns.rangeStart, .dim) }
    if columns.range > 0 { write(shown.controller, at: columns.rangeStart + columns.range + 2, .dim) }
  }

  private mutating func drawBar(_ way: Double, at start: Int, _ columns: Int, _ isSelected: Bool) {
    let handle = Int((way * Double(columns - 1)).rounded())
    let style: CellStyle = isSelected ? .bold : .plain
    write(String(repeating: signs.turned, count: handle), at: start, style)
    write(signs.handle, at: start + handle, style)
    write(String(repeating: signs.unturned, count: columns - 1 - handle), at: start + handle + 1, .dim)
  }
}

/// The columns of the parts of a parameter's row; parts for which there is no room have none.
struct RowColumns {
  private(set) var name: Int
  private(set) var bar = 0
  let value: Int
  private(set) var range = 0
  private(set) var barStart = 0
  private(set) var valueStart = 0
  private(set) var rangeStart = 0

  private static let mostName = 24
  private static let leastBar = 8
  private static let mostBar = 48

  init(_ rows: [ViewContents.Row], width: Int, _ signs: ViewSigns) {
    func most(_ text: (Knob) -> String) -> Int { rows.map { text($0.knob).columns }.max() ?? 0 }
    value = max(
      7, most { ShownNumber.value($0.range.lowerBound) }, most { ShownNumber.value($0.range.upperBound) })
    let unit = min(most(\.unit), 10)
    let ranges = most { Self.range($0, signs) }
    let controllers = rows.map(\.controller.columns).max() ?? 0
    name = min(most(\.name), Self.mostName, max(4, width - 2 - value - 2))
    var left = width - 2 - name - 1 - value - 1 - unit
    if left >= Self.leastBar + 1 + ranges + 2 + controllers + 3 {
      range = ranges
      left -= ranges + 2 + controllers + 3
    }
    if left > Self.leastBar { bar = min(left - 1, Self.mostBar) }
    barStart = 2 + name + 1
    valueStart = barStart + (bar > 0 ? bar + 1 : 0)
    rangeStart = valueStart + value + 1 + unit + 2
  }

  static func range(_ knob: Knob, _ signs: ViewSigns) -> String {
    ShownNumber.value(knob.range.lowerBound) + signs.between + ShownNumber.value(knob.range.upperBound)
  }
}
