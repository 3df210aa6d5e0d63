// SPDX-License-Identifier: Apache-2.0

import TerminalDrawing
import TestEquipment
import Testing

/// A picture drawn by its difference to another one is the picture drawn anew.
@Suite("Pictures in a terminal")
struct ScreenDifferenceTests {
  /// Letters of one and of two columns, with marks, that are no letters, and what must not pass.
  private static let letters: [Character] = [
    "a", "b", " ", " ", " ", "ä", "é", "e\u{301}", "日", "本", "🎛", "👨‍👩‍👧", "🇩🇪", "█", "⣿", "…", "\u{1B}", "\n",
    "\u{301}", "\u{202E}", "ｆ", "क",
  ]
  private static let styles: [CellStyle] = [
    .plain, .plain, .bold, .dim, .reversed, CellStyle(isBold: true, color: .red),
    CellStyle(isBold: true, isDim: true, isReversed: true), CellStyle(color: .green),
  ]

  /// Of what a terminal is told first, what pictures rely on.
  private static let cutsLines = Array("\u{1B}[?7l".utf8)

  private func change(_ screen: inout Screen, _ random: inout SplitMix) {
    for _ in 0..<random.below(6) {
      let text = String((0..<random.below(12)).map { _ in random.pick(Self.letters) })
      let (row, column) = (random.below(screen.rows), random.below(screen.columns))
      screen.write(text, row: row, column: column, random.pick(Self.styles), limit: 1 + random.below(20))
    }
  }

  private func drawn(_ screen: Screen) -> ModelTerminal {
    var terminal = ModelTerminal(columns: screen.columns, rows: screen.rows)
    terminal.feed(Self.cutsLines)
    terminal.feed(ScreenDifference.bytes(from: nil, to: screen))
    return terminal
  }

  @Test("any sequence of changes shows what drawing anew shows", arguments: 0..<200)
  func changes(_ seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    let blank = Screen(columns: 1 + random.below(30), rows: 1 + random.below(6))
    var (before, terminal) = (blank, drawn(blank))
    for step in 0..<12 {
      var after = random.chance(0.1) ? blank : before
      change(&after, &random)
      let bytes = ScreenDifference.bytes(from: before, to: after)
      terminal.feed(bytes)
      let anew = drawn(after)
      #expect(terminal.complaints.isEmpty && anew.complaints.isEmpty, "seed \(seed), step \(step)")
      #expect(terminal.cells == anew.cells, "seed \(seed), step \(step)")
      #expect(terminal.text == after.text, "seed \(seed), step \(step)")
      #expect(terminal.stylesArePlain)
      #expect(bytes.isEmpty == (before == after), "seed \(seed), step \(step)")
      before = after
    }
  }

  @Test("what stays is not written")
  func least() {
    var before = Screen(columns: 40, rows: 3)
    before.write("load  12 %   xruns 0", row: 1, column: 2)
    #expect(ScreenDifference.bytes(from: before, to: before).isEmpty)
    var after = before
    after.write("13", row: 1, column: 8)
    #expect(
      String(decoding: ScreenDifference.bytes(from: before, to: after), as: UTF8.self) == "\u{1B}[2;10H3")
    // Over two cells it is cheaper to write them again, over ten to jump.
    after.write("8", row: 1, column: 12)
    after.write("9", row: 1, column: 21)
    #expect(
      String(decoding: ScreenDifference.bytes(from: before, to: after), as: UTF8.self)
        == "\u{1B}[2;10H3 %8\u{1B}[8C9")
    #expect(
      String(decoding: ScreenDifference.bytes(from: after, to: Screen(columns: 40, rows: 3)), as: UTF8.self)
        == "\u{1B}[2H\u{1B}[K")
  }

  @Test("another size is drawn anew")
  func size() {
    var small = Screen(columns: 4, rows: 1)
    small.write("abcdef", row: 0, column: 0)
    #expect(small.text == "abc…\n")
    var terminal = ModelTerminal(columns: 4, rows: 1)
    terminal.feed(Self.cutsLines)
    terminal.feed(ScreenDifference.bytes(from: Screen(columns: 5, rows: 1), to: small))
    #expect(terminal.text == "abc…\n" && terminal.complaints.isEmpty)
  }

  @Test("what is covered by half goes, and nothing is shown by half")
  func halves() {
    var screen = Screen(columns: 6, rows: 1)
    screen.write("日本語", row: 0, column: 0)
    screen.write("x", row: 0, column: 1)
    #expect(screen.text == " x本語\n")
    screen.write("y", row: 0, column: 4)
    #expect(screen.text == " x本y\n")
    screen.write("日本", row: 0, column: 3, limit: 3)
    #expect(screen.text == " x 日…\n")
    screen.write("z日", row: 0, column: 4)
    #expect(screen.text == " x  z…\n")
  }

  @Test("a terminal is told everything that it was told back")
  func restoring() {
    let untouched = ModelTerminal(columns: 3, rows: 1).modes
    var terminal = ModelTerminal(columns: 3, rows: 1)
    terminal.feed(Array(TerminalSequences.enter.utf8))
    #expect(terminal.modes == [1049, 2004])
    var screen = Screen(columns: 3, rows: 1)
    screen.write("abc", row: 0, column: 0, .reversed)
    let picture = TerminalSequences.whole(ScreenDifference.bytes(from: nil, to: screen))
    // Interrupted anywhere between two sequences, it is restored.
    terminal.feed(Array(picture.dropLast(8 + 3)))
    #expect(!terminal.stylesArePlain)
    terminal.feed(Array(TerminalSequences.leave.utf8))
    #expect(terminal.modes == untouched)
    #expect(terminal.stylesArePlain && terminal.complaints.isEmpty)
  }
}
