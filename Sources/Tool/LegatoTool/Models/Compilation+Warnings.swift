// SPDX-License-Identifier: Apache-2.0

internal import Legato

extension Compilation {
  /// What the compiler finds odd about the model, one line each.
  ///
  /// - Parameter values: Where parameters stand at first that are not at their defaults.
  func warnings(settingParameters values: [String: Float] = [:]) -> [String] {
    notes(settingParameters: values).filter { $0.severity == .warning }.map(\.description)
  }
}
