// SPDX-License-Identifier: Apache-2.0

/// A rule that a parameter breaks.
package struct ParameterFlaw: Hashable, Sendable {
  /// The part to correct, as a model file names it.
  package enum Part: String, Sendable {
    case minimum
    case initial = "default"
    case ramp
  }

  package var part: Part
  package var message: String
}

extension ParameterDeclaration {
  /// The flaws of the declaration.
  package var flaws: [ParameterFlaw] {
    var flaws = Self.flaws(initial: initial, minimum: minimum, maximum: maximum, scale: scale)
    if !(0...Self.maximumRampFrames).contains(rampFrames) {
      flaws.append(
        .init(
          part: .ramp,
          message: "'ramp' must last 0 to \(Self.maximumRampFrames) frames, this is \(rampFrames)"))
    }
    return flaws
  }

  /// The flaws of a range, in numbers as they were written; the engine takes them as 32-bit floats.
  package static func flaws<Number: BinaryFloatingPoint>(
    initial: Number, minimum: Number, maximum: Number, scale: Scale
  ) -> [ParameterFlaw] {
    func text(_ number: Number) -> String { written(number) }
    guard minimum.isFinite, maximum.isFinite, initial.isFinite else {
      let numbers = [("minimum", minimum), ("maximum", maximum), ("default", initial)]
      let (name, number) = numbers.first { !$0.1.isFinite }!
      return [
        .init(
          part: name == "default" ? .initial : .minimum,
          message: "'\(name)' must be a finite number, this is \(number)")
      ]
    }
    var flaws: [ParameterFlaw] = []
    // Denormals count as zero.
    if scale == .logarithmic, Float(minimum) < .leastNormalMagnitude {
      let message = "a logarithmic scale needs a 'minimum' above 0, this is \(text(minimum))"
      flaws.append(.init(part: .minimum, message: message))
    }
    guard Float(minimum) < Float(maximum) else {
      let message =
        "'minimum' must be below 'maximum', but \(text(minimum)) is not below \(text(maximum))"
      return flaws + [.init(part: .minimum, message: message)]
    }
    // A ramp divides the width into steps.
    if !(Float(maximum) - Float(minimum)).isFinite {
      let message =
        "the range from \(text(minimum)) to \(text(maximum)) is too wide; its width must fit a 32-bit float"
      flaws.append(.init(part: .minimum, message: message))
    }
    if !(minimum...maximum).contains(initial) {
      let message =
        "'default' must lie within \(text(minimum)) to \(text(maximum)), this is \(text(initial))"
      flaws.append(.init(part: .initial, message: message))
    }
    return flaws
  }
}
