// SPDX-License-Identifier: Apache-2.0

internal import TerminalDrawing

/// The signs that the view draws with: lines and dots of Unicode, or letters where a terminal has none of them.
package struct ViewSigns: Sendable {
  /// Whether there is nothing but ASCII.
  let isPlain: Bool

  package static let unicode = ViewSigns(isPlain: false)
  package static let plain = ViewSigns(isPlain: true)

  var cut: Character { isPlain ? "~" : "…" }
  var marker: String { isPlain ? ">" : "▶" }
  var between: String { isPlain ? ".." : "…" }
  var turned: String { isPlain ? "=" : "━" }
  var unturned: String { isPlain ? "-" : "─" }
  var handle: String { isPlain ? "|" : "┃" }
  var held: String { isPlain ? "|" : "│" }
  var keysUpDown: String { isPlain ? "j/k" : "↑↓" }
  var keysLeftRight: String { isPlain ? "h/l" : "←→" }

  /// A meter's bar, in eighths of a cell.
  func bar(_ share: Double, columns: Int) -> String {
    let eighths = Int((min(max(share, 0), 1) * Double(columns * 8)).rounded())
    guard !isPlain else { return String(repeating: "#", count: (eighths + 4) / 8) }
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }

  /// A text that a terminal of ASCII can show.
  func text(_ text: String) -> String {
    isPlain ? String(text.map { $0.isASCII ? $0 : "?" }) : text
  }
}
