// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment
import Testing
import VirtualCards

/// The behaviour of `legato live` under faults that a card has in its script.
@Suite("Command: live on bad days", .waits)
struct LiveFaultTests {
  private let tool = Result { try Tool() }

  private static let noDevice = "duplex (capture): the device is gone"

  /// Plays through a card until it ends by itself.
  private func run(_ card: VirtualCard, _ options: String...) throws -> ProgramRun {
    try tool.get().run(
      ["live", Tool.bitcrusher, "--device", "duplex", "--period", "1024"] + options,
      environment: card.environment)
  }

  private func report(_ name: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: try tool.get().bytes(name)) as? [String: Any])
  }

  private func number(_ report: [String: Any], _ key: String) throws -> Int {
    try #require(report[key] as? Int, "\(key) of \(report)")
  }

  private func actions(_ card: VirtualCard, _ action: String) throws -> Int {
    try card.log.filter { $0.action == action }.count
  }

  @Test("unplugged: one line, exit code 3, closed, and the report says so")
  func unplugged() throws {
    let card = try VirtualCard(CardSettings(.both(at: 20_000, .unplug(absences: nil))))
    let run = try run(card, "--quiet", "--report", "report.json")
    #expect(run.code == 3 && run.output.isEmpty)
    #expect(run.lines == [Self.noDevice])
    #expect(try actions(card, "close") == 2)
    let report = try report("report.json")
    #expect(report["error"] as? String == Self.noDevice)
    #expect((18_000...20_480).contains(try number(report, "frames")))
    // Both are the computer's time, of which the card takes next to none, but the machine may be busy.
    for key in ["noticedAfter", "closedAfter"] {
      let seconds = try #require(report[key] as? Double)
      #expect(seconds > 0 && seconds < 60, "\(report)")
    }
  }

  @Test("unplugged and back: with --wait it goes on where it was, until all seconds were played")
  func back() throws {
    let card = try VirtualCard(CardSettings(.both(at: 20_000, .unplug(absences: 1))))
    let run = try run(card, "--wait", "--seconds", "1", "--report", "report.json")
    #expect(run.code == 0)
    #expect(run.lines.filter { $0.contains("gone") || $0.contains("waiting") }.count == 2, "\(run.messages)")
    #expect(run.lines.contains("duplex (capture): no such device; waiting for it"))
    let report = try report("report.json")
    #expect(try number(report, "sessions") == 2 && number(report, "frames") == 48_000)
    #expect(report["noticedAfter"] != nil && report["closedAfter"] != nil)
    #expect(report["error"] == nil)
    #expect(try actions(card, "close") == 4)
  }

  /// Seconds of a processor's time that a process has taken.
  private func computed(_ process: Int32) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // Behind the name, which stands in brackets: the 12th and 13th are ticks in the program and in the kernel.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = try fields[11...12].map { try #require(Double($0)) }.reduce(0, +)
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Of a processor it takes less than a hundredth on a machine of its own; a tenth bears what else tests do to caches.
  @Test("unplugged for good: with --wait it looks once a second, and takes next to nothing of the processor")
  func waits() throws {
    let card = try VirtualCard(CardSettings(.both(at: 20_000, .unplug(absences: nil))))
    let running = try tool.get().start(
      ["live", Tool.bitcrusher, "--device", "duplex", "--period", "1024", "--wait"],
      environment: card.environment)
    let process = running.process.processIdentifier
    func looks() throws -> Int {
      try card.log.filter { $0.action == "open" && $0.details == "No such device" }.count
    }
    try tool.get().waitUntil("a look") { try looks() > 0 }
    let begin = ContinuousClock.now
    let before = (looks: try looks(), computed: try computed(process))
    try tool.get().waitUntil("three more looks") { try looks() >= before.looks + 3 }
    let after = (looks: try looks(), computed: try computed(process))
    let seconds = begin.duration(to: .now) / .seconds(1)
    #expect(Double(after.looks - before.looks) <= seconds + 1, "within \(seconds) s")
    #expect(after.computed - before.computed < seconds / 10, "within \(seconds) s")
    kill(process, SIGTERM)
    let run = try running.finish()
    #expect(run.code == -SIGTERM)
    #expect(run.lines.filter { $0.contains("waiting for it") }.count == 1, "\(run.messages)")
  }

  @Test("busy: what to do; with --wait it begins when the device is free")
  func busy() throws {
    var settings = CardSettings()
    settings.playback.busy = 1
    let line =
      "duplex (playback): the device is busy: another program has it open; close it, or choose another device"
    let refused = try run(VirtualCard(settings))
    #expect(refused.code == 3 && refused.lines == [line])
    let waited = try run(VirtualCard(settings), "--wait", "--seconds", "0.1")
    #expect(waited.code == 0 && waited.lines.first == line + "; waiting for it", "\(waited.messages)")
  }

  @Test("no such device: the nearest name, and exit code 3")
  func absent() throws {
    let tool = try tool.get()
    let card = try VirtualCard()
    let run = try tool.run("live", Tool.bitcrusher, "--device", "duplx", environment: card.environment)
    #expect(run.code == 3 && run.lines == ["duplx (capture): no such device; did you mean duplex?"])
    let oneWay = try tool.run("live", Tool.bitcrusher, "--device", "play", environment: card.environment)
    #expect(oneWay.code == 3 && oneWay.lines.count == 1, "\(oneWay.messages)")
  }

  @Test("a configuration that is broken: its file and line, and exit code 1")
  func misconfigured() throws {
    let tool = try tool.get()
    try tool.make("broken.conf", "pcm.x {\n")
    let run = try tool.run(
      "live", Tool.bitcrusher, environment: ["ALSA_CONFIG_PATH": tool.path("broken.conf")])
    #expect(run.code == 1 && run.lines.count == 1, "\(run.messages)")
    #expect(
      run.messages.hasPrefix("ALSA: the configuration cannot be read: \(tool.path("broken.conf")) "),
      "\(run.messages)")
  }

  @Test("what the device cannot do: what it can, and exit code 1")
  func impossible() throws {
    let card = try VirtualCard(
      CardSettings {
        $0.rates = [44100, 96000]
        $0.formats = [.integer16]
        $0.channels = [2]
      })
    let rate = try run(card)
    #expect(rate.code == 1)
    #expect(rate.lines == ["duplex (capture): 48000 Hz is not possible; the device has 44100 and 96000 Hz"])
    let format = try run(card, "--format", "S32")
    #expect(format.code == 1)
    #expect(format.lines == ["duplex (capture): no S32 is possible; the device has S16"])
    let channels = try run(card, "--inputs", "5", "--rate", "44100")
    #expect(channels.code == 1)
    #expect(channels.lines == ["duplex (capture): 5 channels are too many; the device has 2 channels"])
    #expect(try actions(card, "start") == 0)
  }

  @Test(
    "a device that stands still, from the beginning or later: exit code 3",
    arguments: [
      ScriptedFault.capture(at: 0, .freeze), .capture(at: 9000, .freeze), .both(at: 9000, .freeze),
    ])
  func frozen(_ fault: ScriptedFault) throws {
    let card = try VirtualCard(CardSettings(fault))
    let run = try run(card, "--quiet")
    #expect(run.code == 3)
    #expect(
      run.lines == [
        "duplex: nothing came or went any more, though it was begun again: the sound server has ended, or the device never started"
      ])
    #expect(try actions(card, "close") == 2)
  }

  @Test("suspended and resumed: counted, and the sound goes on", arguments: [0, nil])
  func suspended(_ failures: Int?) throws {
    let card = try VirtualCard(CardSettings(.both(at: 9000, .suspend(failures: failures))))
    let run = try run(card, "--seconds", "0.5", "--report", "report.json")
    #expect(run.code == 0)
    #expect(try number(report("report.json"), "suspensions") == 1)
    #expect(run.lines.contains { $0.contains(": 1 suspension") }, "\(run.messages)")
  }

  @Test("xruns: counted by direction in the report and the summary")
  func xruns() throws {
    let card = try VirtualCard(
      CardSettings(.capture(at: 9000, .xrun), .playback(at: 20_000, .xrun), .capture(at: 28_000, .xrun)))
    let run = try run(card, "--seconds", "1", "--report", "-")
    #expect(run.code == 0)
    let report = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(try number(report, "overruns") == 2 && number(report, "underruns") == 1)
    #expect(try number(report, "frames") == 48_000 && number(report, "stalls") == 0)
    #expect(run.lines.contains { $0.contains("2 overruns, 1 underrun, ") }, "\(run.messages)")
    let xruns = try #require(report["xruns"] as? [[String: Any]])
    #expect(xruns.map { $0["direction"] as? String } == ["capture", "playback", "capture"])
    let positions = try xruns.map { try number($0, "position") }
    #expect(positions == positions.sorted() && (7_000...10_000).contains(positions[0]), "\(positions)")
    let lengths = try xruns.map { try number($0, "length") }
    #expect(try lengths[0] + lengths[2] <= number(report, "framesLost"), "\(lengths)")
    #expect(try lengths[1] == number(report, "framesSilent"), "\(lengths)")
    let names = ["overrun", "underrun", "overrun"]
    let said = zip(names, zip(positions, lengths)).map { name, place in
      "\(name) at \(String(format: "%.2f", Double(place.0) / 48_000)) s of \(place.1) frame"
        + (place.1 == 1 ? "" : "s")
    }
    #expect(run.lines.contains("duplex: " + said.joined(separator: ", ")), "\(run.messages)")
  }

  @Test("xruns without end: what to ask for, and exit code 1, with --wait as well")
  func unstable() throws {
    var settings = CardSettings()
    settings.script = (1...30).map { .capture(at: 5000 * $0, .xrun) }
    let run = try run(VirtualCard(settings), "--quiet", "--wait")
    #expect(run.code == 1)
    #expect(
      run.lines == [
        "duplex: the sound had to begin again too often; ask for a longer --period, or more --periods"
      ])
  }

  @Test("stopped by a signal for half a second: what was lost is told to within a period")
  func stopped() throws {
    var settings = CardSettings()
    settings.pace = .real
    let card = try VirtualCard(settings)
    let tool = try tool.get()
    let running = try tool.start(
      [
        "live", Tool.bitcrusher, "--device", "duplex", "--period", "4096", "--seconds", "2", "--report",
        "report.json",
        "--force",
      ], environment: card.environment)
    let process = running.process.processIdentifier
    try tool.waitUntil("sound") { try card.log.contains { $0.action == "start" } }
    try tool.wait(frames: 12_000, on: card)
    kill(process, SIGSTOP)
    // Longer than both buffers last; it may be longer still.
    usleep(500_000)
    kill(process, SIGCONT)
    let run = try running.finish()
    #expect(run.code == 0)
    let report = try report("report.json")
    let lost = try number(report, "framesLost")
    #expect(lost > 0 && run.lines.contains { $0.contains("\(lost) frames lost") }, "\(run.messages)")
    let position = try #require(card.log.last { $0.stream == .capture && $0.action == "stop" }?.position)
    // What was captured at the end, and not fetched, was not lost to anyone who listened.
    let rest = try position - (number(report, "framesIn") + lost)
    #expect((-4096..<2 * 4096).contains(rest), "\(report) at \(position)")
    // Both buffers are shorter than that: one ran over, the other one empty.
    let xruns = try #require(report["xruns"] as? [[String: Any]])
    #expect(xruns.map { $0["direction"] as? String } == ["capture", "playback"], "\(report)")
    let log = try card.log.filter { $0.stream == .playback }
    let empty = try #require(log.first { $0.action == "underrun" }?.position)
    let begun = try #require(log.last { $0.action == "start" }?.position)
    let silent = try number(#require(xruns.last), "length")
    #expect(abs(silent - (begun - empty)) < 4096, "\(silent) of \(begun - empty)")
  }

  @Test("two clocks that drift: each is told")
  func drift() throws {
    func card(_ drift: Int) throws -> VirtualCard {
      var settings = CardSettings { $0.drift = drift }
      settings.pace = .real
      return try VirtualCard(settings)
    }
    /// A run in which the machine did not keep the cards waiting, after which clocks begin anew; the fifth in any case.
    func undisturbed(_ tries: Int = 5) throws -> [String: Any] {
      let (fast, slow) = try (card(20_000), card(-20_000))
      let run = try tool.get().run(
        "live", Tool.bitcrusher, "--capture", fast.name, "--playback", slow.name, "--period", "4096",
        "--seconds", "2.6", "--report", "report.json", "--force", environment: fast.environment)
      #expect(run.code == 0)
      let report = try self.report("report.json")
      guard try number(report, "overruns") + number(report, "underruns") > 0, tries > 1 else { return report }
      return try undisturbed(tries - 1)
    }
    let report = try undisturbed()
    func drift(_ side: String) throws -> Double {
      try #require((report[side] as? [String: Any])?["drift"] as? Double, "\(report)")
    }
    // As much of them as a busy machine leaves.
    #expect((10_000...30_000).contains(try drift("capture")), "\(report)")
    #expect((-30_000 ... -10_000).contains(try drift("playback")), "\(report)")
  }
}
