// SPDX-License-Identifier: Apache-2.0

/// One direction of a panel: what is counted along it, and from where to where.
package struct Axis: Sendable {
  /// The quantity along the axis, which decides its scale and its ticks.
  package enum Quantity: Sendable, CaseIterable {
    /// Ticks at 1, 2 and 5 times a power of ten.
    case number
    /// The same, where equal ways are equal ratios.
    case ratio
    /// Sizes, of which each is twice the one before; equal ways are equal ratios.
    case powerOfTwo
    /// Hertz; equal ways are equal ratios.
    case frequency
    /// Ticks at multiples of 1, 2, 3, 6, 12 and so on.
    case decibels
    /// Seconds, written as milliseconds or as minutes where that reads better.
    case time
  }

  package var quantity: Quantity
  /// From where to where; nil is as far as there are values.
  package var range: ClosedRange<Double>?

  /// The names between n and n + 1, for each whole number from 0 on, in place of numbers; nil where they count.
  package let names: [String]?

  package init(_ quantity: Quantity, range: ClosedRange<Double>? = nil) {
    self.quantity = quantity
    self.range = range
    names = nil
  }

  /// An axis of names, in steps of 1.
  package init(names: [String]) {
    quantity = .number
    range = 0...Double(max(1, names.count))
    self.names = names
  }

  /// The largest number that is drawn as it is: sums and products of such do not overflow.
  private static let most = 1e30

  /// The part of the axis that is shown: its range, or what holds all values and ends at ticks.
  ///
  /// - Parameter values: those that are infinite, or not numbers, do not count; nor do those below 0 on an axis of
  ///   ratios.
  func domain(of values: some Sequence<Double>, ticks most: Int) -> ClosedRange<Double> {
    if let range { return Self.opened(range.lowerBound, range.upperBound, isRatio: quantity.isRatio) }
    var (low, high) = (Double.infinity, -Double.infinity)
    for value in values where value.isFinite && (!quantity.isRatio || value > 0) {
      low = min(low, value)
      high = max(high, value)
    }
    if low > high { (low, high) = quantity.isRatio ? (1, 10) : (0, 1) }
    let domain = Self.opened(low, high, isRatio: quantity.isRatio)
    switch quantity {
    case .number, .decibels, .time: return rounded(domain, ticks: most)
    case .ratio: return Self.floor125(domain.lowerBound)...Self.round125(domain.upperBound)
    case .powerOfTwo, .frequency: return domain
    }
  }

  /// An interval with something between its ends, which are numbers that can be reckoned with.
  private static func opened(_ low: Double, _ high: Double, isRatio: Bool) -> ClosedRange<Double> {
    func held(_ value: Double) -> Double { value.isNaN ? 0 : min(max(value, -most), most) }
    guard !isRatio else {
      let (low, high) = (max(held(low), 1 / most), max(held(high), 1 / most))
      return high / low < 1.000001 ? low / 2...low * 2 : low...high
    }
    let (low, high) = (held(low), held(high))
    let size = max(abs(low), abs(high))
    guard high - low < size * 1e-6 || size < 1 / most else { return low...high }
    let margin = size < 1 / most ? 1 : size / 2
    return low - margin...high + margin
  }

  /// The domain, from tick to tick.
  private func rounded(_ domain: ClosedRange<Double>, ticks most: Int) -> ClosedRange<Double> {
    var result = domain
    // A wider domain may need wider steps, and then ends at ticks of those.
    for _ in 0..<4 {
      let step = step(over: result, most: most)
      let (low, high) = (domain.lowerBound / step, domain.upperBound / step)
      result = low.rounded(.down) * step...high.rounded(.up) * step
      if self.step(over: result, most: most) == step { break }
    }
    return result
  }
}

extension Axis.Quantity {
  /// Whether equal ways are equal ratios.
  var isRatio: Bool {
    switch self {
    case .ratio, .powerOfTwo, .frequency: true
    case .number, .decibels, .time: false
    }
  }
}
