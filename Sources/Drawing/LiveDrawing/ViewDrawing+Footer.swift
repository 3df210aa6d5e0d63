// SPDX-License-Identifier: Apache-2.0

internal import TerminalDrawing

/// The footer, and the page that explains the keys.
extension ViewDrawing {
  /// The state of the device, in as many lines as that takes.
  var statusLines: [[(text: String, style: CellStyle)]] {
    let status = contents.status
    let isLate = status.worstLoad >= 1
    var items: [(text: String, style: CellStyle)] = [
      (
        "load \(ShownNumber.percent(status.load)) (worst \(ShownNumber.percent(status.worstLoad)))"
          + (isLate ? " LATE" : ""), isLate ? CellStyle(isBold: true, color: .red) : .plain
      ),
      ("xruns \(status.xruns)", status.xruns > 0 ? CellStyle(isBold: true, color: .red) : .plain),
    ]
    if status.framesLost > 0 { items.append(("lost \(status.framesLost)", .bold)) }
    items.append(("fill \(status.fill)" + (status.leastFill.map { " (least \($0))" } ?? ""), .plain))
    let drifts = [status.captureDrift, status.playbackDrift].compactMap { $0 }.map(ShownNumber.drift)
    if !drifts.isEmpty { items.append(("drift \(drifts.joined(separator: " ")) ppm", .plain)) }
    items.append(("latency \(ShownNumber.milliseconds(status.latency))", .plain))
    return flowed(items)
  }

  /// Items in lines, set apart by blanks; at most three lines.
  private func flowed(
    _ items: [(text: String, style: CellStyle)]
  ) -> [[(text: String, style: CellStyle)]] {
    var lines: [[(text: String, style: CellStyle)]] = [[]]
    var used = 1
    for item in items {
      let isFirst = lines[lines.count - 1].isEmpty
      let needed = item.text.columns + (isFirst ? 0 : 3)
      if !isFirst, used + needed > width, lines.count < 3 {
        lines.append([item])
        used = 1 + item.text.columns
        continue
      }
      if !isFirst { lines[lines.count - 1].append(("   ", .plain)) }
      lines[lines.count - 1].append(item)
      used += needed
    }
    return lines
  }

  /// The keys that matter most: as many as fit, and the last two always.
  var keyLine: [(text: String, style: CellStyle)] {
    let isTyping = contents.entry != nil || contents.nameEntry != nil
    let keys =
      isTyping
      ? [("Enter", contents.entry != nil ? "set" : "save"), ("Esc", "leave as it is")]
      : [
        (signs.keysUpDown, "select"), (signs.keysLeftRight, "turn"), ("Enter", "type a value"),
        ("p", "preset"), ("s", "save"), ("b", "bypass"), ("L", "learn"),
      ]
    let last = isTyping ? [] : [("?", "help"), ("q", "quit")]
    func columns(_ keys: [(String, String)]) -> Int {
      keys.reduce(0) { $0 + $1.0.columns + 1 + $1.1.columns + 3 }
    }
    var shown: [(String, String)] = []
    for key in keys where 1 + columns(shown) + columns([key]) + columns(last) <= width + 2 {
      shown.append(key)
    }
    return (shown + last).enumerated().flatMap { index, key in
      [((index > 0 ? "   " : "") + key.0, .bold), (" " + key.1, .dim)] as [(String, CellStyle)]
    }
  }

  private var help: [(keys: String, meaning: String)] {
    [
      ("\(signs.keysUpDown)  j k", "select a parameter"),
      ("\(signs.keysLeftRight)  h l", "turn it; with shift or , . finely, with page keys coarsely"),
      ("Home End", "turn it to an end of its range"),
      ("Enter =", "type a value with its unit, such as 440Hz or -6dB, and Enter"),
      ("0 Backspace", "its default"),
      ("p P  1-9", "next preset, the one before, or one by its number"),
      ("s", "save what is turned as a preset in the model's file"),
      ("b  m", "bypass; select the mix"),
      ("L", "learn: the next controller that is moved turns the parameter"),
      ("r", "forget peaks and worst values"),
      ("w", "show the wave or not"),
      ("q ^C", "end"),
    ]
  }

  mutating func drawHelp(rows: Int) {
    row += 1
    for line in help.prefix(max(0, rows)) {
      write(line.keys, at: 2, .bold)
      write(line.meaning, at: 16)
      row += 1
    }
  }
}
