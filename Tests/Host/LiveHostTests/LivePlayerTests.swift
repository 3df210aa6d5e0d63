// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import Glibc
import Legato
import RealtimeCore
import TestEquipment
import Testing
import VirtualCards

@testable import LiveHost

/// A player as other programs use it: on the virtual card, without a command.
@Suite(.waits) struct LivePlayerTests {
  private static let text = """
    { "legato": 1, "name": "Played", "inputs": { "x": { "shape": ["channels", "frames"] } },
      "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 4, "unit": "dB" } },
      "graph": { "y": "x * gain" }, "outputs": ["y"], "presets": { "Loud": { "gain": 1.5 } } }
    """

  /// A card that captures a half in both channels.
  private func card(_ script: ScriptedFault..., pace: CardSettings.Pace = .free) throws -> VirtualCard {
    var settings = CardSettings()
    for direction in [\CardSettings.capture, \CardSettings.playback] {
      settings[keyPath: direction].formats = [.float]
      settings[keyPath: direction].channels = [2]
    }
    (settings.script, settings.pace) = (script, pace)
    settings.source = .samples([[Double]](repeating: [Double](repeating: 0.5, count: 400_000), count: 2))
    return try VirtualCard(settings)
  }

  private func request(_ card: VirtualCard) -> LiveRequest {
    var request = LiveRequest(device: card.name)
    (request.rate, request.period, request.seconds, request.locksMemory) = (48_000, 1024, 0.5, false)
    return request
  }

  private func play(_ player: LivePlayer) throws -> LiveReport {
    while player.state != .ended {
      try player.wait(atMost: 1)
      player.look()
    }
    return player.close()
  }

