// SPDX-License-Identifier: Apache-2.0

internal import LiveHost
package import TerminalDrawing

/// The drawing of the view: values go in, a screen comes out.
package struct ViewDrawing {
  let contents: ViewContents
  let signs: ViewSigns
  var screen: Screen
  /// The row that is written next.
  var row = 0

  package static func screen(_ contents: ViewContents, columns: Int, rows: Int, _ signs: ViewSigns) -> Screen
  {
    var drawing = ViewDrawing(
      contents: contents, signs: signs, screen: Screen(columns: columns, rows: rows))
    drawing.draw()
    return drawing.screen
  }

  var width: Int { screen.columns }

  private mutating func draw() {
    let status = statusLines
    let layout = ViewLayout(
      height: screen.rows, knobs: contents.rows.count,
      presets: !contents.presets.isEmpty || contents.isBypassed != nil,
      meters: contents.inputs.count + contents.outputs.count, status: status.count,
      message: !bottomMessage.isEmpty, wave: contents.wave != nil && !contents.showsHelp)
    if layout.title > 0 { drawTitle() }
    if contents.showsHelp, screen.rows > 4 {
      drawHelp(rows: screen.rows - layout.title - layout.status - layout.message - layout.keys - 1)
    } else {
      drawParts(layout)
    }
    row = screen.rows - layout.status - layout.message - layout.keys
    for line in status.prefix(layout.status) { put(line) }
    if layout.message > 0 { put([(bottomMessage, .bold)]) }
    if layout.keys > 0 { put(keyLine) }
  }

  private mutating func drawParts(_ layout: ViewLayout) {
    func gap(_ count: Int) -> Int { layout.isSpaced && count > 0 ? 1 : 0 }
    if layout.rows > 0 {
      row += gap(layout.rows)
      drawRows(layout.rows)
    }
    if layout.presets > 0 {
      row += gap(layout.presets)
      put(presetLine)
    }
    if layout.meters > 0 {
      row += gap(layout.meters)
      drawMeters(layout.meters)
    }
    if layout.wave > 0, let wave = contents.wave { drawWave(wave, rows: layout.wave) }
  }

  private mutating func drawTitle() {
    let style = CellStyle(isBold: true, isReversed: true)
    screen.write(String(repeating: " ", count: width), row: row, column: 0, style)
    let end = write(" " + contents.name, at: 0, style)
    let device = signs.text(contents.device)
    let start = width - device.columns - 1
    if start > end + 2 { write(device, at: start, .reversed) }
    row += 1
  }

  /// Writes pieces of a line from the left, and goes on to the next row.
  mutating func put(_ pieces: [(text: String, style: CellStyle)]) {
    var column = 1
    for piece in pieces { column = write(piece.text, at: column, piece.style) }
    row += 1
  }

  @discardableResult
  mutating func write(_ text: String, at column: Int, _ style: CellStyle = .plain, limit: Int = .max) -> Int {
    screen.write(signs.text(text), row: row, column: column, style, limit: limit, cut: signs.cut)
  }

  private var presetLine: [(text: String, style: CellStyle)] {
    var pieces: [(text: String, style: CellStyle)] = []
    if let isBypassed = contents.isBypassed {
      pieces.append((isBypassed ? "BYPASSED" : "bypass off", isBypassed ? .reversed : .dim))
      pieces.append(("   ", .plain))
    }
    guard !contents.presets.isEmpty else { return pieces }
    pieces.append(("presets", .dim))
    for (index, name) in contents.presets.enumerated() {
      let isChosen = contents.preset == index
      let text = (index < 9 ? "\(index + 1) " : "") + name
      pieces.append(("  ", .plain))
      pieces.append((isChosen ? "[\(text)]" : text, isChosen ? .bold : .plain))
    }
    return pieces
  }

  /// The text that is being typed, or else the message.
  private var bottomMessage: String {
    if let name = contents.nameEntry { return "save as preset: \(name)_" }
    guard let entry = contents.entry, contents.rows.indices.contains(contents.selected) else {
      return contents.message
    }
    return "\(contents.rows[contents.selected].knob.name) = \(entry)_"
  }
}
