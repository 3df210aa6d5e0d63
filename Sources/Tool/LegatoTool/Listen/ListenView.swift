// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import Listening
internal import TerminalDrawing

/// The view of `legato listen`, drawn of values: the label, and a bar for each of them.
struct ListenView {
  let model: String
  let source: String
  var found: Recognition?
  /// The last message.
  var message = ""

  func screen(columns: Int, rows: Int) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    let width = max(1, columns - 2)
    screen.write("\(printable(model))  \(printable(source))", row: 0, column: 1, .dim, limit: width)
    let label = found.map { $0.label ?? "no number" } ?? "…"
    screen.write(printable(label, limit: 256), row: 2, column: 1, .bold, limit: width)
    if let found {
      let time = String(format: "%.1f s", found.end)
      screen.write(time, row: 2, column: max(1, columns - 1 - time.count), .dim)
      bars(&screen, found, width)
    }
    screen.write(message, row: rows - 2, column: 1, CellStyle(color: .yellow), limit: width)
    screen.write("q ends it, r begins anew", row: rows - 1, column: 1, .dim, limit: width)
    return screen
  }

  /// In the order of the model, so that each stays where it is; where there are too many, the most probable.
  private func bars(_ screen: inout Screen, _ found: Recognition, _ width: Int) {
    let room = max(0, screen.rows - 7)
    func share(_ index: Int) -> Float {
      found.probabilities[index].isFinite ? min(1, max(0, found.probabilities[index])) : 0
    }
    let indices = found.labels.indices
    let shown =
      indices.count <= room ? Array(indices) : Array(indices.sorted { share($0) > share($1) }.prefix(room))
    let names = shown.map { printable(found.labels[$0], limit: 256) }
    let nameWidth = min(width / 3, names.map(\.columns).max() ?? 0)
    let barWidth = max(0, width - nameWidth - 7)
    for (row, index) in shown.enumerated() {
      screen.write(names[row], row: 4 + row, column: 1, limit: nameWidth)
      let filled = Int((share(index) * Float(barWidth)).rounded())
      let style = CellStyle(isBold: index == found.best, color: index == found.best ? .green : .none)
      screen.write(String(repeating: "█", count: filled), row: 4 + row, column: nameWidth + 2, style)
      let rest = String(repeating: "·", count: barWidth - filled)
      screen.write(rest, row: 4 + row, column: nameWidth + 2 + filled, .dim)
      let percent = String(format: "%3.0f %%", share(index) * 100)
      screen.write(percent, row: 4 + row, column: nameWidth + 2 + barWidth + 1)
    }
  }
}
