// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Legato
internal import Listening

/// The program `legato-motions`: the readings of a watch go in, a line with a label comes out of each window.
struct MotionProgram {
  /// A command line that cannot be meant.
  struct Misuse: Error, CustomStringConvertible {
    let description: String
  }

  static let help = """
    legato-motions MODEL READINGS [--speed N] [--recording COLUMN]

    says what the wearer of a watch does, window by window: begin, end, label and probability

      MODEL               activity.json, with the weights that were learned
      READINGS            lines with acceleration and rotation, as a sensor gives them: a file, a pipe, or -
      --speed N           how many times as fast as they were taken they come (1)
      --recording COLUMN  begins anew where another recording does
    """

  private let model, readings: String
  private let speed: Double
  private let recording: String?

  /// - Parameter words: The command line, without the program's name.
  init(_ words: [String]) throws(Misuse) {
    var (operands, options, rest) = ([String](), [String: String](), words[...])
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        operands.append(word)
        continue
      }
      guard ["--speed", "--recording"].contains(word) else {
        throw Misuse(description: "there is no option \(word); there are --speed and --recording")
      }
      guard let value = rest.popFirst() else { throw Misuse(description: "\(word) needs a value") }
      options[word] = value
    }
    guard operands.count == 2 else { throw Misuse(description: "expected MODEL READINGS; see --help") }
    guard let speed = Double(options["--speed"] ?? "1"), speed > 0, speed.isFinite else {
      throw Misuse(description: "--speed takes a number above 0, not '\(options["--speed"] ?? "")'")
    }
    (model, readings, self.speed, recording) = (operands[0], operands[1], speed, options["--recording"])
  }

  /// - Parameters:
  ///   - print: Takes a line of the answers.
  ///   - say: Takes a line of what there is to say of the readings.
  /// - Throws: `ListeningError.absent` where the sensor is not there, and what the model and its readings throw.
  func run(print: (String) -> Void, say: @escaping (String) -> Void) throws {
    let stated = try Model(contentsOf: model)
    let (form, rate) = (try WindowForm(of: stated), stated.sampleRate ?? 10)
    var windows = MotionWindows(try Activity(contentsOf: model), rate: rate)

    let sensor = MotionSensor(readings, for: form, rate: rate, speed: speed, recording: recording)
    guard sensor.isAvailable else {
      throw ListeningError.absent("\(readings): the sensor is not there; name its file or its pipe, or -")
    }
    try sensor.start(say)
    defer {
      let faults = sensor.faults
      if !faults.isEmpty { say("\(readings): \(faults.taken) readings taken; \(faults.summary)") }
    }
    var (name, answers) = ("", 0)
    sensing: while true {
      switch try sensor.next() {
      case .readings(let reading, let times):
        guard let answer = try windows.take(reading, at: times?[0]) else { continue }
        print(Self.line(answer) + name)
        answers += 1
      case .gap(let missing): windows.forget(missing: missing)
      case .recording(let next):
        windows.reset()
        name = "\t" + next
      case .nothing: continue
      case .ended: break sensing
      }
    }
    guard answers > 0 else {
      throw ListeningError.data("\(readings): no whole window of \(form.window) readings came")
    }
  }

  private static func line(_ answer: MotionWindows.Answer) -> String {
    String(format: "%.3f\t%.3f\t", answer.begin, answer.end) + answer.label.rawValue
      + String(format: "\t%.3f", answer.probability)
  }
}
