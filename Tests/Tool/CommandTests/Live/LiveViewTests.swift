// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment
import Testing
import VirtualCards

/// The view of `legato live` on a terminal: what it shows, what keys do, and that the terminal is given back.
@Suite("Command: the view of live", .waits)
struct LiveViewTests {
  private let card: VirtualCard
  private static let modes: Set<Int> = [7, 25]

  init() throws {
    var settings = CardSettings()
    settings.pace = .real
    card = try VirtualCard(settings)
  }

  private func start(
    _ options: String..., environment: [String: String] = [:], columns: Int = 80, rows: Int = 24
  ) throws -> TerminalRun {
    try TerminalRun(
      ["live", Tool.bitcrusher, "--device", "duplex", "--period", "1024"] + options,
      environment: card.environment.merging(environment) { $1 }, columns: columns, rows: rows)
  }

  @Test("it shows the model, keys turn it, and q gives the terminal back")
  func keys() throws {
    let run = try start("--set", "resolution=4")
    try run.wait(for: "Bitcrusher ")
    try run.wait(for: "latency")
    try run.wait(for: "one period of 220 Hz")
    #expect(run.screen.text.contains("▶ resolution") && run.screen.text.contains("bypass off"))
    #expect(run.screen.modes.isDisjoint(with: Self.modes))
    #expect(!run.terminal.isCooked)
    try run.terminal.press("\u{1B}[B\u{1B}[B")
    try run.wait(for: "▶ dryWet")
    try run.terminal.press("\r0.25\r")
    try run.wait(for: "0.25 ")
    try run.terminal.press("\r7\r")
    try run.wait(for: "out of range; dryWet takes 0 to 1")
    try run.terminal.press("2b")
    try run.wait(for: "BYPASSED")
    try run.wait(for: "[2 Telephone]")
    try run.wait(for: "24 levels")
    try run.terminal.press("q")
    #expect(try run.finish() == 0)
    #expect(run.screen.complaints.isEmpty, "\(run.screen.complaints)")
    #expect(run.screen.modes == Self.modes && run.screen.stylesArePlain && run.terminal.isCooked)
    let parts = run.written.components(separatedBy: "\u{1B}[?1049l")
    #expect(parts.count == 2 && parts[1].contains("overruns"), "the summary follows the view")
  }

  @Test("a chain has a bypass of the whole beside one of a model")
  func bypassOfAStage() throws {
    let run = try start("--then", Tool.package + "/models/limiter.json", "--set", "2.bypass=0", columns: 120)
    try run.wait(for: "limiter.bypass")
    try run.wait(for: "bypass off")
    try run.terminal.press("b")
    try run.wait(for: "BYPASSED")
    #expect(!run.screen.text.contains("this model has no bypass"))
    try run.terminal.press("q")
    #expect(try run.finish() == 0)
  }

  @Test("s saves what is turned as a preset in the model's file, which is read again")
  func saves() throws {
    let tool = try Tool()
    try tool.make("model.json", TestModels.crushing)
    let run = try TerminalRun(
      ["live", tool.path("model.json"), "--device", "duplex", "--period", "1024", "--set", "dryWet=0.5"],
      environment: card.environment)
    try run.wait(for: "latency")
    try run.terminal.press("s")
    try run.wait(for: "save as preset: _")
    try run.terminal.press("Half\r")
    try run.wait(for: "[1 Half]")
    try run.terminal.press("s")
    try run.wait(for: "save as preset: Half_")
    try run.terminal.press("\u{1B}")
    try run.wait(for: "s save")
    try run.terminal.press("q")
    #expect(try run.finish() == 0)
    let text = String(decoding: try tool.bytes("model.json"), as: UTF8.self)
    #expect(text.contains(#""Half": { "dryWet": 0.5 }"#))
  }

