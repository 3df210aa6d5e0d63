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

  init() throws {
    tool = try Tool()
    for name in ["learning.json", "activity.json"] {
      let path = Tool.package + "/Sources/Examples/Motions/" + name
      try tool.make(name, String(contentsOfFile: path, encoding: .utf8))
    }
    let shapes: [(String, [Int])] = [
      ("conv.weight", [64, 6, 5]), ("conv.bias", [64]), ("lstm.weight", [800, 64]),
      ("lstm.recurrent", [800, 200]), ("lstm.bias", [800]), ("labels.weight", [4, 200]), ("labels.bias", [4]),
    ]
    let zeros = shapes.map { name, shape in
      Weights(name: name, shape: shape, values: Numbers(count: Shape(shape).count) { _ in })
    }
    try tool.make("begin.safetensors", TensorFileText(zeros).bytes)
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
    var lines = (["recording", "time"] + Self.columns + ["label"]).joined(separator: ",") + "\n"
    for label in Self.labels.indices {
      for (place, reading) in recording(label, 7).enumerated() where label != 0 || place != 30 {
        let numbers =
          label == 0 && place == 60
          ? ["?"] + reading.dropFirst().map(\.description) : reading.map(\.description)
        lines +=
          (["\(label)", "\(Double(place) / 10)"] + numbers + [Self.labels[label]]).joined(separator: ",")
          + "\n"
      }
    }
    try tool.make("stream.csv", lines)
    let words = ["--recording", "recording", "--truth", "label", "--json"]
    let heard = try tool.run(["listen", "activity.json", "--csv", "stream.csv"] + words)
    try #require(heard.code == 0, "\(heard.messages)")
    #expect(heard.lines.last == "stream.csv: 398 readings taken; 1 line malformed, 2 readings missing")
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
}
