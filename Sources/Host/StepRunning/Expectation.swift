// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato
internal import RealtimeCore

/// The outputs that files have, and how far those of a run may be from them.
package struct Expectation {
  private let given: GivenTensors
  private let outputs: [String]
  /// Whether a file is given without the name of an output.
  private let isOfAll: Bool
  private let tolerance: Double

  init(_ texts: [String], within tolerance: Double, for outputs: PortNames) throws {
    given = try GivenTensors(texts, .expect, for: outputs)
    self.outputs = outputs.all
    isOfAll = try texts.contains { try outputs.parts($0, of: .expect).port == nil }
    self.tolerance = tolerance
  }

  var isEmpty: Bool { given.isEmpty }
  /// The files.
  var paths: [String] { given.paths }

  /// A line for each output of which another shape is expected, before anything is run.
  ///
  /// - Parameters:
  ///   - steps: how many there will be; nil for outputs without an axis for them.
  ///   - path: the model's file.
  func misfits(_ layout: ProgramLayout, steps: Int?, of path: String) throws -> [String] {
    let expected = try given.shapes()
    return layout.outputs.compactMap { port -> String? in
      let shape = (steps.map { [$0] } ?? []) + port.shape
      guard let wanted = expected[port.name], wanted != shape else { return nil }
      return "\(path): \(quoted(port.name)) is \(shape), and \(given.path(of: port.name)) expects \(wanted)"
    }
  }

  /// The outcome of a comparison.
  package struct Comparison: Sendable {
    /// A line for each output that differs.
    package var differences: [String] = []
    /// Notes for people, a line each.
    package var notices: [String] = []
  }

  /// Compares the outputs of a run.
  ///
  /// - Parameter path: the model's file.
  func comparison(_ results: [String: Tensor], of path: String) throws -> Comparison {
    var found = Comparison()
    guard !isEmpty else { return found }
    // Who names an output means no other one.
    let others = isOfAll ? outputs.filter { !given.names.contains($0) } : []
    if !others.isEmpty {
      let verb = others.count == 1 ? "is" : "are"
      found.notices.append("\(path): \(alternatives(others.map(quoted), "and")) \(verb) not compared")
    }
    let expected = try given.tensors()
    for name in given.names {
      guard let made = results[name], let wanted = expected[name] else { continue }
      let file = given.path(of: name)
      guard let difference = TensorDifference(of: made, from: wanted, beyond: tolerance) else { continue }
      let place = difference.position.isEmpty ? "" : " at \(difference.position)"
      found.differences.append(
        "\(path): \(quoted(name)) differs from \(file): \(difference.count) of \(counted(made.values.count, "number")) "
          + "by more than \(tolerance), the most\(place): \(written(difference.found)), not "
          + "\(written(difference.expected)) (\(Float(difference.largest)) apart)")
    }
    guard found.differences.isEmpty else { return found }
    let names = alternatives(given.names.map(quoted), "and")
    found.notices.append(
      "\(path): \(names) \(given.names.count == 1 ? "is" : "are") as expected, within \(tolerance)")
    return found
  }
}
