// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The mapping between values and positions in the picture.
///
///     domain      20 Hz ────────── 20 kHz        linear, or in equal ways for equal ratios
///                   │                 │
///     pixels       64 ────────────── 840         from the domain's low end to its high end; upwards is downhill
struct Scale: Sendable {
  let domain: ClosedRange<Double>
  let isRatio: Bool
  /// The pixel of the domain's low end, and that of its high end.
  let start, end: Double

  init(_ domain: ClosedRange<Double>, isRatio: Bool, from start: Double, to end: Double) {
    precondition(!isRatio || domain.lowerBound > 0, "ratios are of positive numbers")
    (self.domain, self.isRatio, self.start, self.end) = (domain, isRatio, start, end)
  }

  /// The position of a value: beyond the domain, at its nearer end. Nil where it is not a number.
  func position(of value: Double) -> Double? {
    guard !value.isNaN else { return nil }
    let held = min(max(value, domain.lowerBound), domain.upperBound)
    let way =
      isRatio
      ? log(held / domain.lowerBound) / log(domain.upperBound / domain.lowerBound)
      : (held - domain.lowerBound) / (domain.upperBound - domain.lowerBound)
    return start + way * (end - start)
  }

  /// The value at a place between the ends.
  func value(at position: Double) -> Double {
    let way = (position - start) / (end - start)
    return isRatio
      ? domain.lowerBound * pow(domain.upperBound / domain.lowerBound, way)
      : domain.lowerBound + way * (domain.upperBound - domain.lowerBound)
  }

  /// Whether the value is shown.
  func shows(_ value: Double) -> Bool {
    let margin = isRatio ? 0 : (domain.upperBound - domain.lowerBound) * 1e-9
    let factor = isRatio ? 1.000001 : 1
    return value >= domain.lowerBound / factor - margin && value <= domain.upperBound * factor + margin
  }
}
