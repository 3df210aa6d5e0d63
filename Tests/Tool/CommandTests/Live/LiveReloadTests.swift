// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import GraphIR
import TensorFiles
import TestEquipment
import Testing
import VirtualCards

/// A model is edited while `legato live` plays it.
@Suite("Command: live reloads", .waits)
struct LiveReloadTests {
  private let tool = Result { try Tool() }

  private static func model(_ graph: String, parameters: String = "", rate: String = "") -> String {
    """
    { "legato": 1, "name": "Edited", \(rate) "inputs": { "x": { "shape": ["channels", "frames"] } },
      "parameters": { \(parameters) }, "graph": { \(graph) }, "outputs": ["y"] }
    """
  }

  /// A card that hears a half in both channels, in real time.
  private func card() throws -> VirtualCard {
    var settings = CardSettings { $0.formats = [.float] }
    settings.source = .samples([[Double]](repeating: [Double](repeating: 0.5, count: 4_000_000), count: 2))
    settings.pace = .real
    return try VirtualCard(settings)
  }

  private func start(_ card: VirtualCard, _ options: [String] = []) throws -> RunningProgram {
    let running = try tool.get().start(
      ["live", "model.json", "--device", "duplex", "--period", "4096"] + options,
      environment: card.environment)
    try tool.get().waitUntil("sound") { try card.log.contains { $0.action == "start" } }
    return running
  }

  /// Waits until a sample is what is played last.
  private func wait(for sample: Double, _ card: VirtualCard) throws {
    try tool.get().waitUntil("\(sample) at the card") {
      try card.played.samples.first?.suffix(1000).allSatisfy { $0 == sample } ?? false
    }
  }

  @Test("other weights in a file are heard, and a damaged file is said")
  func weights() throws {
    let (tool, card) = (try tool.get(), try card())
    func makeWeights(_ gain: Float) throws {
      let text = try TensorFileText([Weights(name: "out.gain", shape: [1], values: [gain])])
      try Data(text.bytes).write(to: URL(fileURLWithPath: tool.path("amp.safetensors")))
    }
    try makeWeights(1)
    try tool.make(
      "model.json",
      Self.model(#""y": "x * sum('out.gain')""#, rate: #""weights": { "file": "amp.safetensors" },"#))
    let running = try start(card)
    try wait(for: 0.5, card)
    try makeWeights(-0.5)
    try wait(for: -0.25, card)
    try makeWeights(.infinity)
    try tool.wait(for: "holds inf at [0]", from: running)
    try makeWeights(0.5)
    try wait(for: 0.25, card)
    #expect(try end(running).code == -SIGINT)
  }

  private func end(_ running: RunningProgram) throws -> ProgramRun {
    kill(running.process.processIdentifier, SIGINT)
    return try running.finish()
  }

  @Test("an edit is heard, crossfaded; what was turned stays; what is broken is said, and the rest plays on")
  func edits() throws {
    let (tool, card) = (try tool.get(), try card())
    let gain = #""gain": { "default": 1, "minimum": 0, "maximum": 4 }"#
    try tool.make("model.json", Self.model(#""y": "x * gain""#, parameters: gain))
    let running = try start(card, ["--set", "gain=2"])
    try wait(for: 1, card)
    try tool.make("model.json", Self.model(#""y": "x * gain * 0.5""#, parameters: gain))
    try wait(for: 0.5, card)
    try tool.make("model.json", Self.model(#""y": "x * gian""#, parameters: gain))
    try tool.wait(for: "what was read before plays on", from: running)
    try tool.make("model.json", Self.model(#""y": "-x""#))
    try wait(for: -0.5, card)
    let run = try end(running)
    #expect(run.code == -SIGINT)
    let said = run.lines.filter { $0.hasPrefix("model.json") }
    #expect(said.count == 4, "\(run.messages)")
    #expect(said.first == "model.json: reloaded" && said.last == "model.json: reloaded")
    #expect(said.contains { $0.contains("no value is called 'gian'; did you mean 'gain'?") })
    #expect(said.contains("model.json: what was read before plays on"))
    let played = try card.played.samples[0]
    // Where the machine was too slow for the card, silence was played.
    guard !run.messages.contains("underrun"), !run.messages.contains("overrun") else { return }
    let steps = zip(played, played.dropFirst()).map { abs($1 - $0) }
    let first = try #require(played.firstIndex { $0 != 0 })
    #expect(try #require(steps[(first + 1)...].max()) < 0.002)
  }

  @Test("a model that does not fit what is open is refused, and what played plays on")
  func refusals() throws {
    let (tool, card) = (try tool.get(), try card())
    try tool.make("model.json", Self.model(#""y": "x""#))
    let running = try start(card, ["--rate", "48000"])
    try wait(for: 0.5, card)
    let steps =
      #"{ "legato": 1, "name": "Steps", "inputs": { "x": { "shape": [2] } }, "graph": { "y": "x" }, "outputs": ["y"] }"#
    let misfits = [
      (
        Self.model(#""y": "x""#, rate: #""sampleRate": 44100,"#),
        "live: 'Edited' is for 44100 Hz (model.json:1:48), and the device runs at 48000; start again"
      ),
      (
        Self.model(#""y": "concatenate([x, x], axis: 0)""#),
        "live: 'Edited' makes 4 channels, and duplex (playback) was opened with 2; start again"
      ),
      (steps, "live: 'Steps' executes steps (model.json:1:45); only models of streams, with frames, play"),
    ]
    for (misfit, message) in misfits {
      try tool.make("model.json", misfit)
      try tool.wait(for: message, from: running)
    }
    try tool.make("model.json", Self.model(#""y": "2 * x""#))
    try wait(for: 1, card)
    let run = try end(running)
    let said = run.lines.filter { $0.hasPrefix("live: 'Edited'") || $0.hasPrefix("live: 'Steps'") }
    #expect(said == misfits.map(\.1), "\(run.messages)")
  }

  @Test("with --no-reload nothing happens")
  func off() throws {
    let (tool, card) = (try tool.get(), try card())
    try tool.make("model.json", Self.model(#""y": "x""#))
    let running = try start(card, ["--no-reload"])
    try wait(for: 0.5, card)
    try tool.make("model.json", Self.model(#""y": "2 * x""#))
    // An edit that is heard is heard within this.
    try tool.wait(frames: 48_000, on: card)
    let run = try end(running)
    #expect(!run.messages.contains("reload"))
    #expect(try !card.played.samples[0].contains { $0 > 0.5 })
  }
}
