// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import RealtimeCore
import TestEquipment
import Testing

@testable import LegatoTraining

/// Networks of captures: their files, and how they learn.
@Suite struct CaptureTrainingTests {
  private static let pair: CapturePair = {
    let signal = TestSignal(seconds: 4, sampleRate: 8000).samples
    return try! CapturePair(dry: signal, wet: signal.map { 0.7 * tanh(3 * $0) }, sampleRate: 8000)
  }()

  /// The numbers in the files of Neural Amp Modeler 0.13 for the same networks.
  @Test(arguments: [
    ("lstm:16", 1201), ("lstm:40", 6841), ("wavenet:standard", 13_802), ("wavenet:lite", 6554),
    ("wavenet:feather", 3026), ("wavenet:nano", 842),
  ])
  func hasTheirNumbers(_ name: String, _ count: Int) throws {
    let network = try CaptureNetwork(name)
    #expect(network.weightCount == count && network.description == name)
    _ = try network.model(network.blank, sampleRate: 48_000)
  }

  @Test(arguments: ["lstm", "lstm:0", "lstm:x", "wavenet:huge", "gru:8", ""])
  func othersAreRefused(_ name: String) {
    #expect { _ = try CaptureNetwork(name) } throws: {
      "\($0)".hasPrefix("a network is lstm:1 to lstm:256, or wavenet:")
    }
  }

  /// Each array comes back from the file to which it was written.
  @Test(arguments: ["lstm:3", "wavenet:nano"])
  func numbersComeBack(_ name: String) throws {
    let network = try CaptureNetwork(name)
    var random = SplitMix(seed: 3)
    var arrays: [String: [Float]] = [:]
    for array in try network.model(network.blank, sampleRate: 48_000).graph(extents: [:], sampleRate: nil)
      .weights
    {
      arrays[array.name] = array.values.map { _ in random.float(-0.4, 0.4) }
    }
    let numbers = try network.weights(arrays)
    let graph = try network.model(numbers, sampleRate: 48_000).graph(extents: [:], sampleRate: nil)
    var count = 0
    for array in graph.weights {
      guard let wanted = arrays[array.name] else {
        // Where an LSTM begins.
        #expect(["lstm1.hidden", "lstm1.cell"].contains(array.name))
        continue
      }
      #expect(Array(array.values) == wanted, "\(array.name)")
      count += 1
    }
    #expect(count == arrays.count && count > 4)
    if name.hasPrefix("wavenet") { #expect(numbers.last == 0.02) }
  }

  /// An epoch of one batch ends with it, and is judged once.
  @Test func isJudgedOnce() throws {
    let training = try CaptureTraining(Self.pair, CaptureNetwork("wavenet:nano"))
    #expect(training.windows.learned <= 16)
    var judged = 0
    try training.run(until: .epochs(2)) { progress in
      judged += progress.held == nil ? 0 : 1
      return .goOn
    }
    #expect(judged == 2)
  }

  /// A network that has rested says the same in its first frame as after a second of silence.
  @Test func beginsAtRest() throws {
    let network = try CaptureNetwork("lstm:3")
    var random = SplitMix(seed: 9)
    let start = try network.weights([
      "lstm1.weight": (0..<12).map { _ in random.float(-1, 1) },
      "lstm1.recurrent": (0..<36).map { _ in random.float(-0.5, 0.5) },
      "lstm1.bias": (0..<12).map { _ in random.float(-1, 1) },
      "head.weight": [0.5, -0.7, 0.3], "head.bias": [0.1],
    ])
    let text = try network.model(start, sampleRate: 48_000).imported(weightsIn: "w.safetensors").model
    #expect(text.contains("initial: 'lstm1.hidden'"))
    // Without warming up, by the file alone.
    var context = try Context(network.model(start, sampleRate: 48_000).compile())
    var sound = [Float](repeating: 0, count: 4000)
    var samples = sound.mutableSpan
    context.execute(frames: 4000, inPlace: &samples)
    #expect(sound.allSatisfy { abs($0 - sound[0]) < 1e-6 })
  }

  @Test func theSameSeedGivesTheSameBits() throws {
    func file(seed: UInt64, threads: Int) throws -> String {
      let training = try CaptureTraining(Self.pair, CaptureNetwork("lstm:2"), seed: seed, threads: threads)
      try training.run(until: .epochs(12))
      #expect(training.best.epoch > 0)
      return try training.capture(named: "amp", weightsIn: "amp.safetensors").file
    }
    let first = try file(seed: 7, threads: 1)
    #expect(try file(seed: 7, threads: 2) == first)
    #expect(try file(seed: 8, threads: 1) != first)
    #expect(first.contains("\"loudness\": -") && first.contains("\"validation_esr\": "))
  }

  /// A network is a capture from the first judgement on at which it was better than silence.
  @Test func whatIsNoBetterThanSilenceIsNoCapture() throws {
    let training = try CaptureTraining(Self.pair, CaptureNetwork("lstm:2"), seed: 7)
    var held: [Double] = []
    try training.run(until: .epochs(1)) { progress in
      if let esr = progress.held { held.append(esr) }
      #expect(!progress.isBest)
      return .goOn
    }
    #expect(held.count == 2 && held.allSatisfy { $0 >= 1 } && training.best == (1, 0), "\(held)")
    let capture = try training.capture(named: "amp", weightsIn: "amp.safetensors")
    #expect(!capture.file.contains("validation_esr"))
  }

  /// The three files are one network; what stood there is replaced, and nothing is left beside them.
  @Test func filesAppearTogether() throws {
    let folder = try TemporaryFolder()
    try folder.make("amp.nam", "another one")
    let training = try CaptureTraining(Self.pair, CaptureNetwork("lstm:2"), seed: 1)
    try training.run(until: .epochs(40)) { $0.isBest ? .stop : .goOn }
    try training.export(to: folder("amp.json"))
    #expect(try folder.names == ["amp.json", "amp.nam", "amp.safetensors"])
    let made = try training.capture(named: "amp", weightsIn: "amp.safetensors")
    #expect(try folder.text("amp.nam") == made.file && folder.text("amp.json") == made.model)
    let models = try ["amp.json", "amp.nam"].map {
      try Model(contentsOf: folder($0)).graph(extents: [:], sampleRate: nil)
    }
    #expect(models[0].weights.map(\.values) == models[1].weights.map(\.values))
    #expect(throws: RequestError.self) { try training.export(to: folder("amp.wav")) }
    #expect(throws: TrainingError.self) { try training.export(to: folder("none/amp.json")) }
  }

  @Test(arguments: [CaptureTraining.End.seconds(0), .seconds(-1), .seconds(.nan)])
  func noTimeIsOverAtOnce(end: CaptureTraining.End) throws {
    let training = try CaptureTraining(Self.pair, CaptureNetwork("lstm:2"), seed: 1)
    var batches = 0
    try training.run(until: end) { progress in
      batches += 1
      #expect(progress.share == 1)
      return batches < 3 ? .goOn : .stop
    }
    #expect(batches == 1)
  }

  @Test func learnsAndStops() throws {
    let training = try CaptureTraining(Self.pair, CaptureNetwork("lstm:4"))
    #expect(training.windows.held > 0 && training.windows.learned > 8 * training.windows.held)
    var (judged, last) = ([Double](), 0.0)
    try training.run(until: .epochs(1000)) { progress in
      if let held = progress.held { judged.append(held) }
      #expect(progress.share >= last && progress.secondsLeft >= 0)
      last = progress.share
      return progress.epoch > 40 ? .stop : .goOn
    }
    // The first judgement comes before the end of an epoch.
    #expect(judged.count == 41 && training.best.esr == judged.min() && training.best.esr < 0.25 * judged[0])
  }
}
