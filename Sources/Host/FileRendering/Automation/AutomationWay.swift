// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Legato

/// The way of a parameter from one point to the next.
///
///     from 200 to 8000, half way
///     step         200, and 8000 at the point       linear             4100
///     exponential  1265, the geometric mean          smooth             slow at both ends, 3 t² - 2 t³ of the way
///
/// Contexts glide on lines. A curve is cut into glides so short that each of its frames lies within a millionth of the
/// curve; whatever its frames are, where they are cut depends on the curve's own ends only.
enum AutomationWay: Hashable, Sendable {
  case step, linear, exponential
  /// Slow at both ends, on a line or on a logarithmic scale.
  case smooth(isExponential: Bool)

  /// The value after a share of the way.
  func value(from start: Float, to end: Float, at share: Double) -> Float {
    let (first, last) = (Double(start), Double(end))
    switch self {
    case .step: return share < 1 ? start : end
    case .linear: return Float(first + (last - first) * share)
    case .exponential: return Float(first * pow(last / first, share))
    case .smooth(let isExponential):
      let way: AutomationWay = isExponential ? .exponential : .linear
      return way.value(from: start, to: end, at: share * share * (3 - 2 * share))
    }
  }

  /// The frames of one glide on the way between two values that takes so many frames, at most as many as a context's
  /// glide may have; nil where one glide is exact.
  ///
  /// Between two points of a curve that are h of n frames apart, a line is off by (h / n)² / 8 of its second
  /// derivative.
  func glide(from start: Float, to end: Float, frames: Int) -> Int? {
    let curvature: Double
    switch self {
    case .step, .linear: return nil
    case .exponential:
      let ratio = log(Double(end) / Double(start))
      curvature = ratio * ratio
    case .smooth(false): curvature = 6
    case .smooth(true):
      let ratio = abs(log(Double(end) / Double(start)))
      curvature = 6 * ratio + 2.25 * ratio * ratio
    }
    // What takes years and is nearly flat has more frames than can be counted.
    let length = min(Double(frames) * (8e-6 / curvature).squareRoot(), Double(Context.longestGlide))
    return max(1, Int(length))
  }

  /// Whether it has a meaning between two values: no factor leads to 0, or through it.
  func leads(from start: Float, to end: Float) -> Bool {
    switch self {
    case .step, .linear, .smooth(false): true
    case .exponential, .smooth(true): start != 0 && end != 0 && (start < 0) == (end < 0)
    }
  }
}
