// SPDX-License-Identifier: Apache-2.0

import Foundation
import LiveHost
import TerminalDrawing
import TestEquipment
import Testing

@testable import LiveDrawing

/// The view of a run, in windows of many sizes.
@Suite("The view of a run")
struct ViewDrawingTests {
  private static let folder =
    Bundle.module.resourceURL?.appendingPathComponent("golden") ?? URL(filePath: "/")
  private static let recorded = PackageFiles.folder.appending(path: "Tests/Drawing/LiveDrawingTests/golden")

  /// The contents by name, as the golden files have them in their first line.
  private static let contents: [String: ViewContents] = [
    "usual": usual, "many": many, "names": names, "bare": ViewContents(name: "Bare"),
    "help": {
      var contents = usual
      contents.showsHelp = true
      return contents
    }(),
    "entry": {
      var contents = usual
      contents.entry = "12"
      contents.isBypassed = true
      contents.preset = 1
      return contents
    }(),
    "message": {
      var contents = usual
      contents.message =
        "models/bitcrusher.json:12:31: no value is called 'saturatd'; did you mean 'saturated'?"
      contents.status.xruns = 3
      contents.status.framesLost = 4096
      contents.status.worstLoad = 1.2
      contents.outputs[0].isClipped = true
      contents.outputs[0].held = 1
      return contents
    }(),
  ]

  private static let usual: ViewContents = {
    var contents = ViewContents(name: "Bitcrusher", device: "hw:0  48000 Hz")
    contents.rows = [
      .init(
        knob: Knob(name: "resolution", range: 1...256, initial: 8, unit: "levels", isLogarithmic: true),
        value: 8,
        controller: "CC 21"),
      .init(knob: Knob(name: "saturationGain", range: 0.1...20, initial: 1), value: 2.5),
      .init(knob: Knob(name: "dryWet", range: 0...1, initial: 1), value: 1),
    ]
    contents.selected = 1
    contents.presets = ["Eight bits", "Telephone", "Broken radio"]
    contents.isBypassed = false
    contents.inputs = [
      .init(name: "in 1", peak: 0.1, held: 0.5), .init(name: "in 2", peak: 0, held: 0),
    ]
    contents.outputs = [
      .init(name: "out 1", peak: 0.7, held: 0.9), .init(name: "out 2", peak: 0.01, held: 0.02),
    ]
    contents.status = .init(
      load: 0.034, worstLoad: 0.12, xruns: 0, fill: 768, leastFill: 512, captureDrift: 3.2, playbackDrift: -2,
      latency: 0.016)
    let sine = (0..<218).map { 0.8 * Float(sin(2 * .pi * Double($0) / 218)) }
    contents.wave = .init(input: sine, output: sine.map { ($0 * 4).rounded() / 4 }, hertz: 220)
    return contents
  }()

  private static let many: ViewContents = {
    var contents = usual
    contents.rows = (1...40).map {
      .init(
        knob: Knob(name: "parameter\($0)", range: -60...12, initial: 0, unit: "dB"), value: Float($0 - 20))
    }
    contents.selected = 30
    contents.inputs = (1...12).map { .init(name: "in \($0)", peak: 1 / Float($0), held: 1 / Float($0)) }
    return contents
  }()

  /// Names of wide letters, with marks, with commands for a terminal, and longer than any window.
  private static let names: ViewContents = {
    var contents = usual
    contents.name = "雑音\u{1B}[2J\u{301} 🎛 Ünïcødé"
    contents.rows = [
      .init(knob: Knob(name: "解像度", range: 1...256, initial: 8, unit: "段"), value: 8),
      .init(knob: Knob(name: "e\u{301}tendue", range: 0...1e-9, initial: 0, unit: "\n"), value: 5e-10),
      .init(
        knob: Knob(name: String(repeating: "x", count: 256), range: -3e38...3e38, initial: 0), value: 1e38),
    ]
    contents.presets = [String(repeating: "長", count: 100)]
    return contents
  }()

  @Test("it is what the golden file shows", arguments: GoldenFile.names(in: folder))
  func golden(_ name: String) throws {
    let file = try GoldenFile(name, in: GoldenFile.isRecording ? Self.recorded : Self.folder)
    let words = file.before.split(separator: "\n")[0].split(separator: " ").map(String.init)
    let contents = try #require(Self.contents[words[0]])
    let (columns, rows) = (try #require(Int(words[1])), try #require(Int(words[3])))
    let signs: ViewSigns = words.contains("ASCII") ? .plain : .unicode
    let screen = ViewDrawing.screen(contents, columns: columns, rows: rows, signs)
    try file.record(screen.text)
    #expect(screen.text == file.after)
    #expect(!words.contains("ASCII") || screen.text.allSatisfy(\.isASCII))
  }

  @Test(
    "any window can be drawn, and shows the parameter that is selected", arguments: contents.keys.sorted())
  func sizes(_ name: String) throws {
    let contents = try #require(Self.contents[name])
    for (place, columns) in [1, 2, 5, 9, 16, 20, 33, 50, 79, 80, 120, 300].enumerated() {
      for rows in 1...30 {
        // Each window with one kind of signs, its neighbours with the other one.
        let signs = (place + rows).isMultiple(of: 2) ? ViewSigns.unicode : .plain
        let screen = ViewDrawing.screen(contents, columns: columns, rows: rows, signs)
        #expect(screen.rows == rows && screen.columns == columns)
        guard rows > 1, columns >= 9, !contents.showsHelp, !contents.rows.isEmpty else { continue }
        #expect(screen.text.contains(signs.marker), "\(columns) x \(rows)")
      }
    }
  }

  @Test("what bytes change is what is drawn", arguments: 0..<20)
  func differences(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    var before: Screen?
    var terminal = ModelTerminal(columns: 80, rows: 24)
    for _ in 0..<10 {
      var contents = try #require(Self.contents[random.pick(Self.contents.keys.sorted())])
      contents.selected = random.below(max(1, contents.rows.count))
      for index in contents.inputs.indices { contents.inputs[index].peak = random.float(0, 1.5) }
      let screen = ViewDrawing.screen(contents, columns: 80, rows: 24, .unicode)
      terminal.feed(ScreenDifference.bytes(from: before, to: screen))
      var anew = ModelTerminal(columns: 80, rows: 24)
      anew.feed(ScreenDifference.bytes(from: nil, to: screen))
      #expect(terminal.cells == anew.cells && terminal.text == screen.text && terminal.complaints.isEmpty)
      before = screen
    }
  }

  @Test("without colour nothing is lost but colour")
  func colors() throws {
    let contents = try #require(Self.contents["message"])
    let screen = ViewDrawing.screen(contents, columns: 80, rows: 24, .unicode)
    #expect(screen.text.contains("CLIP") && screen.text.contains("LATE"))
    func colors(_ screen: Screen) -> Int {
      String(decoding: ScreenDifference.bytes(from: nil, to: screen), as: UTF8.self).split(
        separator: "\u{1B}["
      )
      .count {
        $0.prefix { $0 != "m" }.split(separator: ";").contains { (Int($0) ?? 0) >= 30 } && $0.contains("m")
      }
    }
    #expect(colors(screen) > 0)
    #expect(colors(screen.withoutColor) == 0)
    #expect(screen.withoutColor.text == screen.text)
  }
}
