// SPDX-License-Identifier: Apache-2.0

import TerminalDrawing
import Testing

@Suite("Curves of dots")
struct DotCanvasTests {
  private func text(_ canvas: DotCanvas) -> [String] {
    (0..<canvas.rows).map { row in
      (0..<canvas.columns).map { DotCanvas.sign(canvas.dots(row: row, column: $0)) }.joined()
    }
  }

  @Test("the dots of a cell stand where Braille has them")
  func dots() {
    var canvas = DotCanvas(columns: 1, rows: 1)
    canvas.set(x: 0, y: 0)
    canvas.set(x: 1, y: 3)
    canvas.set(x: 2, y: 0)
    canvas.set(x: 0, y: -1)
    #expect(text(canvas) == ["⢁"])
  }

  @Test("values go from the top to the bottom, joined, and what is no number leaves a gap")
  func curve() {
    var ramp = DotCanvas(columns: 2, rows: 1)
    ramp.draw([1, 1 / 3, -1 / 3, -1])
    #expect(text(ramp) == ["⠙⢦"])
    var step = DotCanvas(columns: 2, rows: 1)
    step.draw([1, 1, -1, -1])
    #expect(text(step) == ["⠉⣇"])
    var dotted = DotCanvas(columns: 2, rows: 1)
    dotted.draw([1, 1, -1, -1], every: 2)
    #expect(text(dotted) == ["⠁⡀"])
    var gap = DotCanvas(columns: 2, rows: 1)
    gap.draw([9, .nan, .infinity, -9])
    #expect(text(gap) == ["⠁⢀"])
    var none = DotCanvas(columns: 0, rows: 0)
    none.draw([0])
    #expect(text(none).isEmpty)
  }
}