  @Test func playsWhatItIsAskedFor() throws {
    let (card, folder) = (try card(), try TemporaryFolder())
    var request = request(card)
    let model = try Model(Self.text)
    request.settings = [try model.setting("gain", to: 0.25)]
    request.recording = .init(path: folder("take.wav"))
    let player = try LivePlayer(LiveModel(model), request)
    #expect(player.state == .idle && player.control == nil && player.latency == nil)
    try player.start()
    #expect(player.state == .playing && player.latency == 3 * 1024 && player.contexts == 1)
    let report = try play(player)
    #expect(report.record.frames == 24_000 && report.recording?.frames == 24_000)
    #expect(report.record.account.overruns == 0 && report.record.xruns == [])
    #expect(report.capture?.channels == 2 && report.playback?.format == "FLOAT")
    for samples in try card.played.samples {
      #expect(samples[4000..<20_000].allSatisfy { $0 == 0.125 })
    }
    let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any]
    #expect(encoded?["model"] as? String == "Played" && encoded?["frames"] as? Int == 24_000)
  }

  @Test func parametersPresetsAndTheBypassAreTurned() throws {
    let card = try card(pace: .real)
    var request = request(card)
    request.seconds = nil
    let player = try LivePlayer(LiveModel(Model(Self.text)), request)
    try player.start()
    let control = try #require(player.control)
    func wait(for sample: Double) throws {
      let deadline = ContinuousClock.now + .seconds(60)
      while try card.played.samples.first?.suffix(100).allSatisfy({ $0 == sample }) != true {
        try #require(ContinuousClock.now < deadline, "\(sample) is never played")
        try player.wait(atMost: 0.01)
      }
    }
    try wait(for: 0.5)
    control.set("gain", to: 2)
    try wait(for: 1)
    control.choose(preset: 0)
    try wait(for: 0.75)
    #expect(control.preset == 0 && control.knob(named: "gain").map(control.value) == 1.5)
    control.toggleBypass()
    try wait(for: 0.5)
    #expect(control.isBypassed == true)
    player.stop()
    #expect(try play(player).error == nil)
    #expect(player.isAskedToEnd)
  }

  @Test func whatIsTurnedIsSavedAsAPreset() throws {
    let (card, folder) = (try card(pace: .real), try TemporaryFolder())
    var request = request(card)
    request.seconds = nil
    try folder.make("model.json", Self.text)
    let player = try LivePlayer(LiveModel(contentsOf: folder("model.json")), request)
    try player.start()
    let control = try #require(player.control)
    control.set("gain", to: 0.5)
    control.toggleBypass()
    #expect(try control.save(preset: "Soft", ofModelWith: "gain") == folder("model.json"))
    let soft = #""Loud": { "gain": 1.5 }, "Soft": { "gain": 0.5 } }"#
    #expect(try folder.text("model.json") == Self.text.replacing(#""Loud": { "gain": 1.5 } }"#, with: soft))
    let deadline = ContinuousClock.now + .seconds(60)
    // A file that is younger than a tick of the clock is read once more by itself.
    while control.model.presets.count < 2 {
      try #require(ContinuousClock.now < deadline, "it is not read again")
      try player.wait(atMost: 1)
    }
    #expect(control.model.presets.map(\.name) == ["Loud", "Soft"] && control.preset == 1)
    // A file that is broken meanwhile stays as it is.
    try folder.make("model.json", "{ broken")
    #expect(throws: LiveError.self) { try control.save(preset: "Soft", ofModelWith: "gain") }
    #expect(try folder.text("model.json") == "{ broken")
    player.stop()
    _ = try play(player)
  }

  @Test func anEditedModelTakesThePlace() throws {
    let (card, folder) = (try card(pace: .real), try TemporaryFolder())
    var request = request(card)
    request.seconds = nil
    try folder.make("model.json", Self.text)
    // Until the clock of files has moved on, nobody knows whether it was written once more: it would be read again.
    while !FileMoment().isAfterLastChange(of: folder("model.json")) { sched_yield() }
    let player = try LivePlayer(LiveModel(contentsOf: folder("model.json")), request)
    var told: [String] = []
    player.onEvent = { event in
      switch event {
      case .reloaded: told.append("reloaded")
      case .broken(let error): told.append("broken: \(error)")
      case .notice, .waiting, .lost, .trouble, .recordingFailed, .missing, .restored, .learnt: break
      }
    }
    try player.start()
    func edit(_ text: String) throws {
      let before = told.count
      try folder.make("model.json", text)
      let deadline = ContinuousClock.now + .seconds(60)
      while told.count == before {
        try #require(ContinuousClock.now < deadline, "nothing is told")
        try player.wait(atMost: 1)
      }
    }
    try edit(Self.text.replacingOccurrences(of: "x * gain", with: "x * gian"))
    try edit(Self.text.replacingOccurrences(of: "x * gain", with: "-lookahead(x, 64) * gain"))
    #expect(told.first?.contains("no value is called 'gian'; did you mean 'gain'?") == true)
    #expect(told.count == 2 && told.last == "reloaded" && player.control?.generation == 1)
    player.stop()
    #expect(try play(player).modelLatency == 64)
  }

  @Test func anEditThatDoesNotFitAFileIsToldOfTheFile() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 2, frames: 10).write(folder("in.wav"))
    let file = try AudioFileReader(path: folder("in.wav")).description
    let binding = try LiveDevices(LiveRequest(), Model(Self.text), reading: file).binding(block: 64)
    let edited = try Model(Self.text.replacing(#"["channels", "frames"]"#, with: #"[3, "frames"]"#))
    #expect {
      _ = try binding.program(edited, values: [:])
    } throws: { error in
      "\(error)".contains("\(folder("in.wav")) has 2")
    }
  }

  /// Who wants it to last for ever may say so, and wait as long.
  @Test func timesWithoutEnd() throws {
    let card = try card()
    var request = request(card)
    request.seconds = .infinity
    let player = try LivePlayer(LiveModel(Model(Self.text)), request)
    try player.start()
    player.stop()
    while player.state != .ended { try player.wait(atMost: .infinity) }
    #expect(try player.close().record.sessions == 1 && card.played.samples.count == 2)
  }

  /// A model warms up with the values that are set, and after an edit with those to which knobs were turned.
  @Test func silenceHasTheValuesOfKnobs() throws {
    let (card, folder) = (try card(pace: .real), try TemporaryFolder())
    let text = """
      { "legato": 1, "prewarm": 100, "inputs": { "x": { "shape": ["channels", "frames"] } },
        "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 4 } },
        "graph": { "level": "gain + 0.5 * delay(level, 1) + 0 * x", "y": "level" }, "outputs": ["y"] }
      """
    try folder.make("model.json", text)
    while !FileMoment().isAfterLastChange(of: folder("model.json")) { sched_yield() }
    let model = try LiveModel(contentsOf: folder("model.json"))
    var request = request(card)
    request.seconds = nil
    request.settings = [try model.model.setting("gain", to: 2)]
    let player = try LivePlayer(model, request)
    var told: [String] = []
    player.onEvent = { if case .reloaded = $0 { told.append("reloaded") } }
    try player.start()
    let control = try #require(player.control)
    func first(_ gain: Float) throws -> Float {
      var driver = try ContextDriver(control.program, frames: 1)
      driver[0].parameter(named: "gain")?.set(gain)
      driver.execute(1)
      return driver.outputs[0, 0]
    }
    #expect(try first(2) == 4)
    control.set("gain", to: 3)
    try folder.make("model.json", text.replacing("0.5 *", with: "0.75 *"))
    let deadline = ContinuousClock.now + .seconds(60)
    while told.isEmpty {
      try #require(ContinuousClock.now < deadline, "nothing is told")
      try player.wait(atMost: 1)
    }
    #expect(abs(try first(3) - 12) < 1e-5)
    player.stop()
    _ = try play(player)
  }

  @Test func aLostDeviceIsAnErrorWithItsName() throws {
    let card = try card(.capture(at: 9000, .unplug(absences: nil)))
    let player = try LivePlayer(LiveModel(Model(Self.text)), request(card))
    try player.start()
    #expect {
      try play(player)
    } throws: { error in
      guard case .device(let error)? = error as? LiveError else { return false }
      return error.description == "\(card.name) (capture): the device is gone"
    }
    #expect(player.state == .ended)
    #expect(player.close().record.frames > 0)
  }

  @Test func aDeviceThatComesBackPlaysOn() throws {
    let card = try card(.capture(at: 9000, .unplug(absences: 1)))
    var request = request(card)
    request.waitsForDevices = true
    let player = try LivePlayer(LiveModel(Model(Self.text)), request)
    var told: [String] = []
    player.onEvent = { event in
      switch event {
      case .lost: told.append("lost")
      case .waiting: told.append("waiting")
      case .notice, .broken, .reloaded, .trouble, .recordingFailed, .missing, .restored, .learnt: break
      }
    }
    try player.start()
    let report = try play(player)
    #expect(told == ["lost", "waiting"])
    #expect(report.record.sessions == 2 && report.record.frames == 24_000)
  }

  @Test func refusalsSayWhatThereIs() throws {
    let card = try card()
    let model = try LiveModel(Model(Self.text))
    func refusal(_ change: (inout LiveRequest) -> Void) throws -> String {
      var request = request(card)
      change(&request)
      let player: LivePlayer
      do throws(LiveError) {
        player = try LivePlayer(model, request)
        try player.start()
      } catch { return error.description }
      _ = player.close()
      return "none"
    }
    #expect(try refusal { $0.period = 0 } == "period takes 1 to 65536 frames")
    #expect(try refusal { $0.inputs = [-1] } == "inputs: there is no channel -1; the first one is 0")
    #expect(try refusal { $0.outputs = [-1, 0] } == "outputs: there is no channel -1; the first one is 0")
    #expect(try refusal { $0.inputs = [] } == "inputs names no channel; nil is for the usual ones")
    for seconds in [-1, .nan, -.infinity] as [Double] {
      #expect(try refusal { $0.seconds = seconds } == "seconds takes 0 or more")
    }
    #expect(try refusal { $0.outputs = [1, 1] } == "outputs names channel 2 twice; each channel plays one")
    #expect(
      try refusal { $0.capture = "nowhere" }
        == "nowhere (capture): no such device; LiveDevice.all lists those that there are")
    #expect(try refusal { $0.input = .init(path: "/none.wav") } == "/none.wav: no such file")
  }
}
