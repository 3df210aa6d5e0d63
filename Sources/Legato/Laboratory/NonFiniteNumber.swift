// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The first number of a run that is infinite or not a number, and where it came from.
public struct NonFiniteNumber: Hashable, Sendable, CustomStringConvertible {
  /// The source of the number.
  public enum Source: String, Hashable, Sendable {
    /// It was in the signal that came in.
    case input
    /// A function of the model made it of finite operands.
    case function
    /// The model makes finite numbers as it is declared; only its optimised form does not.
    case optimization
  }

  /// An operand of the function.
  public struct Operand: Hashable, Sendable {
    /// The operand as an expression of the model.
    public let expression: String
    /// The smallest and the largest of its numbers that took part; where one did, both are that.
    public let lowest, highest: Float
  }

  public let source: Source
  /// The model's file as it was named, or the model's name where there is no file.
  public let file: String
  /// The place of the function in the file, counted from 1; nil where that is not known.
  public let line, column: Int?
  /// The name of the value, the input or the output; nil where the value has none.
  public let name: String?
  /// The value that was computed, as an expression of the model.
  public let expression: String
  /// The function that computes it among other things, such as `peak`; nil where it stands by itself in the model.
  package let function: String?
  /// The position along the axes of the value except `frames`, counted from 0. Of a value `[channels,
  /// frames]`, the first position is the channel.
  public let position: [Int]
  /// The array among `inputs` of `FiniteCheck.run` that holds it; nil where it did not come in.
  public let inputRow: Int?
  /// The frame, or the step, counted from 0 since the check began.
  public private(set) var frame: Int
  /// The time of the frame; nil where the model executes steps.
  public let seconds: Double?
  /// The result: an infinity, or not a number.
  public let number: Float
  /// Operands in their order, without numbers that are written in the model.
  public let operands: [Operand]
  /// Whether an output of the model is not finite, either, in the same frame; nil where the outputs of that frame come
  /// later, as the model has latency.
  public let reachesOutput: Bool?

  /// One line that begins with the place in the model's file.
  public var description: String {
    let place = line.map { ":\($0)" + (column.map { ":\($0)" } ?? "") } ?? ""
    return "\(file)\(place): \(sentence)"
  }

  /// The same, with the frame of a sound that has another rate: the one nearest in time.
  package func inFrames(ofRate sampleRate: Double) -> NonFiniteNumber {
    var copy = self
    if let seconds { copy.frame = Int((seconds * sampleRate).rounded()) }
    return copy
  }

  /// The description without the place.
  var sentence: String {
    switch source {
    case .input: return "input \(quoted(name ?? "")) is \(written(number))\(at)"
    case .function:
      let meant = expression + (function.map { " within \($0)" } ?? "")
      let subject = name.map { "\(quoted($0)) = \(meant) is" } ?? "\(meant) is"
      let consequence = reachesOutput != false ? "" : "; the outputs of that \(unit) are finite"
      return "\(subject) \(written(number))\(at)\(reason)\(consequence)"
    case .optimization:
      return "output \(quoted(name ?? "")) is \(written(number))\(at), but only after the optimisations: "
        + "without them, all of that \(unit) is finite"
    }
  }

  /// The time and position, such as " at frame 4711 (0.098146 s), channel 2".
  private var at: String {
    switch position.count {
    case 0: time
    case 1 where seconds != nil: "\(time), channel \(position[0] + 1)"
    case _: "\(time), position \(position)"
    }
  }

  /// When, such as " at frame 4711 (0.098146 s)".
  package var time: String {
    let seconds = seconds.map { " (\(Self.microseconds($0)) s)" } ?? ""
    return " at \(unit) \(frame)\(seconds)"
  }

  /// The time of a frame, such as " at frame 4711 (0.098146 s)".
  package static func time(ofFrame frame: Int, sampleRate: Double) -> String {
    " at frame \(frame) (\(microseconds(Double(frame) / sampleRate)) s)"
  }

  /// Seconds with six decimals, such as 0.098146.
  private static func microseconds(_ seconds: Double) -> String {
    let digits = String(Int((seconds * 1e6).rounded()))
    let padded = String(repeating: "0", count: max(0, 7 - digits.count)) + digits
    return "\(padded.dropLast(6)).\(padded.suffix(6))"
  }

  private var unit: String { seconds == nil ? "step" : "frame" }

  private var reason: String {
    guard !operands.isEmpty else { return "" }
    let facts = operands.map { operand in
      operand.lowest == operand.highest
        ? "\(operand.expression) is \(written(operand.lowest))"
        : "\(operand.expression) lies between \(written(operand.lowest)) and \(written(operand.highest))"
    }
    return ", where \(facts.joined(separator: " and "))"
  }
}