  @Test("what is wrong with an edit stays in view")
  func brokenEdit() throws {
    let tool = try Tool()
    func edit(_ graph: String) throws {
      try tool.make("model.json", TestModels.model(shape: #"["channels", "frames"]"#, graph: graph))
    }
    try edit(#""y": "x""#)
    let run = try TerminalRun(
      ["live", tool.path("model.json"), "--device", "duplex", "--period", "1024"],
      environment: card.environment, columns: 200)
    try run.wait(for: "latency")
    try edit(#""y": "gian * x""#)
    try run.wait(for: "no value is called 'gian'")
    // Whatever else there was to say has been said.
    try run.terminal.press("?")
    try run.wait(for: "select a parameter")
    #expect(run.screen.text.contains("no value is called 'gian'"))
    try run.terminal.press("q")
    #expect(try run.finish() == 0)
  }

  @Test("another size is drawn anew")
  func resizing() throws {
    let run = try start(columns: 100, rows: 30)
    try run.wait(for: "quit")
    try run.terminal.resize(columns: 60, rows: 20)
    // What is written from now on fits the smaller window.
    try run.wait(for: "a smaller picture") { $0.text.split(separator: "\n").allSatisfy { $0.count <= 60 } }
    try run.terminal.press("q")
    #expect(try run.finish() == 0)
    #expect(run.screen.complaints.isEmpty, "\(run.screen.complaints)")
  }

  @Test("signals give the terminal back", arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT])
  func signals(_ signal: Int32) throws {
    let run = try start()
    try run.wait(for: "latency")
    kill(try run.number(), signal)
    _ = try run.finish()
    #expect(run.screen.modes == Self.modes && run.screen.stylesArePlain && run.terminal.isCooked)
  }

  @Test("^C fades and ends, ^Z stops and gives the terminal back until the run goes on")
  func stopping() throws {
    let run = try start()
    try run.wait(for: "latency")
    let number = try run.number()
    try run.terminal.press("\u{1A}")
    try run.wait(for: "the usual screen") { $0.modes == Self.modes }
    #expect(run.terminal.isCooked)
    try run.waitUntilStopped()
    kill(number, SIGCONT)
    try run.wait(for: "the view again") { $0.modes.contains(1049) && $0.text.contains("latency") }
    #expect(!run.terminal.isCooked)
    try run.terminal.press("\u{3}")
    _ = try run.finish()
    #expect(run.screen.modes == Self.modes && run.terminal.isCooked)
    #expect(run.screen.complaints.isEmpty, "\(run.screen.complaints)")
  }

  @Test("a terminal that takes nothing any more holds nobody up, and is given back")
  func unread() throws {
    let run = try start()
    try run.wait(for: "latency")
    try run.terminal.fill()
    // It draws a few times more.
    try Tool().wait(frames: 14_400, on: card)
    kill(try run.number(), SIGTERM)
    #expect(try run.endUnread())
    _ = try run.finish()
    #expect(run.screen.modes == Self.modes && run.terminal.isCooked)
    #expect(run.written.contains("overruns"))
  }

  @Test("a terminal that is read late shows whole pictures")
  func readLate() throws {
    let (tool, run) = (try Tool(), try start())
    try run.wait(for: "latency")
    try run.terminal.fill()
    for _ in 0..<10 {
      try run.terminal.press("w")
      try tool.wait(frames: 1024, on: card)
    }
    // What filled it is no picture: it is drawn anew in another size.
    try run.terminal.resize(columns: 70, rows: 20)
    try run.wait(for: "one period of 220 Hz")
    try run.terminal.press("q")
    #expect(try run.finish() == 0)
    // The blanks that filled it are longer than a line.
    let complaints = run.screen.complaints.filter { !$0.hasPrefix(" ") }
    #expect(complaints.isEmpty, "\(complaints.prefix(10))")
  }

  @Test("q ends a run that waits for its devices, though they are lost before it has faded")
  func quitsAsDevicesAreLost() throws {
    // It would have played out a little later, wherever q comes: behind 262,144 frames.
    var settings = CardSettings(.both(at: 240_000, .unplug(absences: nil))) {
      $0.bufferBytes = .range(128...(1 << 22))
    }
    settings.pace = .real
    let card = try VirtualCard(settings)
    let run = try TerminalRun(
      ["live", Tool.bitcrusher, "--device", "duplex", "--period", "32768", "--periods", "8", "--wait"],
      environment: card.environment)
    try run.wait(for: "quit")
    try run.terminal.press("q")
    // On a machine so busy that they are lost before q, it waits for them by right.
    let isInTime = try !card.log.contains { $0.action == "unplug" }
    #expect(try run.finish() == 0)
    #expect(try card.log.contains { $0.action == "unplug" })
    #expect(!isInTime || !run.written.contains("waiting for it"), "\(run.written.suffix(2000))")
  }

  @Test("a dumb terminal gets lines, and without colours there are none")
  func traits() throws {
    let dumb = try start("--seconds", "3", environment: ["TERM": "dumb"])
    #expect(try dumb.finish() == 0)
    #expect(
      !dumb.written.contains("\u{1B}") && dumb.written.contains("dBFS"), "\(dumb.written.debugDescription)")
    let plain = try start(environment: ["NO_COLOR": "1", "LC_ALL": "C"])
    try plain.wait(for: "> resolution")
    try plain.wait(for: "in 1")
    try plain.terminal.press("q")
    #expect(try plain.finish() == 0)
    #expect(plain.written.firstMatch(of: /\u{1B}\[([0-9]+;)*3[0-9]m/) == nil)
    let view = plain.written.components(separatedBy: "\u{1B}[?1049h").last?.components(
      separatedBy: "\u{1B}[?1049l")
    #expect(view?.first?.allSatisfy(\.isASCII) == true)
  }
}
