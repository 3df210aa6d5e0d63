// SPDX-License-Identifier: Apache-2.0

/// The error bound of native code for a function of floats.
///
///     |native - exact| ≤ absolute + relative · |exact| + 1.5 · perArgument · |x| · (1 + exact²)
///
/// The last term is the error of taking right angles off a large angle, times the slope of the function; where that
/// error may cross a pole, nothing is claimed. Results whose magnitude is below the smallest normal float may be 0.
/// Arguments are exact here: what an error of the argument makes of the result is the caller's to add.
package struct MathAccuracy: Hashable, Sendable {
  package var absolute: Double
  package var relative: Double
  package var perArgument: Double

  package init(absolute: Double = 0, relative: Double = 0, perArgument: Double = 0) {
    self.absolute = absolute
    self.relative = relative
    self.perArgument = perArgument
  }

  /// The greatest distance of native code from `exact`, the value of the function at `argument`.
  package func radius(exact: Double, argument: Double) -> Double {
    let rounding = absolute + relative * exact.magnitude
    guard perArgument > 0 else { return rounding }
    let slip = perArgument * argument.magnitude
    // tan(a + slip) - tan(a) = tan(slip) (1 + tan²(a)) / (1 - tan(a) tan(slip))
    guard slip < 0.25, slip * exact.magnitude < 0.25 else { return .infinity }
    return rounding + 1.5 * slip * (1 + exact * exact)
  }
}

extension MathAccuracy {
  package static let tanh = MathAccuracy(absolute: 3e-7)
  package static let sigmoid = MathAccuracy(absolute: 2e-7)
  package static let exp = MathAccuracy(relative: 1.2e-7)
  package static let log = MathAccuracy(relative: 1.2e-7)
  package static let sin = MathAccuracy(absolute: 1e-7, perArgument: 5e-16)
  package static let cos = MathAccuracy(absolute: 1e-7, perArgument: 5e-16)
  package static let tan = MathAccuracy(relative: 3e-7, perArgument: 5e-16)
  package static let atan2 = MathAccuracy(relative: 1.9e-7)
  package static let power = MathAccuracy(relative: 7e-8)
  package static let erf = MathAccuracy(absolute: 2.7e-7)
  /// While |x/y| < 2²⁸; beyond, nothing is claimed.
  package static let modulo = MathAccuracy(relative: 6e-8)
  package static let sign = MathAccuracy()
}
