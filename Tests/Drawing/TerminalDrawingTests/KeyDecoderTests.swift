// SPDX-License-Identifier: Apache-2.0

import TerminalDrawing
import TestEquipment
import Testing

@Suite("Keys in a terminal")
struct KeyDecoderTests {
  private static let cases: [(String, [Key])] = [
    ("a", [Key(.character("a"))]),
    ("ä€𝄞", [Key(.character("ä")), Key(.character("€")), Key(.character("𝄞"))]),
    ("\r\n\t", [Key(.enter), Key(.enter), Key(.tab)]), ("\u{7F}\u{8}", [Key(.backspace), Key(.backspace)]),
    ("\u{3}", [Key(.control("c"))]),
    ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [Key(.up), Key(.down), Key(.right), Key(.left)]),
    ("\u{1B}OA\u{1B}OH", [Key(.up), Key(.home)]),
    ("\u{1B}[1;2C\u{1B}[1;5D", [Key(.right, hasShift: true), Key(.left, hasOther: true)]),
    ("\u{1B}[5~\u{1B}[6~\u{1B}[3~", [Key(.pageUp), Key(.pageDown), Key(.delete)]),
    ("\u{1B}[1~\u{1B}[4~\u{1B}[Z", [Key(.home), Key(.end), Key(.tab, hasShift: true)]),
    ("\u{1B}x", [Key(.character("x"), hasOther: true)]),
    // Unknown sequences leave no letters: F5, F1 of the Linux console, a report, a mouse, an answer to a question.
    ("\u{1B}[15~q\u{1B}[[Aq\u{1B}[?62;c\u{1B}[<0;3;4M", [Key(.character("q")), Key(.character("q"))]),
    ("\u{1B}]11;rgb:00/00/00\u{7}\u{1B}P1$r\u{1B}\\b", [Key(.character("b"))]),
    ("\u{1B}[200~12\u{1B}[A\r3\u{1B}[201~k", [Key(.pasted("12[A3")), Key(.character("k"))]),
  ]

  @Test("keys are the same however their bytes are split", arguments: Self.cases.indices)
  func splits(_ index: Int) {
    let (text, keys) = Self.cases[index]
    let bytes = Array(text.utf8)
    for split in 0...bytes.count {
      var decoder = KeyDecoder()
      #expect(decoder.feed(bytes[..<split]) + decoder.feed(bytes[split...]) == keys, "\(split)")
    }
    var decoder = KeyDecoder()
    #expect(bytes.flatMap { decoder.feed([$0]) } == keys)
  }

  @Test("an escape by itself is a key, and what follows late is no letter")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B]) == [])
    #expect(decoder.pause() == Key(.escape))
    #expect(decoder.pause() == nil)
    #expect(decoder.feed(Array("[A".utf8)) == [Key(.up)])
    #expect(decoder.feed([0x1B]) == [])
    #expect(decoder.pause() == Key(.escape))
    #expect(decoder.feed(Array("P".utf8)) == [Key(.character("P"))])
    // Half a sequence waits for its rest.
    #expect(decoder.feed(Array("\u{1B}[1;".utf8)) == [])
    #expect(decoder.pause() == nil)
    #expect(decoder.feed(Array("2C".utf8)) == [Key(.right, hasShift: true)])
  }

  @Test(
    "what is no UTF-8 is passed over",
    arguments: [[0xC3], [0xFF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0x9B, 0x80]] as [[UInt8]])
  func garbage(_ bytes: [UInt8]) {
    var decoder = KeyDecoder()
    #expect(decoder.feed(bytes + Array("kj".utf8)) == [Key(.character("k")), Key(.character("j"))])
  }

  @Test("any bytes leave a decoder that a key can be given to", arguments: 0..<50)
  func anything(_ seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    var decoder = KeyDecoder()
    let common: [UInt8] = [0x1B, 0x5B, 0x4F, 0x7E, 0x32, 0x30, 0x3B, 0x41]
    for _ in 0..<2000 {
      _ = decoder.feed([random.chance() ? random.pick(common) : UInt8(random.below(256))])
    }
    // The end of a text, of a string and of a sequence.
    _ = decoder.feed(Array("\u{1B}[201~\u{1B}\\\u{7}@".utf8))
    #expect(decoder.feed(Array("k".utf8)) == [Key(.character("k"))], "seed \(seed)")
  }

  @Test("of a long text that is pasted the beginning is kept")
  func longPaste() {
    var decoder = KeyDecoder()
    let text = "\u{1B}[200~" + String(repeating: "9", count: 100_000) + "\u{1B}[201~q"
    #expect(
      decoder.feed(text.utf8) == [Key(.pasted(String(repeating: "9", count: 256))), Key(.character("q"))])
  }
}
