// SPDX-License-Identifier: Apache-2.0

import LiveHost
import TerminalDrawing
import TestEquipment
import Testing

@testable import LiveDrawing

@Suite("Keys of the view")
struct ViewControlsTests {
  private static let rows: [ViewContents.Row] = [
    .init(knob: Knob(name: "drive", range: 0...1, initial: 0.3), value: 0.5),
    .init(knob: Knob(name: "cutoff", range: 20...20000, initial: 440, isLogarithmic: true), value: 440),
    .init(knob: Knob(name: "mix", range: 0...1, initial: 1), value: 1),
  ]

  /// The actions of keys, one after the other.
  private func actions(_ text: String, _ controls: inout ViewControls) -> [ViewControls.Action] {
    var decoder = KeyDecoder()
    return decoder.feed(text.utf8).compactMap { controls.press($0, rows: Self.rows, presets: 3) }
  }

  private func actions(_ text: String) -> [ViewControls.Action] {
    var controls = ViewControls()
    return actions(text, &controls)
  }

  @Test(
    "each key does what the help says",
    arguments: [
      ("l", [.turn(0, 0.52)]), ("\u{1B}[C", [.turn(0, 0.52)]), ("\u{1B}[D", [.turn(0, 0.48)]),
      ("\u{1B}[1;2C", [.turn(0, 0.502)]), (",", [.turn(0, 0.498)]), ("\u{1B}[5~", [.turn(0, 0.6)]),
      ("jl", [.turn(1, 480)]), ("\u{1B}[B0", [.turn(1, 440)]), ("\u{7F}", [.turn(0, 0.3)]),
      ("\u{1B}[H\u{1B}[F", [.turn(0, 0), .turn(0, 1)]), ("kk\u{1B}[F", [.turn(1, 20000)]),
      ("m0", [.turn(2, 1)]),
      ("ppPPP", [.preset(0), .preset(1), .preset(0), .preset(2), .preset(1)]), ("34", [.preset(2)]),
      ("P", [.preset(2)]), ("b", [.bypass]), ("r", [.resetPeaks]), ("q\u{3}", [.quit, .quit]),
      ("LL", [.learn(0), .learn(nil)]), ("LjL", [.learn(0), .learn(1), .learn(nil)]),
      ("=1.5k\u{7F}\r", [.enter(0, "1.5")]), ("\r-6dB\rl", [.enter(0, "-6dB"), .turn(0, 0.52)]),
      ("js Mine\u{7F}\u{7F}x\r", [.save(1, " Mix")]), ("sq\u{3}", [.quit]), ("s\rl", [.turn(0, 0.52)]),
      ("\rq\u{3}", [.quit]), ("\r\r", []), ("zx!", []), ("\u{1B}l", []), ("j\u{1B}[1;5C", []),
      ("\u{1B}[200~qqqlll\u{1B}[201~", []), ("\r\u{1B}[200~440Hz\r\u{1B}[201~\r", [.enter(0, "440Hz")]),
    ] as [(String, [ViewControls.Action])])
  func keys(_ text: String, _ expected: [ViewControls.Action]) {
    #expect(actions(text) == expected)
  }

  @Test("the name of a preset that is saved is proposed")
  func proposed() {
    var controls = ViewControls()
    for (key, entry) in [(Key(.character("s")), "Loud"), (Key(.character("x")), "Loudx")] {
      #expect(controls.press(key, rows: Self.rows, presets: 3, proposing: "Loud") == nil)
      #expect(controls.nameEntry == entry)
    }
    #expect(controls.press(Key(.enter), rows: Self.rows, presets: 3) == .save(0, "Loudx"))
    #expect(controls.nameEntry == nil)
    // An edit takes all parameters away while a name is typed.
    #expect(controls.press(Key(.character("s")), rows: Self.rows, presets: 3, proposing: "Loud") == nil)
    #expect(controls.press(Key(.enter), rows: [], presets: 0) == nil && controls.nameEntry == nil)
  }

  @Test("an escape leaves what is being typed, then learning, then the help")
  func leaving() {
    var controls = ViewControls()
    #expect(actions("?L", &controls) == [.learn(0)])
    #expect(controls.showsHelp)
    #expect(actions("=12", &controls) == [])
    #expect(controls.entry == "12")
    #expect(controls.press(Key(.escape), rows: Self.rows, presets: 3) == nil)
    #expect(controls.entry == nil && controls.isLearning)
    #expect(controls.press(Key(.escape), rows: Self.rows, presets: 3) == .learn(nil))
    #expect(controls.showsHelp)
    #expect(controls.press(Key(.escape), rows: Self.rows, presets: 3) == nil)
    #expect(!controls.showsHelp)
    #expect(actions("ww?", &controls) == [] && controls.showsWave && controls.showsHelp)
  }

  @Test("a model without parameters or presets, or with fewer than before, has nothing to turn")
  func nothing() {
    var controls = ViewControls()
    #expect(actions("jj", &controls) == [])
    #expect(controls.selected == 2)
    var decoder = KeyDecoder()
    for key in decoder.feed("ljkp1P0m=L\u{1B}[A\u{1B}[5~\u{1B}[H".utf8) {
      #expect(controls.press(key, rows: [], presets: 0) == nil)
    }
    #expect(
      controls.press(Key(.character("l")), rows: Array(Self.rows.prefix(1)), presets: 0) == .turn(0, 0.52))
  }

  @Test("any keys leave it usable", arguments: 0..<20)
  func anything(_ seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    var (controls, decoder) = (ViewControls(), KeyDecoder())
    for _ in 0..<2000 {
      for key in decoder.feed([UInt8(random.below(256))]) {
        let rows = Array(Self.rows.prefix(random.below(4)))
        guard let action = controls.press(key, rows: rows, presets: random.below(4)) else { continue }
        switch action {
        case .turn(let index, let value): #expect(rows[index].knob.range.contains(value))
        case .enter(let index, _), .save(let index, _): #expect(Self.rows.indices.contains(index))
        case .learn(let index): #expect(index.map(rows.indices.contains) ?? true)
        case .preset(let index): #expect(index < 3)
        case .bypass, .resetPeaks, .quit: break
        }
      }
    }
  }
}
