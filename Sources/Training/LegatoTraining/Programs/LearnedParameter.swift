// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

/// A parameter that learns: a number from 0 to 1, its place on its scale.
///
///     place 0 ─────────── 1                  linear         minimum + place (maximum - minimum)
///     value minimum ───── maximum            logarithmic    minimum (maximum / minimum) ^ place
///
/// So a step goes as far for hertz as for decibels. Behind each update a place beyond an end is put at that end.
struct LearnedParameter: Codable {
  let name: String
  private let minimum, maximum: Double
  private let isLogarithmic: Bool
  /// The place of the default.
  let start: Float
  /// The default, which its place gives but for rounding; nil in a file that does not state it.
  private let initial: Float?

  init(_ declared: ParameterDeclaration) {
    name = declared.name
    (minimum, maximum) = (Double(declared.minimum), Double(declared.maximum))
    isLogarithmic = declared.scale == .logarithmic
    initial = declared.initial
    let value = Double(declared.initial)
    start = Float(
      isLogarithmic ? log(value / minimum) / log(maximum / minimum) : (value - minimum) / (maximum - minimum))
  }

  /// Whether it has a range and a place in it, as one that was declared.
  var isWhole: Bool {
    minimum < maximum && minimum.isFinite && maximum.isFinite && (!isLogarithmic || minimum > 0)
      && (0...1).contains(start) && (initial.map { (minimum...maximum).contains(Double($0)) } ?? true)
  }

  func value(at place: Float) -> Float {
    if place == start, let initial { return initial }
    let place = Double(min(max(place, 0), 1))
    let value =
      isLogarithmic ? minimum * pow(maximum / minimum, place) : minimum + place * (maximum - minimum)
    return Float(min(max(value, minimum), maximum))
  }

  /// The value, by the place.
  func value(at place: Formula) -> Formula {
    guard isLogarithmic else { return Formula(minimum) + place * Formula(maximum - minimum) }
    return Formula(minimum) * .exp(place * Formula(log(maximum / minimum)))
  }
}
