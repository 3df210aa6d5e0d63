// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import TensorFiles
import TestEquipment
import Testing

/// The example `Motions`, whole, on recordings that are made: sines of four paces and strengths.
@Suite("Command: the example of motions", .waits)
struct MotionsTests {
  private let tool: Tool
  private static let labels = ["standing", "running", "walking", "badminton"]
  private static let columns = ["acc_x", "acc_y", "acc_z", "gyro_x", "gyro_y", "gyro_z"]

  private static let shapes: [(String, [Int])] = [
    ("conv.weight", [64, 6, 5]), ("conv.bias", [64]), ("lstm.weight", [800, 64]),
    ("lstm.recurrent", [800, 200]), ("lstm.bias", [800]), ("labels.weight", [4, 200]), ("labels.bias", [4]),
  ]

  init() throws {
    tool = try Tool()
    for name in ["learning.json", "activity.json"] {
      let path = Tool.package + "/Sources/Examples/Motions/" + name
      try tool.make(name, String(contentsOfFile: path, encoding: .utf8))
    }
    let zeros = Self.shapes.map { name, shape in
      Weights(name: name, shape: shape, values: Numbers(count: Shape(shape).count) { _ in })
    }
    try tool.make("begin.safetensors", TensorFileText(zeros).bytes)
  }

  /// The lines of a watch in a table.
  private func stream(without missing: (_ label: Int, _ place: Int) -> Bool, malformed: (Int, Int) -> Bool)
    -> String
  {
    var lines = (["recording", "time"] + Self.columns + ["label"]).joined(separator: ",") + "\n"
    for label in Self.labels.indices {
      for (place, reading) in recording(label, 7).enumerated() where !missing(label, place) {
        let numbers =
          malformed(label, place)
          ? ["?"] + reading.dropFirst().map(\.description) : reading.map(\.description)
        lines +=
          (["\(label)", "\(Double(place) / 10)"] + numbers + [Self.labels[label]]).joined(separator: ",")
          + "\n"
      }
    }
    return lines
  }

  /// Ten seconds of a label: 100 readings of six numbers.
  private func recording(_ label: Int, _ number: Int) -> [[Float]] {
    let (pace, strength) = ([0.1, 2.6, 1.3, 0.6][label], [0.2, 8, 3, 6][label])
    return (0..<100).map { reading in
      (0..<6).map { column in
        let phase = Double(number) * 1.7 + Double(column) * 0.9
        return Float(strength * sin(2 * Double.pi * pace * Double(reading) / 10 + phase))
      }
    }
  }

  private func table(_ numbers: [Int]) -> String {
    let names = (0..<600).map { "motion.\($0)" } + ["label"]
    let rows = numbers.flatMap { number in
      Self.labels.indices.map { label in
        recording(label, number).flatMap { $0.map(\.description) }.joined(separator: ",") + ","
          + Self.labels[label]
      }
    }
    return ([names.joined(separator: ",")] + rows).joined(separator: "\n") + "\n"
  }

  @Test("it learns, listens, and both models compute the same, with the state between windows")
  func whole() throws {
    try tool.make("train.csv", table([0, 1, 2]))
    let trained = try tool.run(
      "train", "learning.json", "--data", "train.csv", "--initialize", "--epochs", "10", "-o", "learned.json",
      "--quiet")
    try #require(trained.code == 0, "\(trained.messages)")
    // Reading by reading, one that is malformed and one that is missing among them.
    try tool.make("stream.csv", stream(without: { $0 == 0 && $1 == 30 }, malformed: { $0 == 0 && $1 == 60 }))
    let words = ["--recording", "recording", "--truth", "label", "--json"]
    let heard = try tool.run(["listen", "activity.json", "--csv", "stream.csv"] + words)
    try #require(heard.code == 0, "\(heard.messages)")
    #expect(heard.lines.last == "stream.csv: 398 readings taken; 1 line malformed, 1 reading missing")
    let objects = try heard.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(objects.count == 9)
    #expect(objects.last?["accuracy"] as? Double == 1, "\(heard.output)")

    // The whole recordings through the model that learned.
    var runner = try StepRunner(Model(contentsOf: tool.path("learned.json")).compilation())
    for label in 1..<4 {
      let numbers = recording(label, 7).flatMap(\.self)
      let scores = try runner.step(["motion": Tensor(shape: [100, 6], values: numbers)])["scores"]!.values
      for (window, place) in [4, 13].enumerated() {
        let row = scores[place * 4..<place * 4 + 4].map { exp(Double($0)) }
        let expected = row.map { $0 / row.reduce(0, +) }
        let found = try #require(objects[2 * label + window]["probabilities"] as? [String: Double])
        for (index, name) in Self.labels.enumerated() {
          #expect(abs(found[name]! - expected[index]) < 1e-5, "\(name) in window \(window) of \(label)")
        }
      }
    }
    // The same from the standard input.
    let piped = try tool.shell(
      "cat stream.csv | $LEGATO listen activity.json - \(words.joined(separator: " "))")
    #expect(piped.output == heard.output)
  }

