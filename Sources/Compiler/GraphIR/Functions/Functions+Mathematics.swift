// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Mathematics: ops of their own, and what is composed of them within a few ulp.
extension Function {
  static let mathematics: [Function] = [
    unary(.sqrt, .mathematics, "the square root"),
    unary(.exp, .mathematics, "e to the power of x"),
    unary(.log, .mathematics, "the natural logarithm"),
    composed(.mathematics, "log2", "the logarithm to base 2") { (x, _) in
      logarithm(x, base: 2)
    },
    composed(.mathematics, "log10", "the logarithm to base 10") { (x, _) in
      logarithm(x, base: 10)
    },
    binary(.pow, .mathematics, "x to the power of y"),
    unary(.sin, .mathematics, "the sine of x radians"),
    unary(.cos, .mathematics, "the cosine of x radians"),
    unary(.tan, .mathematics, "the tangent of x radians"),
    composed(.mathematics, "asin", "the angle from -pi / 2 to pi / 2 whose sine is x; none beyond ±1") {
      (x, _) in
      Formula(.binary(.atan2), x, .sqrt((1 - x) * (1 + x)))
    },
    composed(.mathematics, "acos", "the angle from 0 to pi whose cosine is x; none beyond ±1") { (x, _) in
      Formula(.binary(.atan2), .sqrt((1 - x) * (1 + x)), x)
    },
    composed(.mathematics, "atan", "the angle from -pi / 2 to pi / 2 whose tangent is x") { (x, _) in
      Formula(.binary(.atan2), x, 1)
    },
    binary(.atan2, .mathematics, "the angle of the point (y, x) in radians", ["y", "x"]),
    composed(.mathematics, "sinh", "the hyperbolic sine") { (x, _) in sinh(x) },
    composed(.mathematics, "cosh", "the hyperbolic cosine") { (x, _) in
      let (grown, decayed) = halves(x)
      return grown + decayed
    },
    unary(.tanh, .mathematics, "the hyperbolic tangent"),
    unary(.erf, .mathematics, "the error function"),
    composed(
      .mathematics, "decibelsToGain", "pow(10, decibels / 20): the factor of a level, 2 of 6.02 dB",
      of: "decibels"
    ) { (decibels, _) in
      Formula(.binary(.pow), 10, decibels / 20)
    },
    composed(
      .mathematics, "gainToDecibels",
      "20 * log10(gain): the level of a factor, minus infinity of 0; max(gain, 0.00001) has -100 dB at least",
      of: "gain"
    ) { (gain, _) in
      logarithm(gain, base: 10, times: 20)
    },
    composed(
      .mathematics, "noteToFrequency",
      "440 * pow(2, (note - 69) / 12): the frequency in hertz of a MIDI note, 69 being the A of 440 Hz",
      of: "note"
    ) { (note, _) in
      440 * Formula(.binary(.pow), 2, (note - 69) / 12)
    },
    composed(
      .mathematics, "frequencyToNote",
      "69 + 12 * log2(frequency / 440): the MIDI note of a frequency in hertz, with its fraction",
      of: "frequency"
    ) { (frequency, _) in
      69 + logarithm(frequency / 440, base: 2, times: 12)
    },
  ]

  /// A multiple of a logarithm; a constant, rounded once, makes it of the natural one.
  private static func logarithm(_ x: Formula, base: Double, times factor: Double = 1) -> Formula {
    Formula(.unary(.log), x) * Formula(factor / log(base))
  }

  /// exp(x) / 2 and exp(-x) / 2, both of the exponential of half of x: that has no infinity where they have none.
  private static func halves(_ x: Formula) -> (grown: Formula, decayed: Formula) {
    let root = Formula.exp(Formula.abs(x) * 0.5)
    let grown = root * 0.5 * root
    return (grown, 0.25 / grown)
  }

  /// The hyperbolic sine of a number.
  ///
  ///     |x| < 1    x (1 + x²/3! + x⁴/5! + x⁶/7! + x⁸/9!), 2e-8 of it at 1
  ///     beyond     ±(exp(|x|) - exp(-|x|)) / 2, of which near 0 nothing would be left
  private static func sinh(_ x: Formula) -> Formula {
    let square = x * x
    var sum: Formula = 1
    for divisor in [72.0, 42, 20, 6] { sum = sum * (square * Formula(1 / divisor)) + 1 }
    let (grown, decayed) = halves(x)
    let isNear = Formula(.binary(.less), .abs(x), 1)
    return .select(isNear, x * sum, Formula(.unary(.sign), x) * (grown - decayed))
  }
}
