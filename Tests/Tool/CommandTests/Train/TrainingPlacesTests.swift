// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import TensorFiles
import TestEquipment
import Testing

/// `train` and `evaluate`: the files that they read, of which none is replaced, dropped or passed over without a word.
@Suite("Command: files to learn from", .waits)
struct TrainingPlacesTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.makeTrainingFiles()
    try tool.make("t.csv", "x.0,x.1,target\n1,2,3\n4,5,6\n7,8,9\n")
    try tool.make(
      "louder.json",
      """
      { "legato": 1, "inputs": { "x": { "shape": [1, "frames"] } }, "graph": { "y": "2 * x" }, "outputs": ["y"] }
      """)
    // Sounds in folders for each class.
    try tool.make(
      "level.json",
      """
      { "legato": 1, "clock": "step", "inputs": { "x": { "shape": [1, 100] } },
        "weights": { "w": [[0.1], [0]] },
        "graph": { "scores": "dense(mean(x * x, axis: -1), 'w')" }, "outputs": ["scores"] }
      """)
    for (name, size) in [("loud", Float(0.9)), ("quiet", 0.1)] {
      try FileManager.default.createDirectory(
        atPath: tool.path("clips/\(name)"), withIntermediateDirectories: true)
      try Sound(samples: [(0..<300).map { $0 % 2 == 0 ? size : -size }]).write(
        tool.path("clips/\(name)/1.wav"))
    }
    let arrays = [
      Weights(name: "x", shape: [3, 2], values: Numbers([1, 2, 3, 4, 5, 6])),
      Weights(name: "target", shape: [3, 1], values: Numbers([1, 2, 3])),
    ]
    try Data(TensorFileText(arrays).bytes).write(to: URL(filePath: tool.path("all.safetensors")))
  }

  private func run(_ line: String) throws -> ProgramRun {
    try tool.run(line.split(separator: " ").map(String.init))
  }

  @Test(
    "what is no file in a folder of classes is named, and not passed over",
    arguments: ["link", "folder", "class"])
  func noFiles(kind: String) throws {
    let files = FileManager.default
    let place = kind == "class" ? "clips/dog" : "clips/quiet/x.wav"
    if kind == "folder" {
      try files.createDirectory(atPath: tool.path(place), withIntermediateDirectories: true)
    } else {
      try files.createSymbolicLink(atPath: tool.path(place), withDestinationPath: "nowhere")
    }
    let run = try run("train level.json --data clips -o o.json")
    let what = kind == "class" ? "folder" : "file"
    #expect(
      run.code == 1 && run.messages == "train: \(place): is no \(what), or a link that leads nowhere\n",
      "\(run)")
  }

  @Test(
    "a result takes no place of what it is made of, also with --force",
    arguments: [
      ("filter.json --data dry.wav:wet.wav --window 100 --report wet.wav", "wet.wav"),
      ("filter.json --data dry.wav:wet.wav --window 100 --report ./dry.wav", "./dry.wav"),
      ("line.json --data t.csv --report t.csv", "t.csv"),
      ("line.json --data x=x.npy --data target=y.npy --report y.npy", "y.npy"),
      ("line.json --data all.safetensors --checkpoint all.safetensors", "all.safetensors"),
      ("level.json --data clips --report clips/quiet/1.wav", "clips/quiet/1.wav"),
      (
        "filter.json --data dry.wav:wet.wav --window 100 --augment louder.json --report louder.json",
        "louder.json"
      ),
    ])
  func keepsItsSources(line: String, place: String) throws {
    let before = try tool.bytes(place)
    let run = try run("train \(line) --epochs 1 --force -o o.json")
    #expect(run.code == 2, "\(run.messages)")
    #expect(
      run.lines == ["train: '\(place)' is what the result is made of; name another file"], "\(run.messages)")
    #expect(try tool.bytes(place) == before && !tool.names.contains("o.json"))
  }

  @Test("a device of a federation keeps its data, too") func keepsTheDataOfADevice() throws {
    let before = try tool.bytes("t.csv")
    let run = try run("federate line.json --data t.csv --simulate 2 --rounds 1 --report t.csv --force")
    #expect(run.code == 2 && run.messages.contains("'t.csv' is what the result is made of"), "\(run)")
    #expect(try tool.bytes("t.csv") == before)
  }

  @Test(
    "what plays as it learns keeps its data, too",
    arguments: ["--report wet.wav", "--record wet.wav", "--record dry.wav"])
  func keepsTheDataOfLivePlay(option: String) throws {
    let before = try ["wet.wav", "dry.wav"].map(tool.bytes)
    let run = try run(
      "live filter.json --data dry.wav:wet.wav --window 200 -o o.json --device nosuch \(option) --force")
    #expect(run.code == 2 && run.messages.contains(option.suffix(7)), "\(run)")
    #expect(try ["wet.wav", "dry.wav"].map(tool.bytes) == before && !tool.names.contains("o.json"))
  }

  /// Of three windows nine tenths are held back, and one is learned from.
  @Test("something to learn from is left") func holdsNotAllBack() throws {
    let run = try run("train line.json --data t.csv --validate 0.9 --epochs 1 -o o.json")
    #expect(
      run.code == 0 && run.messages.contains("line.json: 1 example to learn from, 2 held back"), "\(run)")
  }

  @Test("a pair that is shorter than a window is told") func tellsShortPairs() throws {
    for name in ["short.wav", "short-wet.wav"] {
      try Sound(samples: [[Float](repeating: 0.5, count: 199)]).write(tool.path(name))
    }
    let data = "filter.json --data dry.wav:wet.wav --data short.wav:short-wet.wav --window 200"
    let line = "short.wav: shorter than a window of 200 frames, and left out"
    #expect(try run("evaluate \(data)").lines == [line])
    #expect(try run("train \(data) --epochs 1 -o o.json").lines.first == line)
    // A frame less in a window, and it is one.
    #expect(try run("evaluate \(data.dropLast(3))199").lines == [])
  }

  @Test("a target without sound is refused") func refusesSilentTargets() throws {
    try Sound(samples: [[Float](repeating: 1e-7, count: 400)]).write(tool.path("mute.wav"))
    try Sound(samples: [[Float](repeating: 0.5, count: 400)]).write(tool.path("loud.wav"))
    for command in ["evaluate", "train --epochs 1 -o o.json"] {
      let run = try run("\(command) filter.json --data loud.wav:mute.wav --window 200")
      let line = "mute.wav: silent, so that no error is a part of it: is it the right target?"
      #expect(run.code == 1 && run.messages.hasSuffix(": \(line)\n"), "\(run)")
    }
  }

  /// Each class has one file, and one of the two is held back.
  @Test("a class of which nothing is learned is told") func tellsClassesHeldBack() throws {
    let run = try run("train level.json --data clips --validate 0.5 --epochs 1 -o o.json")
    let lines = ["loud", "quiet"].map {
      "level.json: nothing of '\($0)' is learned from: all of it is held back; more files, or a smaller --validate, leave some"
    }
    #expect(run.code == 0 && run.lines.count { lines.contains($0) } == 1, "\(run.messages)")
    let whole = try self.run("train level.json --data clips --validate 0 --epochs 1 -o w.json")
    #expect(whole.code == 0 && !whole.messages.contains("nothing of"), "\(whole.messages)")
  }

  @Test("an array that is there twice is refused") func refusesArraysTwice() throws {
    for (data, message) in [
      ("--data target=y.npy --data x=x.npy --data target=x.npy", "'target' is both in y.npy and in x.npy"),
      ("--data all.safetensors --data x=x.npy", "'x' is both in all.safetensors and in x.npy"),
      ("--data x=x.npy --data all.safetensors", "'x' is both in x.npy and in all.safetensors"),
    ] {
      let run = try run("evaluate line.json \(data)")
      #expect(run.code == 2, "\(run)")
      #expect(
        run.lines == ["evaluate: --data: \(message); an input or a target has one array"], "\(run.messages)")
    }
  }
}
