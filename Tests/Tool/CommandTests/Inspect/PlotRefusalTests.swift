// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: plot, refused", .waits)
struct PlotRefusalTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  @Test(
    "what cannot be drawn is said in one line, and nothing is written",
    arguments: [
      (["no.wav", "a.wav"], 1, "no.wav: no such file"),
      (["a.wav", "no.wav"], 1, "no.wav: no such file"),
      (["a.wav", "empty.wav"], 1, "empty.wav: the file is empty"),
      (["none.wav", "a.wav"], 1, "none.wav: has no frames; there is nothing to draw"),
      (
        ["a.wav", "steps.json"], 2, "plot: steps.json is no sound; --model steps.json draws what a model does"
      ),
      (["a.wav", "cut.wav"], 1, "cut.wav: damaged: it ends after "),
      (["--model", "no.json"], 1, "no.json: no such file"),
      (["--model", "a.wav"], 1, "a.wav: is an audio file, not a model"),
      (
        ["--model", "steps.json"], 1,
        "plot: 'Test' executes steps (steps.json:1:44); only models of streams, with frames, answer test signals"
      ),
      (
        ["--model", "none.json"], 1,
        "plot: 'Test' has no input (none.json); only a model with one input has a response"
      ),
      (
        ["--model", "two.json"], 1,
        "plot: 'Two' has 2 inputs (two.json:1:43); only a model with one input has a response"
      ),
      (
        ["--model", "infinite.json", "--rate", "1000"], 1,
        "infinite.json: the output is -inf at frame 0 of a test signal; legato process --check non-finite names"
      ),
      (
        ["--model", "many.json"], 2,
        "plot: 'Test' makes 8 channels, and 6 can be told apart; choose some with "
      ),
      // A picture is asked for beside the numbers.
      (["--model", "many.json", "--json"], 2, "plot: 'Test' makes 8 channels, and 6 can be told apart"),
      ([], 2, "plot: INPUT and OUTPUT are missing; see --help"),
      (["a.wav", "--set", "x=1"], 2, "plot: --set is of use with --model MODEL only"),
      (["none.wav"], 1, "none.wav: has no frames; there is nothing to draw"),
      (["a.wav", "--label-track", "no.txt"], 1, "no.txt: no such file"),
      (
        ["a.wav", "--label-track", "labels.txt"], 1,
        "labels.txt:2: the label ends at 1 s, before it begins at 2 s"
      ),
      (
        ["a.wav", "a.wav", "--label-track", "labels.txt"], 2,
        "plot: --label-track is of use with one sound only"
      ),
      (["run.json", "a.wav"], 2, "plot: 'run.json' is a report, and 'a.wav' is none; draw them apart"),
      (
        ["run.json", "judged.json"], 2,
        "plot: some reports are of train, and others of evaluate; draw them apart"
      ),
      (["no.json"], 1, "no.json: no such file"),
      (
        ["nothing.json"], 1,
        "nothing.json: is no report of legato train --report, or of legato evaluate --json"
      ),
      (["steps.json"], 2, "plot: steps.json is no sound; --model steps.json draws what a model does"),
      (["empty.json"], 1, "empty.json: is of a run without a whole epoch; there is nothing to draw"),
      (
        ["later.json"], 1, "later.json: is a report of version 2, of another legato; this one reads version 1"
      ),
      (["judged.json"], 1, "judged.json: is of no classifier: there is no table of classes to draw"),
      (
        Array(repeating: "run.json", count: 7), 2,
        "plot: there are 7 runs, and 6 can be told apart; draw fewer"
      ),
      (["-", "-"], 2, "plot: INPUT and OUTPUT are both -; there is one standard input"),
      (["a.wav", "a.wav", "--raw", "48000:2"], 2, "plot: --raw is of use where INPUT or OUTPUT is -"),
      (
        ["--model", "two.json", "--raw", "48000:2"], 2,
        "plot: --raw is of use with files only, not with --model"
      ),
      (["a.wav", "a.wav", "--then", "two.json"], 2, "plot: --then is of use with --model MODEL only"),
      (["a.wav", "a.wav", "--set", "x=1"], 2, "plot: --set is of use with --model MODEL only"),
      (["a.wav", "--model", "two.json"], 2, "plot: 'a.wav' is one too many; expected options only"),
      (["--model", ""], 2, "plot: --model takes a model file; see --help"),
      (
        ["--model", "two.json", "--level", "loud"], 2,
        "plot: --level takes decibels from -100 to 20, such as "
      ),
      (
        ["--model", "two.json", "--level", "3Hz"], 2, "plot: --level takes decibels from -100 to 20, such as "
      ),
      (
        ["--model", "two.json", "--rate", "10"], 2,
        "plot: --rate takes a whole number from 100 to 16000000, not '10'"
      ),
    ])
  func mistakes(_ words: [String], _ code: Int32, _ message: String) throws {
    let whole = Sound.waves(channels: 1, frames: 1000)
    try whole.write(tool.path("a.wav"))
    try Sound(samples: [[]]).write(tool.path("none.wav"))
    try tool.make("empty.wav", "")
    try tool.bytes("a.wav").dropLast(100).write(to: URL(fileURLWithPath: tool.path("cut.wav")))
    try tool.make("steps.json", TestModels.steps)
    try tool.make("none.json", TestModels.noInput)
    try tool.make(
      "two.json",
      """
      { "legato": 1, "name": "Two", "inputs": { "a": { "shape": ["frames"] }, "b": { "shape": ["frames"] } },
        "graph": { "y": "a + b" }, "outputs": ["y"] }
      """)
    try tool.make("infinite.json", TestModels.model(shape: #"["frames"]"#, graph: #""y": "log(x)""#))
    try tool.make("many.json", TestModels.model(shape: #"[8, "frames"]"#, graph: #""y": "2 * x""#))
    try tool.make("labels.txt", "0\t1\ta\n2\t1\tb\n")
    try tool.make("run.json", PicturedReports.run)
    try tool.make("judged.json", #"{ "scores": { "loss": 1 } }"#)
    try tool.make("nothing.json", "")
    try tool.make("empty.json", #"{ "epochs": [], "best": 0 }"#)
    try tool.make("later.json", #"{ "version": 2, "epochs": [], "best": 0 }"#)
    let names = try tool.names
    let run = try tool.run(["plot"] + words + ["-o", "c.svg"])
    #expect(run.code == code && run.output.isEmpty && run.lines.count == 1, "\(run.messages)")
    #expect(run.messages.hasPrefix(message), "\(run.messages)")
    #expect(try tool.names == names)
  }

  @Test("a picture replaces nothing by accident")
  func places() throws {
    try Sound.waves(channels: 1, frames: 1000).write(tool.path("a.wav"))
    try tool.make("m.json", TestModels.mono)
    try tool.make("c.svg", "precious")
    let sound = try tool.bytes("a.wav")
    func refused(_ words: String..., code: Int32, _ line: String) throws {
      let run = try tool.run(["plot"] + words)
      #expect(run.code == code && run.output.isEmpty && run.lines == [line], "\(run.messages)")
    }
    try refused("a.wav", "a.wav", "-o", "c.svg", code: 1, "c.svg: the file exists; --force replaces it")
    try refused("--model", "m.json", "-o", "c.svg", code: 1, "c.svg: the file exists; --force replaces it")
    try refused("a.wav", "a.wav", "-o", "no/c.svg", code: 1, "no: no such folder")
    let own = "plot: './a.wav' is what the result is made of; name another file"
    try refused("a.wav", "a.wav", "-o", "./a.wav", "--force", code: 2, own)
    try refused(
      "--model", "m.json", "-o", "m.json", "--force", code: 2,
      "plot: 'm.json' is what the result is made of; name another file")
    try refused(
      "a.wav", "a.wav", "-o", "-", "--json", code: 2,
      "plot: --json and --output - both print; name a file for the picture")
    #expect(try tool.bytes("a.wav") == sound && tool.bytes("c.svg") == Data("precious".utf8))
    #expect(try tool.run("plot", "a.wav", "a.wav", "-o", "c.svg", "--force", "--quiet").messages.isEmpty)
    #expect(try tool.bytes("c.svg") != Data("precious".utf8))
  }
}
