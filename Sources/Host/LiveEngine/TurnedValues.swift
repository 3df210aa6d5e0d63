// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// The values that a user has turned, by name, while one program after the other plays.
///
/// A parameter that stands at its default goes with the file's default when that is edited. What was turned keeps its
/// value, clamped to a range that was edited, and also while a version of the model does not have the parameter.
package struct TurnedValues: Equatable, Sendable {
  /// By the parameters' names.
  package private(set) var values: [String: Float] = [:]

  package init() {}

  /// Notes where a program's parameters stand.
  package mutating func note(_ program: LiveProgram) {
    for parameter in program.parameters {
      let value = parameter.value
      values[parameter.name] = value == parameter.range.initial ? nil : value
    }
  }

  /// Turns a program's parameters to where those of the same name stood.
  package func turn(_ program: LiveProgram) {
    for parameter in program.parameters {
      if let value = values[parameter.name] { parameter.set(value) }
    }
  }
}
