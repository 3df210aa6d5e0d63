// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import GraphIR
import TensorFiles
import TestEquipment
import Testing

@Suite("Command: weights in files", .waits)
struct WeightsCommandTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try makeWeights(2)
    try tool.make(
      "amp.json",
      """
      { "legato": 1, "name": "Amp", "inputs": { "x": { "shape": [1, "frames"] } },
        "weights": { "file": "amp.safetensors", "level": [0.5] },
        "graph": { "y": "'level' * conv1d(x, 'conv.weight')" }, "outputs": ["y"] }
      """)
  }

  private func makeWeights(_ gain: Float) throws {
    let text = try TensorFileText([
      Weights(name: "conv.weight", shape: [1, 1, 3], values: Numbers([0, 0, gain]))
    ])
    try Data(text.bytes).write(to: URL(fileURLWithPath: tool.path("amp.safetensors")))
  }

  @Test("inspect lists them, with what each costs")
  func inspect() throws {
    let run = try tool.run("inspect", "amp.json")
    #expect(run.code == 0, "\(run.messages)")
    let rows = run.output.split(separator: "\n").filter { $0.contains(" in the program") }
    #expect(rows.count == 2, "\(run.output)")
    #expect(rows[0].contains("level") && rows[0].contains("[1]") && rows[0].contains("in the model"))
    #expect(rows[1].contains("conv.weight") && rows[1].contains("[1, 1, 3]"))
    #expect(rows[1].contains("F32 in amp.safetensors, 12 bytes"))
    #expect(rows[1].contains("12 bytes in the program") && rows[1].hasSuffix("3 products a frame"))
    struct Report: Decodable {
      struct Weights: Decodable {
        let name: String, shape: [Int], file: String?, type: String?, fileBytes: Int?
        let programBytes, products: Int
      }
      let weights: [Weights]
    }
    let json = try tool.run("inspect", "amp.json", "--json").output
    let weights = try JSONDecoder().decode(Report.self, from: Data(json.utf8)).weights
    #expect(
      weights.map(\.name) == ["level", "conv.weight"] && weights.map(\.file) == [nil, "amp.safetensors"])
    #expect(weights[1].type == "F32" && weights[1].fileBytes == 12 && weights[1].shape == [1, 1, 3])
    #expect(weights[1].programBytes == 12 && weights[1].products == 3)
    #expect(
      try tool.run("inspect", "amp.json", "--stage", "document").output.contains(
        "weights of 'amp.safetensors'"))
  }

  @Test("a sound is listed as one, and played through")
  func cabinet() throws {
    try tool.make(
      "cab.json",
      """
      { "legato": 1, "name": "Cab", "inputs": { "x": { "shape": [1, "frames"] } },
        "weights": { "cab": { "file": "cab.wav" } }, "graph": { "y": "fir(x, 'cab')" }, "outputs": ["y"] }
      """)
    try Data(WaveBytes([[1, 0.5]]).bytes).write(to: URL(fileURLWithPath: tool.path("cab.wav")))
    let run = try tool.run("inspect", "cab.json")
    #expect(run.output.contains("float 32 at 48000 Hz in cab.wav, 8 bytes"), "\(run.output)\(run.messages)")
    #expect(run.output.contains("2 products a frame"))
    // What the file has at its own rate is not what the model computes with.
    let tone = (0..<480).map { frame -> Float in
      let edge = Float(frame - 200) / 30
      return exp(-edge * edge)
    }
    try Data(WaveBytes([tone]).bytes).write(to: URL(fileURLWithPath: tool.path("tone.wav")))
    let text = try String(contentsOfFile: tool.path("cab.json"), encoding: .utf8)
    try tool.make("tone.json", text.replacing("cab.wav", with: "tone.wav"))
    for (rate, taps) in [("48000", "[297]"), ("96000", "[594]")] {
      let run = try tool.run("inspect", "tone.json", "--rate", rate)
      let row = run.output.split(separator: "\n").first { $0.contains(" in the program") }
      #expect(row?.contains(taps) == true, "\(run.output)\(run.messages)")
    }
    try Sound(samples: [[0.5, 0, 0]]).write(tool.path("in.wav"))
    let played = try tool.run("process", "cab.json", "in.wav", "out.wav", "--bits", "float")
    #expect(played.code == 0, "\(played.messages)")
    #expect(try Sound.read(tool.path("out.wav")).samples == [[0.5, 0.25, 0]])
  }

  /// The code is the same whatever the numbers are; the numbers are not.
  @Test("code that was kept goes with the weights of the day, and a batch that goes on notices other ones")
  func process() throws {
    try tool.makeFolder("in")
    try Sound(samples: [[0.25, 0.5]]).write(tool.path("in/a.wav"))
    func process(_ words: String...) throws -> ProgramRun {
      try tool.run(
        ["process", "amp.json"] + words + ["--bits", "float"],
        environment: ["LEGATO_CACHE": tool.path("cache")])
    }
    let batch = ["in", "--recursive", "--output-dir", "out", "--resume"]
    let first = try tool.run(["process", "amp.json"] + batch + ["--bits", "float"])
    #expect(first.code == 0, "\(first.messages)")
    #expect(try process("in/a.wav", "2.wav").code == 0)
    try makeWeights(4)
    let second = try tool.run(["process", "amp.json"] + batch + ["--bits", "float"])
    #expect(second.code == 2 && second.messages.contains("with amp.safetensors"), "\(second.messages)")
    #expect(try process("in/a.wav", "4.wav").code == 0)
    #expect(try Sound.read(tool.path("2.wav")).samples == [[0.25, 0.5]])
    #expect(try Sound.read(tool.path("4.wav")).samples == [[0.5, 1]])
  }

  @Test("what is computed once a block counts no products of a frame")
  func productsOfControls() throws {
    try tool.make(
      "gains.json",
      """
      { "legato": 1, "name": "Gains", "inputs": { "x": { "shape": [2, "frames"] } },
        "parameters": { "amount": { "default": 1, "minimum": 0, "maximum": 2, "ramp": 0 } },
        "weights": { "mix": [[1, 2], [3, 4]], "head": [[1, 1]] },
        "graph": { "gains": "dense(broadcast(amount, [2]), 'mix')", "y": "dense(x * gains, 'head', axis: 0)" },
        "outputs": ["y"] }
      """)
    let run = try tool.run("inspect", "gains.json")
    let rows = run.output.split(separator: "\n").filter { $0.contains(" in the program") }
    #expect(run.code == 0 && rows.count == 2, "\(run.output)\(run.messages)")
    #expect(rows[0].contains("mix") && rows[0].hasSuffix("0 products a frame"), "\(rows)")
    #expect(rows[1].contains("head") && rows[1].hasSuffix("2 products a frame"), "\(rows)")
  }

  @Test("a damaged file is said with its tensor, and nothing is written")
  func damaged() throws {
    try makeWeights(.nan)
    try Sound(samples: [[0.25, 0.5]]).write(tool.path("a.wav"))
    let run = try tool.run("process", "amp.json", "a.wav", "b.wav")
    #expect(run.code == 1)
    #expect(
      run.messages.contains(
        "amp.json:2:24: the tensor 'conv.weight' of 'amp.safetensors' holds nan at [0, 0, 2]"))
    #expect(run.lines.count == 1 && tool.size("b.wav") <= 0, "\(run.messages)")
  }
}
