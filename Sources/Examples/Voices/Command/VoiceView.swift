// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import TerminalDrawing

/// A view on a terminal, drawn of values.
package enum VoiceView {
  /// Where a meter begins, in decibels of full scale.
  private static let quiet = -60.0

  /// A countdown and a meter.
  package static func recording(
    secondsLeft: Int, of seconds: Double, level: Speech, columns: Int, rows: Int
  ) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    screen.write("Recording: \(secondsLeft) s left", row: 0, column: 1, .bold)
    bar(&screen, row: 2, share: 1 - Double(secondsLeft) / max(seconds, 1), CellStyle(color: .green))
    meter(&screen, row: 4, level)
    screen.write("Control-C ends it; nothing is kept then", row: rows - 1, column: 1, .dim)
    return screen
  }

  /// How many recordings the encoder has been through.
  package static func embedding(done: Int, of count: Int, columns: Int, rows: Int) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    screen.write("Listening to recordings: \(done) of \(count)", row: 0, column: 1, .bold)
    bar(&screen, row: 2, share: Double(done) / Double(max(1, count)), CellStyle(color: .green))
    screen.write("Control-C ends it; what was trained before stays", row: rows - 1, column: 1, .dim)
    return screen
  }

  /// The loss, batch by batch.
  package static func training(
    epoch: Int, of epochs: Int, losses: [Float], columns: Int, rows: Int
  ) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    let loss = losses.last.map { String(format: "%.4f", $0) } ?? ""
    screen.write("Training: epoch \(epoch) of \(epochs), loss \(loss)", row: 0, column: 1, .bold)
    let (width, height) = (max(1, columns - 2), max(1, rows - 3))
    var canvas = DotCanvas(columns: width, rows: height)
    let most = max(losses.max() ?? 1, 1e-6)
    for (index, loss) in losses.enumerated() {
      let x = index * (canvas.width - 1) / max(1, losses.count - 1)
      canvas.set(x: x, y: Int((1 - loss / most) * Float(canvas.height - 1)))
    }
    for row in 0..<height {
      let text = (0..<width).map { DotCanvas.sign(canvas.dots(row: row, column: $0)) }.joined()
      screen.write(text, row: row + 2, column: 1)
    }
    return screen
  }

  /// A bar for each person, and the meter.
  package static func identification(
    _ answer: Identifier.Answer?, threshold: Double, level: Speech, columns: Int, rows: Int
  ) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    let isSilent = level.decibels <= Speech.silence
    let name = answer.map { $0.name(threshold: threshold) ?? "nobody I know" }
    screen.write(isSilent ? "…" : name ?? "…", row: 0, column: 1, .bold)
    meter(&screen, row: 2, level)
    let people = (answer?.probabilities ?? []).sorted { $0.share > $1.share }.prefix(max(0, (rows - 6) / 2))
    for (index, person) in people.enumerated() {
      let row = 4 + 2 * index
      screen.write("\(person.name)  \(Int((100 * person.share).rounded())) %", row: row, column: 1)
      let style = CellStyle(color: person.share >= threshold ? .green : .none)
      bar(&screen, row: row + 1, share: person.share, style)
    }
    screen.write("Control-C ends it", row: rows - 1, column: 1, .dim)
    return screen
  }

  /// A flaw of a level; nil where nothing is.
  package static func remark(_ level: Speech) -> String? {
    if level.clipped > 0 { return "too loud: turn the level down" }
    return level.decibels <= Speech.silence ? "silence" : nil
  }

  private static func meter(_ screen: inout Screen, row: Int, _ level: Speech) {
    let remark = remark(level)
    let style = CellStyle(color: level.clipped > 0 ? .red : .green)
    bar(&screen, row: row, share: (level.decibels - quiet) / -quiet, style)
    let text = "\(Speech.figure(level.decibels)) dBFS\(remark.map { "  \($0)" } ?? "")"
    screen.write(text, row: row + 1, column: 1, .dim)
  }

  private static func bar(_ screen: inout Screen, row: Int, share: Double, _ style: CellStyle) {
    let width = max(0, screen.columns - 2)
    let filled = Int((min(1, max(0, share)) * Double(width)).rounded())
    screen.write(String(repeating: "█", count: filled), row: row, column: 1, style)
    screen.write(String(repeating: "·", count: width - filled), row: row, column: 1 + filled, .dim)
  }
}
