// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment
import Testing
import VirtualCards

/// How `legato live` ends, and what it says beside the sound.
@Suite("Command: live ends well", .waits)
struct LiveEndTests {
  private let tool = Result { try Tool() }
  private static let wire = TestModels.model(shape: #"["channels", "frames"]"#, graph: #""y": "x""#)

  /// A card that hears nothing but a half, in real time.
  private func card() throws -> VirtualCard {
    var settings = CardSettings { $0.formats = [.float] }
    settings.source = .samples([
      [Double](repeating: 0.5, count: 400_000), [Double](repeating: 0.5, count: 400_000),
    ])
    settings.pace = .real
    return try VirtualCard(settings)
  }

  private func start(_ card: VirtualCard, _ options: String...) throws -> RunningProgram {
    let tool = try tool.get()
    try tool.make("wire.json", Self.wire)
    let running = try tool.start(
      ["live", "wire.json", "--device", "duplex", "--period", "4096"] + options, environment: card.environment
    )
    try tool.waitUntil("sound") { try card.log.contains { $0.action == "start" } }
    return running
  }

  @Test(
    "a signal: a fade of 10 ms, silence, a summary, and the end by that signal",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func signal(_ number: Int32) throws {
    let card = try card()
    let running = try start(card, "--report", "report.json")
    try tool.get().wait(frames: 12_000, on: card)
    kill(running.process.processIdentifier, number)
    let run = try running.finish()
    #expect(run.code == -number)
    #expect(run.lines.contains { $0.contains(" frames (") }, "\(run.messages)")
    #expect(try tool.get().names.contains("report.json"))
    #expect(try card.log.filter { $0.action == "close" }.count == 2)
    let played = try card.played
    let sound = try #require(played.samples.first)
    let first = try #require(sound.firstIndex { $0 != 0 })
    let fading = try #require(sound[first...].firstIndex { $0 != 0.5 })
    #expect(fading.isMultiple(of: 4096))
    #expect(
      sound[fading..<fading + 480].elementsEqual(
        (0..<480).map { Double(Float(0.5) * (Float(479 - $0) / 480)) }))
    #expect(sound[(fading + 480)...].allSatisfy { $0 == 0 } && sound.count > fading + 480)
  }

  /// As timeout(1) sends its signal: to the program, and to the group that it is in.
  @Test("two signals at once are one request: it fades, and what was recorded and is reported is kept")
  func together() throws {
    let (tool, card) = (try tool.get(), try card())
    let running = try start(card, "--record", "take.wav", "--report", "report.json")
    try tool.wait(frames: 12_000, on: card)
    // Both are there when it goes on.
    for number in [SIGSTOP, SIGTERM, SIGINT, SIGCONT] { kill(running.process.processIdentifier, number) }
    let run = try running.finish()
    #expect([-SIGINT, -SIGTERM].contains(run.code) && run.lines.contains { $0.contains(" frames (") })
    #expect(try card.log.filter { $0.action == "close" }.count == 2)
    #expect(try tool.names == ["report.json", "take.wav", "wire.json"])
    #expect(try Sound.read(tool.path("take.wav")).frames > 480)
  }

  @Test("a second signal does not wait, and leaves nothing of a recording or a report")
  func twice() throws {
    let tool = try tool.get()
    // A device that stands still, which is noticed after some time only.
    var settings = CardSettings(.both(at: 4096, .freeze))
    settings.pace = .real
    let frozen = try VirtualCard(settings)
    try tool.make("wire.json", Self.wire)
    let running = try tool.start(
      [
        "live", "wire.json", "--device", "duplex", "--period", "65536", "--periods", "2", "--report",
        "report.json", "--record", "take.wav",
      ],
      environment: frozen.environment)
    try tool.waitUntil("sound") { try frozen.log.contains { $0.action == "start" } }
    try tool.waitUntil("a recording") { try tool.names.contains { $0.hasPrefix(".take.wav.legato-") } }
    kill(running.process.processIdentifier, SIGINT)
    // Not at once, which would be the same request.
    usleep(300_000)
    while running.process.isRunning {
      kill(running.process.processIdentifier, SIGTERM)
      usleep(300_000)
    }
    let run = try running.finish()
    #expect(run.code == -SIGTERM)
    #expect(try tool.names == ["wire.json"])
  }

  /// The superuser has rights in spite of limits, unless it is deprived of them.
  private static let deprived = geteuid() == 0 ? "setpriv --bounding-set=-sys_nice,-ipc_lock " : ""
  private static let canDeprive =
    (try? Tool().shell("prlimit --rtprio=0 --memlock=0 \(deprived)true").code) == 0

  @Test(
    "rights that the system refuses are said once, with what grants them, and it plays on",
    .enabled(if: Self.canDeprive, "nobody may be deprived of rights here: prlimit, setpriv --bounding-set"))
  func refusedRights() throws {
    let tool = try tool.get()
    try tool.make("wire.json", Self.wire)
    let card = try VirtualCard(CardSettings(.both(at: 20_000, .unplug(absences: 1))))
    let run = try RunningProgram(
      "/bin/sh",
      [
        "-c",
        "prlimit --rtprio=0 --memlock=0 \(Self.deprived)$LEGATO live wire.json --device duplex --period 1024 "
          + "--seconds 1 --wait --report report.json",
      ],
      in: tool.folder, environment: card.environment.merging(Tool.environment) { $1 }
    ).finish()
    #expect(run.code == 0, "\(run.messages)")
    let said = run.lines.filter { $0.contains("priority") || $0.contains("memory") }
    #expect(
      said == [
        "live: the system grants the sound no priority over other programs or locked memory, so that it may break up "
          + "under load; rtprio and memlock in /etc/security/limits.conf grant them"
      ], "\(run.messages)")
    let report = try JSONSerialization.jsonObject(with: tool.bytes("report.json")) as? [String: Any]
    #expect(report?["sessions"] as? Int == 2 && report?["frames"] as? Int == 48_000)
  }