  // MARK: The program in Swift

  private func program(_ words: String...) throws -> ProgramRun {
    try RunningProgram(
      RunningProgram.built("legato-motions"), words, in: tool.folder, environment: Tool.environment
    ).finish()
  }

  /// Weights that are made, with which answers differ from window to window.
  private func makeWeights() throws {
    let made = Self.shapes.enumerated().map { index, array in
      Weights(
        name: array.0, shape: array.1,
        values: Numbers(count: Shape(array.1).count) { numbers in
          for place in numbers.indices { numbers[place] = Float(sin(Double(place * 7 + index) * 1.3) * 0.3) }
        })
    }
    try tool.make("learned.safetensors", TensorFileText(made).bytes)
  }

  @Test("the program on the typed interface says what legato listen says, reading by reading")
  func typed() throws {
    try makeWeights()
    // One recording has a pause of more than a window.
    try tool.make(
      "stream.csv",
      stream(
        without: { ($0 == 0 && $1 == 30) || ($0 == 2 && (20..<75).contains($1)) },
        malformed: { $0 == 0 && $1 == 60 }))
    let listen = ["listen", "activity.json", "--csv", "stream.csv", "--recording", "recording"]
    let heard = try tool.run(listen + ["--format", "lines", "--quiet"])
    try #require(heard.code == 0, "\(heard.messages)")
    let run = try program(
      "activity.json", "stream.csv", "--recording", "recording", "--speed", "100000")
    #expect(run.code == 0 && run.output == heard.output, "\(run.messages)")
    let rows = heard.output.split(separator: "\n").map { $0.split(separator: "\t") }
    #expect(rows.count == 6 && Set(rows.map { $0[3] }).count > 3, "answers differ")
    #expect(
      run.lines.last == "stream.csv: 343 readings taken; 1 line malformed, 56 readings missing",
      "\(run.messages)")
  }

  @Test("without a sensor, or a word too few, the program says so")
  func typedRefusals() throws {
    try makeWeights()
    let absent = try program("activity.json", "none.csv")
    #expect(absent.code == 3 && absent.output.isEmpty)
    #expect(absent.lines == ["none.csv: the sensor is not there; name its file or its pipe, or -"])
    let few = try program("activity.json")
    #expect(few.code == 2 && few.lines == ["legato-motions: expected MODEL READINGS; see --help"])
    try tool.make("short.csv", Self.columns.joined(separator: ",") + "\n1,2,3,4,5,6\n")
    let short = try program("activity.json", "short.csv")
    #expect(short.code == 1 && short.lines == ["short.csv: no whole window of 50 readings came"])
    // The type was made for this model, and no other.
    let text = try String(decoding: tool.bytes("activity.json"), as: UTF8.self)
    try tool.make("other.json", text.replacing("\"walking\"", with: "\"crawling\""))
    let other = try program("other.json", "short.csv")
    #expect(
      other.code == 1 && other.lines.count == 1 && other.messages.contains("crawling"), "\(other.messages)")
  }

  @Test("the typed interface is what legato interface writes")
  func interface() throws {
    try makeWeights()
    let run = try tool.run("interface", "activity.json", "-o", "Activity.swift")
    try #require(run.code == 0, "\(run.messages)")
    let path = Tool.package + "/Sources/Examples/Motions/Activity.swift"
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    let head = "// SPDX-License-Identifier: Apache-2.0\n// swift-format-ignore-file\n\n"
    #expect(try kept == head + String(decoding: tool.bytes("Activity.swift"), as: UTF8.self))
  }
}
