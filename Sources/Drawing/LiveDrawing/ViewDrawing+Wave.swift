// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TerminalDrawing

/// One period of a sine, dotted, and what the program makes of it, as a line.
extension ViewDrawing {
  private static let mostColumns = 96

  mutating func drawWave(_ wave: ViewContents.Wave, rows: Int) {
    let columns = min(width - 3, Self.mostColumns)
    guard columns >= 8, rows >= 2 else { return }
    let loudest = (wave.input + wave.output).filter(\.isFinite).map(abs).max() ?? 0
    let scale = loudest > 1 ? 1 / loudest : 1
    var input = DotCanvas(columns: columns, rows: rows - 1)
    var output = DotCanvas(columns: columns, rows: rows - 1)
    input.draw(wave.input.map { $0 * scale }, every: 3)
    output.draw(wave.output.map { $0 * scale })
    var caption = "one period of \(String(format: "%.0f", wave.hertz)) Hz: dots in, line out"
    if scale < 1 { caption += ", peak \(ShownNumber.value(loudest))" }
    if !wave.isSettled { caption += ", not at rest" }
    put([(caption, .dim)])
    for line in 0..<(rows - 1) {
      for column in 0..<columns {
        draw(input.dots(row: line, column: column), output.dots(row: line, column: column), at: column + 2)
      }
      row += 1
    }
  }

  private mutating func draw(_ input: UInt8, _ output: UInt8, at column: Int) {
    guard input | output != 0 else { return }
    let text = signs.isPlain ? (output != 0 ? "*" : ".") : DotCanvas.sign(input | output)
    write(text, at: column, output != 0 ? .bold : .dim)
  }
}
