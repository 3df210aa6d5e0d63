// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Legato

/// A parameter as something that is turned: by keys, or by a controller.
///
///     way      0 ─────────────── 0.5 ─────────────── 1
///     linear   0                 0.5                 1        equal ways are equal steps
///     logarithmic   1            16                  256      equal ways are equal ratios
public struct Knob: Hashable, Sendable {
  /// The parameter's name.
  public let name: String
  /// In the parameter's unit, as all values.
  public let range: ClosedRange<Float>
  /// The value unless somebody turns it.
  public let initial: Float
  /// The unit, such as `Hz`; empty where there is none.
  public let unit: String
  /// Whether equal ways are equal ratios.
  public let isLogarithmic: Bool

  /// How far a key turns.
  package enum Step {
    case fine, usual, coarse

    /// Steps from one end to the other.
    package var count: Int {
      switch self {
      case .fine: 500
      case .usual: 50
      case .coarse: 8
      }
    }
  }

  public init(_ parameter: Model.Parameter) {
    self.init(
      name: parameter.name, range: parameter.range, initial: parameter.initial, unit: parameter.unit,
      isLogarithmic: parameter.isLogarithmic)
  }

  package init(
    name: String, range: ClosedRange<Float>, initial: Float, unit: String = "", isLogarithmic: Bool = false
  ) {
    self.name = name
    self.range = range
    self.initial = initial
    self.unit = unit
    self.isLogarithmic = isLogarithmic
  }

  private var low: Double { Double(range.lowerBound) }
  private var high: Double { Double(range.upperBound) }

  /// The position of a value between the minimum, 0, and the maximum, 1.
  public func way(to value: Float) -> Double {
    let value = Double(min(max(value, range.lowerBound), range.upperBound))
    let way = isLogarithmic ? log(value / low) / log(high / low) : (value - low) / (high - low)
    return way.isFinite ? way : 0
  }

  /// The value at a place on the way; the ends are exactly the range's.
  public func value(at way: Double) -> Float {
    if way <= 0 { return range.lowerBound }
    if way >= 1 { return range.upperBound }
    let value = isLogarithmic ? low * pow(high / low, way) : low + (high - low) * way
    return min(max(Float(value), range.lowerBound), range.upperBound)
  }

  /// The next value that a key turns to: one of few digits, on a grid, so that turning back leads back.
  package func turned(from value: Float, up: Bool, _ step: Step) -> Float {
    let turned = isLogarithmic ? nextRatio(value, up, step) : nextSum(value, up, step)
    let inside = min(max(turned, range.lowerBound), range.upperBound)
    // Where a range has fewer numbers than steps.
    let moves = up ? inside > value : inside < value
    return moves ? inside : (up ? range.upperBound : range.lowerBound)
  }

  private func nextSum(_ value: Float, _ up: Bool, _ step: Step) -> Float {
    let width = Self.round((high - low) / Double(step.count))
    let place = Double(value) / width
    // A value that is nearly on the grid is on it: it was rounded to a float.
    let next = up ? (place + Self.tolerance).rounded(.down) + 1 : (place - Self.tolerance).rounded(.up) - 1
    return Float(next * width)
  }

  private func nextRatio(_ value: Float, _ up: Bool, _ step: Step) -> Float {
    let place = way(to: value) * Double(step.count)
    var next = up ? (place + Self.tolerance).rounded(.down) + 1 : (place - Self.tolerance).rounded(.up) - 1
    // Rounding to some digits may lead back to where it stands.
    for _ in 0..<3 {
      let found = rounded(self.value(at: next / Double(step.count)), step)
      if up ? found > value : found < value { return found }
      next += up ? 1 : -1
    }
    return self.value(at: next / Double(step.count))
  }

  private static let tolerance = 0.01

  /// The nearest of 1, 2 and 5 times a power of ten.
  private static func round(_ width: Double) -> Double {
    let power = pow(10, log10(width).rounded(.down))
    let digit = width / power
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10)
  }

  /// The value rounded to as many digits as tell one step from the next.
  private func rounded(_ value: Float, _ step: Step) -> Float {
    let ratio = pow(high / low, 1 / Double(step.count)) - 1
    let digits = max(2, (1 - log10(ratio)).rounded(.up))
    let power = pow(10, digits - 1 - log10(Double(value)).rounded(.down))
    let rounded = (Double(value) * power).rounded() / power
    return rounded.isFinite ? Float(rounded) : value
  }
}