  @Test("a line a second with --plain, until its reader leaves")
  func plain() throws {
    let tool = try tool.get()
    let card = try card()
    try tool.make("wire.json", Self.wire)
    let run = try RunningProgram(
      "/bin/sh",
      [
        "-c",
        "$LEGATO live wire.json --device duplex --period 4096 --plain --seconds 60 2> messages | head -n 2",
      ],
      in: tool.folder, environment: card.environment.merging(Tool.environment) { $1 }
    ).finish()
    let lines = run.output.split(separator: "\n")
    #expect(run.messages.isEmpty && lines.count == 2)
    for line in lines {
      #expect(
        line.contains(" s  in -6.0 -6.0 dBFS  out -6.0 -6.0 dBFS  load ") || line.contains("-inf"), "\(line)")
    }
    #expect(try card.log.filter { $0.action == "close" }.count == 2)
  }

  @Test("--quiet leaves out the lines of --plain")
  func quiet() throws {
    let tool = try tool.get()
    let card = try card()
    try tool.make("wire.json", Self.wire)
    let words = [
      "live", "wire.json", "--device", "duplex", "--period", "4096", "--plain", "--seconds", "1.5",
    ]
    let run = try tool.run(words + ["--quiet"], environment: card.environment)
    #expect(run.code == 0 && run.output.isEmpty && run.messages.isEmpty, "\(run.output)\(run.messages)")
  }

  @Test(
    "wrong usage: one line that says what is right, and exit code 2",
    arguments: [
      ([], "live: MODEL is missing; see --help"),
      (["wire.json", "--period", "0"], "live: --period takes a whole number from 1 to 65536, not '0'"),
      (["wire.json", "--format", "s16"], "live: --format takes FLOAT, S32, S24_3, S24 or S16, not 's16'"),
      (
        ["wire.json", "--seconds", "-1"],
        "live: --seconds takes a time above 0 s and up to 40000000 s, such as 2.5 or 300ms, not '-1'"
      ),
      (["wire.json", "--outputs", "1,1"], "live: --outputs names channel 1 twice; each channel plays one"),
      (["wire.json", "--device", ""], "live: --device is empty; legato devices lists devices"),
      (
        ["wire.json", "--device", "a", "--capture", "b", "--playback", "c"],
        "live: --device is for what --capture and --playback leave open; leave it out"
      ),
      (["wire.json", "--force"], "live: --force goes with --record FILE, --report FILE or --data"),
      (
        ["wire.json", "--report", "-", "--plain"],
        "live: --report - and --plain both write to the standard output; name a file for the report"
      ),
      (["tone.json", "--inputs", "1"], "live: 'Test' has no input; leave --inputs out"),
      (
        ["steps.json"],
        "live: 'Test' executes steps (steps.json:1:44); only models of streams, with frames, play"
      ),
      (["wire.json", "--set", "x=1"], "live: --set x=1: 'Test' has no parameter 'x'; it has bypass and mix"),
    ])
  func usage(_ words: [String], _ message: String) throws {
    let tool = try tool.get()
    try tool.make("wire.json", Self.wire)
    try tool.make("tone.json", TestModels.noInput)
    try tool.make("steps.json", TestModels.steps)
    let run = try tool.run(["live"] + words, environment: VirtualCard().environment)
    #expect(run.code == (words == ["steps.json"] ? 1 : 2) && run.lines == [message], "\(run.messages)")
  }

  @Test("a report that could not be written is refused before anything plays")
  func report() throws {
    let tool = try tool.get()
    let card = try VirtualCard()
    try tool.make("wire.json", Self.wire)
    try tool.make("there.json", "precious")
    for path in ["there.json", "wire.json", "nowhere/report.json"] {
      let run = try tool.run(
        "live", "wire.json", "--device", "duplex", "--report", path, environment: card.environment)
      #expect(run.code != 0 && run.lines.count == 1, "\(run.messages)")
    }
    #expect(try card.log.isEmpty && tool.bytes("there.json") == Data("precious".utf8))
  }
}
