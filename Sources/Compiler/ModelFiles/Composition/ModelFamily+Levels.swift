// SPDX-License-Identifier: Apache-2.0

import CaptureFiles
import GraphIR

/// Models at levels that are asked for: each that states its own gets a gain behind it, or in front as well.
///
///     amp.nam, of -20.5 dB ─▶ × 1.334 ─▶ cabinet.json, which states none ─▶
///
/// Of a model that states none, the parts that do.
extension ModelFamily {
  /// The factors of what goes into a model, and of what comes out; nil where nothing is to be done.
  struct Gains: Hashable, Sendable {
    var input, output: Double?
  }

  /// The same models, each at the loudness that is asked for; nil where none states its own.
  ///
  /// - Parameter gain: for a loudness in decibels; nil where it is none.
  package func normalized(by gain: (_ loudness: Double) -> Double?) -> ModelFamily? {
    levelled { levels, gains in
      guard let loudness = levels.loudness else { return true }
      gains.output = gain(loudness)
      return gains.output != nil
    }
  }

  /// The same models, each with what it was made with for full scale; nil where none states that in dBu. What is
  /// normalized stays so.
  ///
  /// - Parameters:
  ///   - input: the gain for a level in dBu of an input at full scale; nil where it is none.
  ///   - output: the same of an output.
  package func calibrated(
    input: (_ level: Double) -> Double?, output: (_ level: Double) -> Double?
  ) -> ModelFamily? {
    levelled { levels, gains in
      if let level = levels.input {
        gains.input = input(level)
        if gains.input == nil { return false }
      }
      if let level = levels.output, gains.output == nil {
        gains.output = output(level)
        if gains.output == nil { return false }
      }
      return true
    }
  }

  /// - Parameter level: sets the gains of a member, of the levels that it states; says whether they are some.
  private func levelled(_ level: (Capture.Levels, inout Gains) -> Bool) -> ModelFamily? {
    var result = self
    var isChanged = false
    for (index, member) in members.enumerated() {
      // Of several outputs of a part nobody knows which the levels are of.
      guard stages.contains(index) || member.document.outputs.count == 1 else { continue }
      var gains = gains[index] ?? Gains()
      let before = gains
      guard level(member.document.levels, &gains) else { return nil }
      guard gains != before else { continue }
      result.gains[index] = gains
      isChanged = true
    }
    return isChanged ? result : nil
  }
}

extension Composer {
  /// The name of a value that is at the level which is asked for. Nobody else's names are so: an author's have no part
  /// that is a number.
  static func levelled(_ value: String) -> String { "\(value).0.levelled" }

  /// The gains in front of and behind an instance; those of a whole are also those of its parts.
  func gains(of instance: Instance) -> ModelFamily.Gains? {
    instance.isLevelled ? nil : family.gains[instance.member]
  }

  /// Whether the text of an instance means an input behind its gain.
  func isLevelled(_ name: String, in instance: Instance) -> Bool {
    gains(of: instance)?.input != nil
      && family.members[instance.member].document.inputs.contains { $0.name == name }
  }

  /// Lets the inputs of a model be at the level that is asked for.
  mutating func levelInputs(of instance: Instance) {
    guard let gain = gains(of: instance)?.input else { return }
    for input in family.members[instance.member].document.inputs {
      append(
        gain, of: instance.prefix + input.name, place: input.place.inFile(family.file(of: instance.member)))
    }
  }

  /// Lets the outputs of a model be at the level that is asked for.
  ///
  /// - Parameter outputs: their names in the whole.
  /// - Returns: the names of what comes out.
  mutating func level(_ outputs: [String], of instance: Instance) -> [String] {
    guard let gain = gains(of: instance)?.output else { return outputs }
    let place = family.members[instance.member].document.outputs.first?.place ?? .start
    for output in outputs { append(gain, of: output, place: place) }
    return outputs.map(Self.levelled)
  }

  private mutating func append(_ gain: Double, of value: String, place: Place) {
    guard var expression = try? Expression(parsing: "x * \(written(Float(gain)))") else {
      preconditionFailure("the expression of a gain cannot be read")
    }
    for (row, term) in expression.terms.enumerated() where term.kind == .name("x") {
      expression.replace(row, with: value)
    }
    result.definitions.append(
      .init(
        name: Self.levelled(value), expression: expression, scope: .init(), demand: nil, text: nil,
        place: place, user: nil))
  }
}
