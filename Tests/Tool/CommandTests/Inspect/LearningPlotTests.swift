// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Reports that are drawn.
enum PicturedReports {
  static let run = """
    { "version": 1, "best": 1, "epochs": [
      { "epoch": 1, "scores": { "loss": 2 }, "validation": { "loss": 3 }, "seconds": 1 },
      { "epoch": 2, "scores": { "loss": 1 }, "validation": { "loss": null }, "seconds": 1 } ] }
    """
}

@Suite("Command: plot, one sound and learning", .waits)
struct LearningPlotTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  private func isXML(_ text: String) -> Bool { XMLParser(data: Data(text.utf8)).parse() }

  @Test("a spectrogram with labels over it")
  func spectrogram() throws {
    let row = (0..<24_000).map { Float(sin(2 * .pi * 1000 * Double($0) / 48_000)) }
    try Sound(samples: [row]).write(tool.path("a.wav"))
    try tool.make("labels.txt", "0\t0.25\twalking\n0.25\t0.5\ta <&> b\n3\t4\tlater\n")
    let run = try tool.run("plot", "a.wav", "--label-track", "labels.txt", "-o", "a.svg", "--json")
    #expect(run.code == 0 && run.output.contains("\"peakDecibels\""), "\(run.messages)")
    let picture = String(decoding: try tool.bytes("a.svg"), as: UTF8.self)
    #expect(isXML(picture) && picture.contains("data:image/png;base64,"))
    for text in [
      "walking", "a &lt;&amp;&gt; b", "labels.txt", "1 label not drawn: behind the end, or too many at once",
    ] {
      #expect(picture.contains(">\(text)<"), "\(text)")
    }
    #expect(!picture.contains(">later<"))
  }

  @Test("curves of one run, of several over each other, and what a classifier took for what")
  func learning() throws {
    try tool.make("run.json", PicturedReports.run)
    try tool.make(
      "judged.json",
      #"{ "scores": {}, "confusion": { "labels": ["a", "b"], "accuracy": 0.75, "counts": [[3, 1], [0, 0]] } }"#
    )
    let one = try tool.run("plot", "run.json")
    #expect(
      one.code == 0 && isXML(one.output) && one.output.contains(">The best epoch is 1.<"), "\(one.messages)")
    let two = try tool.run("plot", "run.json", "run.json", "--json", "-o", "two.svg")
    #expect(two.code == 0 && two.output.contains("\"best\" : 1"), "\(two.messages)")
    #expect(isXML(String(decoding: try tool.bytes("two.svg"), as: UTF8.self)))
    // Runs of one file name are told apart by their folders.
    for folder in ["a", "b"] {
      try tool.makeFolder(folder)
      try tool.make("\(folder)/run.json", PicturedReports.run)
    }
    let apart = try tool.run("plot", "a/run.json", "b/run.json", "--json", "-o", "apart.svg")
    #expect(
      apart.output.contains("\"a\\/run.json\"") || apart.output.contains("\"a/run.json\""), "\(apart.output)")
    let picture = String(decoding: try tool.bytes("apart.svg"), as: UTF8.self)
    #expect(picture.contains(">a/run.json") && picture.contains(">b/run.json"))
    let classes = try tool.run("plot", "judged.json")
    #expect(classes.code == 0 && isXML(classes.output) && classes.output.contains(">predicted<"))
    #expect(try tool.run("plot", "judged.json", "--json").output.contains("\"recall\" : 0.75"))
  }
}
