// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import GraphIR

/// Models of one loudness: each that states its own gets a gain behind it.
///
///     amp.nam, of -20.5 dB ─▶ × 1.334 ─▶ cabinet.json, which states none ─▶
///
/// Of a model that states none, the parts that do.
extension ModelFamily {
  /// The same models with gains behind those that state how loud they are; nil where none does.
  ///
  /// - Parameter gain: for a loudness in decibels; nil where it is none.
  package func normalized(by gain: (_ loudness: Double) -> Double?) -> ModelFamily? {
    var result = self
    for (index, member) in members.enumerated() {
      // Of several outputs of a part nobody knows which the loudness is of.
      guard let loudness = member.document.levels.loudness,
        stages.contains(index) || member.document.outputs.count == 1
      else { continue }
      guard let gain = gain(loudness) else { return nil }
      result.gains[index] = gain
    }
    return result.gains.isEmpty ? nil : result
  }
}

extension Composer {
  /// The name of an output that is as loud as is asked for. Nobody else's names are so: an author's have no part that is
  /// a number.
  static func normal(_ output: String) -> String { "\(output).0.normal" }

  /// Lets the outputs of a model be as loud as is asked for.
  ///
  /// - Parameter outputs: their names in the whole.
  /// - Returns: the names of what comes out.
  mutating func normalize(_ outputs: [String], of instance: Instance) -> [String] {
    guard !instance.isNormal, let gain = family.gains[instance.member] else { return outputs }
    return outputs.map { output in
      guard var expression = try? Expression(parsing: "x * \(written(Float(gain)))") else {
        preconditionFailure("the expression of a gain cannot be read")
      }
      for (row, term) in expression.terms.enumerated() where term.kind == .name("x") {
        expression.replace(row, with: output)
      }
      let name = Self.normal(output)
      result.definitions.append(
        .init(
          name: name, expression: expression, scope: .init(), demand: nil, text: nil,
          place: family.members[instance.member].document.outputs.first?.place ?? .start, user: nil))
      return name
    }
  }
}
