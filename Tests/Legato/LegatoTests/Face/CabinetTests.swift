// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import LegatoEquipment
import TestEquipment
import Testing

/// Impulse responses of cabinets as weights of models.
@Suite struct CabinetTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.make("cab.wav", WaveBytes([[1, 0.5, -0.25]]).bytes)
    try folder.make("wide.wav", WaveBytes([[1, 0.5], [0, 0.25]]).bytes)
  }

  private func model(_ file: String, _ expression: String = "fir(x, 'cabinet')", channels: Int = 1) throws
    -> Model
  {
    try folder.make(
      "amp.json",
      """
      { "legato": 1, "name": "Amp", "inputs": { "x": { "shape": [\(channels), "frames"] } },
        "weights": { "cabinet": { "file": "\(file)" } }, "graph": { "y": "\(expression)" }, "outputs": ["y"] }
      """)
    return try Model(contentsOf: folder("amp.json"))
  }

  private func outputs(_ model: Model, _ inputs: [[Float]]) throws -> [[Float]] {
    let graph = try model.graph(extents: [:], sampleRate: nil)
    return try NativeRun(graph).outputs(of: Stimulus(inputs: inputs, frames: inputs[0].count))
  }

  @Test func aModelPlaysThroughIt() throws {
    let model = try model("cab.wav")
    #expect(try outputs(model, [[1, 0, 0, 2, 0]]) == [[1, 0.5, -0.25, 2, 1]])
    // Hot reload watches it.
    #expect(model.usedFiles == [folder("cab.wav")])
    let builder = GraphBuilder("Amp")
    let cabinet = builder.impulseResponse("cabinet", contentsOf: folder("cab.wav"))
    builder.output("y", builder.input("x", channels: 1).fir(cabinet))
    #expect(try builder.compilation().graphText == model.compilation().graphText)
  }

  @Test func aStereoFileIsARowForEachChannel() throws {
    let both = try model("wide.wav", channels: 2)
    #expect(try outputs(both, [[1, 0], [0, 1]]) == [[1, 0.5], [0, 0]])
    let spread = try model("wide.wav", "fir(broadcast(x, [2]), 'cabinet')")
    #expect(try outputs(spread, [[1, 0]]) == [[1, 0.5], [0, 0.25]])
    let found = reportedProblems { _ = try model("wide.wav").compilation() }
    #expect(found.count == 1 && found[0].contains("broadcast(…, [2])"), "\(found)")
  }

  /// The model's rate decides: at twice the rate, twice as many taps of half the size.
  @Test func itFollowsTheRate() throws {
    let tone = (0..<480).map { frame -> Float in
      let distance = Float(frame - 200) / 30
      return exp(-distance * distance)
    }
    try folder.make("tone.wav", WaveBytes([tone]).bytes)
    let model = try model("tone.wav")
    func taps(_ rate: Double) throws -> [Float] {
      let weights = try model.graph(extents: [:], sampleRate: rate).weights
      return Array(weights[weights.count - 1].values.reversed())
    }
    let (once, twice) = (try taps(48_000), try taps(96_000))
    let sums: [Float] = [once.reduce(0, +), twice.reduce(0, +)]
    #expect(abs(sums[0] - sums[1]) < 1e-3)
    #expect(once[200] == 1)
    #expect(abs(twice[400] - 0.5) < 1e-4)
  }

  @Test func whatIsWrongIsOneLine() throws {
    try folder.make("text.wav", "no sound")
    for (file, message) in [("gone.wav", "is not there"), ("text.wav", "text.wav' is no WAVE file")] {
      let found = reportedProblems { _ = try model(file) }
      #expect(found.count == 1 && found[0].contains(message) && found[0].contains("amp.json:2:"), "\(found)")
    }
    #expect(reportedProblems { _ = try model("../cab.wav") }.count == 1)
    let builder = GraphBuilder("Amp")
    builder.output(
      "y", builder.input("x", channels: 1).fir(builder.impulseResponse("c", contentsOf: folder("text.wav"))))
    #expect(reportedProblems { _ = try builder.compilation() }.contains { $0.contains("is no WAVE file") })
  }

  /// A file has any number of names, and its taps are made for each.
  @Test func tapsAreCountedAsOftenAsTheyAreNamed() throws {
    let samples = [UInt8](repeating: 200, count: 1 << 20)
    try folder.make("hall.wav", WaveBytes(form: 1, bits: 8, data: samples).bytes)
    func problems(_ count: Int) throws -> [String] {
      let names = (1...count).map { "\"w\($0)\": { \"file\": \"hall.wav\" }" }.joined(separator: ", ")
      let text = """
        { "legato": 1, "inputs": { "x": { "shape": [1, "frames"] } },
          "weights": { \(names) }, "graph": { "y": "x" }, "outputs": ["y"] }
        """
      try folder.make("halls.json", text)
      let model = try Model(contentsOf: folder("halls.json"))
      return reportedProblems { () throws(ModelError) in _ = try model.graph(extents: [:], sampleRate: nil) }
    }
    #expect(try problems(128).isEmpty)
    let found = try problems(200)
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.contains("halls.json:2:") == true)
    let message = "the impulse responses of the model have too many taps; all in all 134217728 are the most"
    #expect(found.first?.hasSuffix(message) == true, "\(found)")
  }

  @Test func aLongOneIsNoted() throws {
    try folder.make("hall.wav", WaveBytes([[Float](repeating: 0.5, count: 5000)]).bytes)
    let notes = try model("hall.wav").compilation().notes
    #expect(notes.map(\.message).contains { $0.contains("its 5000 taps take 5000 products") }, "\(notes)")
    #expect(try model("cab.wav").compilation().notes.isEmpty)
  }
}
