// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import Glibc
import TestEquipment
import Testing
import VirtualCards

/// Files in place of what `legato live` hears, and of what it plays.
@Suite("Command: live files", .waits)
struct LiveFileTests {
  private let tool = Result { try Tool() }
  private static let wire = TestModels.model(shape: #"["channels", "frames"]"#, graph: #""y": "x""#)

  /// A card that plays floats.
  private func card(_ script: ScriptedFault...) throws -> VirtualCard {
    var settings = CardSettings { $0.formats = [.float] }
    settings.script = script
    return try VirtualCard(settings)
  }

  private func live(_ card: VirtualCard, _ words: [String]) throws -> ProgramRun {
    let tool = try tool.get()
    try tool.make("wire.json", Self.wire)
    return try tool.run(
      ["live"] + words + ["--device", "duplex", "--period", "1024"], environment: card.environment)
  }

  @Test(
    "buffers for which there is no memory are refused, and nothing stays",
    arguments: [
      (
        2_500_000, 4096, "--period 65536",
        "null: periods of 65536 frames in 4096 channels take too much memory"
      ),
      (500_000, 1024, "--record o.wav", "o.wav: 393216128 bytes cannot be allocated"),
    ])
  func memory(_ limit: Int, _ channels: Int, _ options: String, _ message: String) throws {
    let tool = try tool.get()
    let graph = #""y": "broadcast(x, [\#(channels)])""#
    try tool.make("m.json", TestModels.model(shape: #"["frames"]"#, graph: graph))
    try Sound.waves(channels: 1, frames: 9_600).write(tool.path("in.wav"))
    try tool.make("asound.conf", "pcm.null { type null }")
    let run = try tool.shell(
      "ulimit -v \(limit); export ALSA_CONFIG_PATH=$PWD/asound.conf; exec $LEGATO live m.json --input in.wav --device null --quiet --seconds 0.2 \(options)"
    )
    #expect(run.code == 1 && run.lines.count == 1 && run.messages.hasPrefix(message), "\(run.messages)")
    #expect(try tool.names == ["asound.conf", "in.wav", "m.json"])
  }

  @Test("a file is heard to its end, with the bits of legato process; then a fade, and the end")
  func input() throws {
    let tool = try tool.get()
    try Sound.waves(channels: 2, frames: 30_000).write(tool.path("in.wav"))
    let settings = ["--set", "resolution=9"]
    try #require(try tool.run(["process", Tool.bitcrusher, "in.wav", "out.wav"] + settings).code == 0)
    let expected = try Sound.read(tool.path("out.wav"))
    let card = try card()
    let run = try live(card, [Tool.bitcrusher, "--input", "in.wav", "--report", "report.json"] + settings)
    #expect(run.code == 0, "\(run.messages)")
    #expect(try card.log.allSatisfy { $0.stream == .playback })
    let played = try card.played
    for channel in 0..<2 {
      let isEqual =
        played.samples[channel].dropFirst(3072).prefix(30_000)
        == expected.samples[channel].map(Double.init)[...]
      #expect(isEqual)
      #expect(played.samples[channel].dropFirst(33_552).allSatisfy { $0 == 0 })
    }
    let report = try JSONSerialization.jsonObject(with: tool.bytes("report.json")) as? [String: Any]
    #expect(report?["frames"] as? Int == 30_480 && report?["capture"] == nil)
    #expect((report?["input"] as? [String: Any])?["missing"] as? Int == 0)
  }

  @Test("a file over and over, without a seam, and its chosen channel")
  func loop() throws {
    let tool = try tool.get()
    let sound = Sound.waves(channels: 2, frames: 1777)
    try sound.write(tool.path("in.wav"))
    let card = try card()
    let run = try live(
      card, ["wire.json", "--input", "in.wav", "--loop", "--inputs", "2", "--seconds", "0.5"])
    #expect(run.code == 0, "\(run.messages)")
    let played = try card.played
    for channel in 0..<2 {
      let isEqual =
        Array(played.samples[channel].dropFirst(3072).prefix(23_520))
        == (0..<23_520).map { Double(sound.samples[1][$0 % 1777]) }
      #expect(isEqual)
    }
  }

  @Test(
    "a file's rate is the device's, unless another one is asked for: then it is resampled, and that is said")
  func rates() throws {
    let tool = try tool.get()
    try Sound(samples: [[Float](repeating: 0.25, count: 9000)], sampleRate: 44100).write(tool.path("in.wav"))
    let own = try card()
    let run = try live(own, ["wire.json", "--input", "in.wav"])
    #expect(run.code == 0 && !run.messages.contains("resampled"), "\(run.messages)")
    #expect(try own.log.contains { $0.action == "set" && $0.details.contains(" 44100 Hz") })
    let other = try card()
    let resampled = try live(other, ["wire.json", "--input", "in.wav", "--rate", "48000"])
    #expect(resampled.code == 0 && resampled.lines.contains("in.wav: resampled from 44100 to 48000 Hz"))
    #expect(try other.log.contains { $0.action == "set" && $0.details.contains(" 48000 Hz") })
  }

  @Test("what plays is recorded: the same bits, to the end of the fade")
  func record() throws {
    let tool = try tool.get()
    let card = try card()
    let run = try live(
      card, ["wire.json", "--seconds", "0.5", "--record", "take.wav", "--report", "report.json"])
    #expect(run.code == 0, "\(run.messages)")
    #expect(run.lines.contains("take.wav: 24000 frames (0.50 s) recorded"))
    let take = try Sound.read(tool.path("take.wav"))
    #expect(take.frames == 24_000 && take.sampleRate == 48_000)
    let played = try card.played
    for channel in 0..<2 {
      let isEqual =
        played.samples[channel].dropFirst(3072).prefix(24_000) == take.samples[channel].map(Double.init)[...]
      #expect(isEqual)
    }
    #expect(take.samples[0].contains { $0 != 0 })
    let report = try JSONSerialization.jsonObject(with: tool.bytes("report.json")) as? [String: Any]
    let recording = report?["recording"] as? [String: Any]
    #expect(recording?["frames"] as? Int == 24_000 && recording?["framesLost"] as? Int == 0)
  }

  @Test("a recording is kept when its device is gone, and after a signal")
  func kept() throws {
    let tool = try tool.get()
    let lost = try live(
      card(.both(at: 20_000, .unplug(absences: nil))), ["wire.json", "--record", "lost.wav"])
    #expect(lost.code == 3)
    #expect((18_000...20_480).contains(try Sound.read(tool.path("lost.wav")).frames))
    var settings = CardSettings()
    settings.pace = .real
    let card = try VirtualCard(settings)
    let running = try tool.start(
      ["live", "wire.json", "--device", "duplex", "--period", "4096", "--record", "stopped.flac"],
      environment: card.environment)
    try tool.waitUntil("sound") { try card.log.contains { $0.action == "start" } }
    try tool.wait(frames: 12_000, on: card)
    kill(running.process.processIdentifier, SIGTERM)
    #expect(try running.finish().code == -SIGTERM)
    #expect(try Sound.read(tool.path("stopped.flac")).frames > 480)
  }

  /// Records and reports for a moment, while strace holds up a system call or sends a signal in its place.
  private func traced(_ tampering: String) throws -> ProgramRun {
    let tool = try tool.get()
    try tool.make("wire.json", Self.wire)
    let card = try card()
    let running = try RunningProgram(
      "/bin/sh",
      [
        "-c",
        "strace -f -o trace -e trace=link \(tampering) $LEGATO live wire.json --device duplex --period 1024 "
          + "--seconds 0.1 --record take.wav --report report.json",
      ], in: tool.folder, environment: card.environment.merging(Tool.environment) { $1 })
    return try withExtendedLifetime(card) { try running.finish() }
  }

  @Test(
    "a disk that is too slow to give a recording its name: said, nothing unfinished stays, and the report is there",
    .enabled(if: Tool.canTrace, "strace is missing, or may not look at programs"))
  func slow() throws {
    let run = try traced("-P take.wav -e inject=link:delay_enter=20000000")
    #expect(run.code == 1, "\(run.messages)")
    #expect(
      run.lines.contains(
        "take.wav: nothing was recorded: the disk did not take the recording within a second"),
      "\(run.messages)")
    #expect(try tool.get().names.filter { $0 != "trace" } == ["report.json", "wire.json"])
  }

  @Test(
    "a signal as the report gets its name: recording and report are whole",
    .enabled(if: Tool.canTrace, "strace is missing, or may not look at programs"))
  func reported() throws {
    let run = try traced("-P report.json -e inject=link:signal=SIGTERM")
    #expect(run.code == 143 || run.code == -SIGTERM, "\(run.code), \(run.messages)")
    let tool = try tool.get()
    #expect(try Sound.read(tool.path("take.wav")).frames == 4800)
    let report = try JSONSerialization.jsonObject(with: tool.bytes("report.json")) as? [String: Any]
    #expect(report?["frames"] as? Int == 4800)
    #expect(try tool.names.filter { $0 != "trace" } == ["report.json", "take.wav", "wire.json"])
  }

  @Test(
    "what cannot be read or written: one line, and nothing is opened",
    arguments: [
      (["--loop"], 2, "live: --loop goes with --input FILE"),
      (["--bits", "16"], 2, "live: --bits goes with --record FILE"),
      (
        ["--input", "in.wav", "--capture", "x"], 2,
        "live: --input takes the place of --capture; leave one of them out"
      ),
      (["--input", "in.wav", "--inputs", "3"], 2, "live: --inputs: there is no channel 3; in.wav has 2"),
      (["--input", "none.wav"], 1, "none.wav: no such file"),
      (["--input", "wire.json"], 1, "wire.json: "),
      (["--record", "take.mp3"], 2, "live: --record takes a file whose name ends in .wav, "),
      (["--record", "in.wav"], 1, "in.wav: "),
      (
        ["--input", "in.wav", "--record", "in.wav", "--force"], 2,
        "live: 'in.wav' is what the result is made of"
      ),
      (["--record", "nowhere/take.wav"], 1, "nowhere: no such folder"),
      (["--record", "a.wav", "--report", "a.wav"], 2, "live: 'a.wav' is what the result is made of"),
    ])
  func refused(_ words: [String], _ code: Int32, _ message: String) throws {
    let tool = try tool.get()
    try Sound.waves(channels: 2, frames: 100).write(tool.path("in.wav"))
    let before = try tool.bytes("in.wav")
    let card = try card()
    let run = try live(card, ["wire.json"] + words)
    #expect(run.code == code && run.lines.count == 1, "\(run.messages)")
    #expect(run.messages.hasPrefix(message), "\(run.messages)")
    #expect(try card.log.isEmpty && tool.names == ["in.wav", "wire.json"])
    #expect(try tool.bytes("in.wav") == before)
  }

  /// Some 70 million multiplications for a third of a millisecond.
  private static let heavy: String = {
    let kernel = "[" + [String](repeating: "0.001", count: 16).joined(separator: ",") + "]"
    let row = "[" + [String](repeating: kernel, count: 64).joined(separator: ",") + "]"
    let weight = "[" + [String](repeating: row, count: 64).joined(separator: ",") + "]"
    let layers = (1...16).map { #""a\#($0)": "conv1d(a\#($0 - 1), weight: 'w')""# }.joined(separator: ", ")
    return """
      { "legato": 1, "name": "Heavy", "inputs": { "x": { "shape": ["frames"] } }, "weights": { "w": \(weight) },
        "graph": { "a0": "broadcast(x, [64])", \(layers), "y": "mean(a16, axis: 0)" }, "outputs": ["y"] }
      """
  }()

  /// Plays a model that takes several times as long as its sound lasts.
  private func playHeavy(_ pace: CardSettings.Pace, _ options: [String]) throws -> (
    run: ProgramRun, report: [String: Any], played: PlayedSound
  ) {
    let tool = try tool.get()
    try tool.make("heavy.json", Self.heavy)
    var settings = CardSettings { $0.formats = [.float] }
    settings.capture.channels = [1]
    settings.playback.channels = [1]
    settings.pace = pace
    let card = try VirtualCard(settings)
    let run = try tool.run(
      ["live", "heavy.json", "--device", "duplex", "--rate", "192000", "--report", "report.json"] + options,
      environment: card.environment)
    let report = try JSONSerialization.jsonObject(with: tool.bytes("report.json")) as? [String: Any]
    return (run, try #require(report), try card.played)
  }

  @Test("periods that take longer than they last are counted")
  func late() throws {
    let (run, report, _) = try playHeavy(.free, ["--period", "64", "--periods", "64", "--seconds", "0.05"])
    #expect(run.code == 0, "\(run.messages)")
    #expect(try #require(report["latePeriods"] as? Int) > 100, "\(run.messages)")
    #expect(run.messages.contains(" late periods"))
  }

  @Test("bypassed, a model that is far too slow for its device plays the input's bits in time")
  func bypassed() throws {
    let (run, report, played) = try playHeavy(
      .free, ["--period", "16384", "--seconds", "1", "--set", "bypass=1"])
    #expect(run.code == 0, "\(run.messages)")
    // Executed, each takes several times as long as it lasts. A machine that is busy may hold up some of them.
    let counts = (report["latePeriods"] as? Int, report["periods"] as? Int)
    #expect(try #require(counts.0) <= #require(counts.1) / 2, "\(run.messages)")
    #expect(report["underruns"] as? Int == 0, "\(run.messages)")
    // The last 10 ms are the fade.
    let isEqual =
      Array(played.samples[0].dropFirst(3 * 16384).prefix(190_080))
      == (0..<190_080).map { CardFormat.float.ramp($0, channel: 0) }
    #expect(isEqual)
  }
}
