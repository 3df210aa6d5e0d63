// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import RealtimeCore

/// The outputs that `--expect` has, and how far those of a run may be from them.
struct Expectation {
  private let given: GivenTensors
  private let outputs: [String]
  /// Whether a file is given without the name of an output.
  private let isOfAll: Bool
  private let tolerance: Double

  init(_ arguments: Arguments, for outputs: PortNames) throws {
    given = try GivenTensors(arguments, .expect, for: outputs)
    self.outputs = outputs.all
    isOfAll = try arguments.values(of: .expect).contains { try outputs.parts($0, of: .expect).port == nil }
    tolerance = try arguments.tolerance()
  }

  var isEmpty: Bool { given.isEmpty }
  /// The files.
  var paths: [String] { given.paths }

  /// Throws a line for each output of which another shape is expected, before anything is run.
  ///
  /// - Parameters:
  ///   - steps: how many there will be; nil for outputs without an axis for them.
  ///   - path: the model's file.
  func check(_ layout: ProgramLayout, steps: Int?, of path: String) throws {
    let expected = try given.shapes()
    let lines = layout.outputs.compactMap { port -> String? in
      let shape = (steps.map { [$0] } ?? []) + port.shape
      guard let wanted = expected[port.name], wanted != shape else { return nil }
      return "\(path): \(quoted(port.name)) is \(shape), and \(given.path(of: port.name)) expects \(wanted)"
    }
    guard lines.isEmpty else { throw Failure.unverified(lines) }
  }

  /// Throws a line for each output that differs.
  ///
  /// - Parameter path: the model's file.
  func check(_ results: [String: Tensor], of path: String, _ console: Console) throws {
    guard !isEmpty else { return }
    // Who names an output means no other one.
    let others = isOfAll ? outputs.filter { !given.names.contains($0) } : []
    if !others.isEmpty {
      let verb = others.count == 1 ? "is" : "are"
      console.notice("\(path): \(alternatives(others.map(quoted), "and")) \(verb) not compared")
    }
    var lines: [String] = []
    let expected = try given.tensors()
    for name in given.names {
      guard let found = results[name], let wanted = expected[name] else { continue }
      let file = given.path(of: name)
      guard let difference = TensorDifference(of: found, from: wanted, beyond: tolerance) else { continue }
      let place = difference.position.isEmpty ? "" : " at \(difference.position)"
      lines.append(
        "\(path): \(quoted(name)) differs from \(file): \(difference.count) of \(counted(found.values.count, "number")) "
          + "by more than \(tolerance), the most\(place): \(written(difference.found)), not "
          + "\(written(difference.expected)) (\(Float(difference.largest)) apart)")
    }
    guard lines.isEmpty else { throw Failure.unverified(lines) }
    let names = alternatives(given.names.map(quoted), "and")
    console.notice(
      "\(path): \(names) \(given.names.count == 1 ? "is" : "are") as expected, within \(tolerance)")
  }
}

extension Arguments {
  /// The distance that `--tolerance` says.
  fileprivate func tolerance() throws(Failure) -> Double {
    guard let text = value(of: .tolerance) else { return 1e-5 }
    guard has(.expect) else { throw .usage("--tolerance goes with --expect FILE") }
    guard let number = Double(text), number >= 0, number.isFinite else {
      throw .usage("--tolerance takes a number from 0 on, such as 1e-6, not \(quoted(text))")
    }
    return number
  }
}
