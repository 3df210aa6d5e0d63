// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// `train`: what a run begins with, and what it says of a file whose section "train" is not right.
@Suite("Command: the start of learning", .waits)
struct TrainingStartTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make("gain.json", Self.gain(""))
    var random = SplitMix(seed: 7)
    let dry = (0..<8000).map { _ in random.float(-0.5, 0.5) }
    try Sound(samples: [dry]).write(tool.path("dry.wav"))
    try Sound(samples: [dry.map { 0.5 * $0 }]).write(tool.path("wet.wav"))
  }

  private static func gain(_ train: String) -> String {
    """
    { "legato": 1, "name": "Gain", "inputs": { "src": { "shape": [1, "frames"] } }, "weights": { "g": [0.501] },
      "graph": { "dst": "'g' * src" }, "outputs": ["dst"],
      "train": { "window": 100, "warmup": 0, "batch": 8\(train) } }
    """
  }

  private func run(_ line: String) throws -> ProgramRun {
    try tool.run(line.split(separator: " ").map(String.init))
  }

  @Test("weights are the best until an epoch is better, also of a run that goes on") func asItWas() throws {
    let line = "train gain.json --data dry.wav:wet.wav"
    let worse = try run(line + " --learning-rate 50 --epochs 2 -o worse.json")
    #expect(worse.code == 0 && worse.messages.contains("as it was: held back: loss "), "\(worse)")
    #expect(worse.messages.contains("as it was, since no epoch was better, loss "), "\(worse)")
    let part = try run(line + " --learning-rate 50 --epochs 1 --checkpoint c.safetensors")
    #expect(part.code == 0, "\(part)")
    let rest = try run(
      line + " --learning-rate 50 --epochs 2 --checkpoint c.safetensors --resume -o rest.json")
    #expect(rest.code == 0 && !rest.messages.contains("as it was: held"), "\(rest)")
    #expect(try tool.bytes("worse.safetensors") == tool.bytes("rest.safetensors"))
    let better = try run(line + " --learning-rate 0.0001 --epochs 3 -o better.json")
    #expect(better.code == 0 && better.messages.contains("what was learned by epoch 3"), "\(better)")
    try tool.make(
      "layer.json",
      """
      { "legato": 1, "name": "Layer", "inputs": { "src": { "shape": [1, "frames"] } },
        "weights": { "l.weight": [[[0.5]]] }, "graph": { "dst": "conv1d(src, 'l.weight')" }, "outputs": ["dst"] }
      """)
    let random = try run("train layer.json --data dry.wav:wet.wav --initialize --epochs 1 -o layer2.json")
    #expect(!random.messages.contains("as it was"), "\(random)")
  }

  @Test("what a killed run left of a checkpoint goes, and what is locked stays") func leftovers() throws {
    try tool.make(".c.safetensors.legato-z6af42", "")
    try tool.make(".d.safetensors.legato-z6af42", "")
    #expect(
      try run("train gain.json --data dry.wav:wet.wav --epochs 1 --checkpoint c.safetensors --quiet").code
        == 0)
    #expect(!FileManager.default.fileExists(atPath: tool.path(".c.safetensors.legato-z6af42")))
    #expect(FileManager.default.fileExists(atPath: tool.path(".d.safetensors.legato-z6af42")))
  }

  @Test("what is not right in the section has its place") func places() throws {
    for (train, place, message) in [
      (#", "trainable": ["gian"]"#, "bad.json:3:", "no weights or parameters are called 'gian'"),
      (#", "trainable": []"#, "bad.json:3:", "'trainable' names nothing that learns"),
      (#", "chunk": 33"#, "bad.json:3:", "a window of 100 frames is not cut into chunks of 33"),
      (#", "chunk": 50, "recompute": 25"#, "bad.json:3:", "it is not computed again"),
      (#", "chunk": 50, "accumulate": 2"#, "bad.json:3:", "and so not after 2 batches"),
      (
        #", "accumulate": 0"#, "bad.json:3:",
        "'accumulate' must be a whole number from 1 to 1048576, this is 0"
      ),
      (
        #", "optimizer": { "sgd": { "rate": 0.1, "nesterov": true } }"#, "bad.json:3:",
        "'nesterov' looks ahead by a 'momentum', which is 0"
      ),
      (#", "recompute": 33"#, "bad.json:3:", "are not cut into pieces of 33"),
      (#", "metrics": { "esr": "mae(dst, target)" }"#, "bad.json:3:", "'esr' is the metric"),
    ] {
      try tool.make("bad.json", Self.gain(train))
      let run = try run("train bad.json --data dry.wav:wet.wav -o o.json")
      #expect(run.code != 0 && run.messages.contains(place) && run.messages.contains(message), "\(run)")
      #expect(run.messages.split(separator: "\n").count == 1, "\(run)")
    }
  }

  @Test("clips of a model of steps run through a stream with noise") func clips() throws {
    try tool.make(
      "clips.json",
      """
      { "legato": 1, "name": "Clips", "clock": "step", "inputs": { "src": { "shape": [1, 2000] } },
        "weights": { "w": [[0.1], [0]], "b": [0, 0] },
        "graph": { "power": "mean(src * src, axis: -1)", "scores": "dense(power * 10, 'w', 'b')" },
        "outputs": [{ "name": "scores", "labels": ["loud", "quiet"] }] }
      """)
    try tool.make(
      "noisy.json",
      """
      { "legato": 1, "name": "Noisy", "inputs": { "src": { "shape": [1, "frames"] } },
        "parameters": { "level": { "default": 0.005, "minimum": 0.005, "maximum": 0.01 } },
        "graph": { "dst": "src + level * noise(1)" }, "outputs": ["dst"] }
      """)
    var random = SplitMix(seed: 8)
    for (name, size) in [("loud", 0.9), ("quiet", 0.1)] {
      try FileManager.default.createDirectory(
        atPath: tool.path("clips/\(name)"), withIntermediateDirectories: true)
      for row in 0..<4 {
        let samples = (0..<2000).map { _ in random.float(-size, size) }
        try Sound(samples: [samples]).write(tool.path("clips/\(name)/\(row).wav"))
      }
    }
    let line = "train clips.json --data clips --validate 0 --epochs 2 --quiet -o"
    let noisy = try run(line + " noisy2.json --augment noisy.json")
    #expect(noisy.code == 0, "\(noisy)")
    #expect(try run(line + " plain.json").code == 0)
    #expect(try tool.bytes("noisy2.safetensors") != tool.bytes("plain.safetensors"))
  }

  @Test("a rate that is another one is told by the sound that has it") func rates() throws {
    try Sound(samples: [[Float](repeating: 0.1, count: 8000)], sampleRate: 44_100).write(tool.path("r44.wav"))
    let run = try run("train gain.json --data dry.wav:r44.wav -o o.json")
    #expect(run.messages.contains("r44.wav is at 44100 Hz, and dry.wav at 48000"), "\(run)")
  }

  @Test("a loss that is no number names its examples, and the way around") func notFinite() throws {
    let run = try run(
      "train gain.json --data dry.wav:wet.wav --loss mean(1/(dst-dst)) --epochs 1 -o o.json")
    #expect(
      run.code == 1 && run.messages.contains("--skip-not-finite goes on without such batches"), "\(run)")
    #expect(run.messages.contains("; the loss of example "), "\(run)")
    // The one whose target is 3: the root of what is below 0.
    try tool.make(
      "step.json",
      #"{ "legato": 1, "clock": "step", "inputs": { "x": { "shape": [1] } }, "weights": { "w": [1] }, "#
        + #""graph": { "y": "'w' * x" }, "outputs": ["y"] }"#)
    try Tensor(shape: [6, 1], values: [1, 1, 1, 1, 1, 1]).write(to: tool.path("x.npy"))
    try Tensor(shape: [6, 1], values: [0, 0, 0, 0, 3, 0]).write(to: tool.path("t.npy"))
    let one = try self.run(
      "train step.json --data x=x.npy --data target=t.npy --loss mean(sqrt(y-target)) --batch 6 --validate 0 -o o.json"
    )
    #expect(one.code == 1 && one.messages.contains("; the loss of example 4 is no finite number"), "\(one)")
  }
}
