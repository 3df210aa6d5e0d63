// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import GraphIR

/// Models of one loudness: each that states its own gets a gain behind it.
///
///     amp.nam, of -20.5 dB ─▶ × 1.334 ─▶ cabinet.json, which states none ─▶
extension ModelFamily {
  /// The same models with gains behind those that follow one another and state how loud they are; nil where none does.
  ///
  /// - Parameter gain: for a loudness in decibels; nil where it is none.
  package func normalized(by gain: (_ loudness: Double) -> Double?) -> ModelFamily? {
    var result = self
    for stage in stages {
      guard let loudness = members[stage].document.levels.loudness else { continue }
      guard let gain = gain(loudness) else { return nil }
      result.gains[stage] = gain
    }
    return result.gains.isEmpty ? nil : result
  }
}

extension Composer {
  /// Lets the outputs of a stage be as loud as is asked for.
  ///
  /// - Returns: the names of what comes out.
  mutating func normalize(_ outputs: [String], of stage: Instance) -> [String] {
    guard let gain = family.gains[stage.member] else { return outputs }
    return outputs.map { output in
      guard var expression = try? Expression(parsing: "x * \(written(Float(gain)))") else {
        preconditionFailure("the expression of a gain cannot be read")
      }
      for (row, term) in expression.terms.enumerated() where term.kind == .name("x") {
        expression.replace(row, with: output)
      }
      // Nobody else's names are so: an author's have no part that is a number.
      let name = "\(output).0.normal"
      result.definitions.append(
        .init(
          name: name, expression: expression, scope: .init(), demand: nil, text: nil,
          place: family.members[stage.member].document.outputs.first?.place ?? .start, user: nil))
      return name
    }
  }
}
