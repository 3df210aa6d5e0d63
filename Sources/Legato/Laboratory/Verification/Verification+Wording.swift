// SPDX-License-Identifier: Apache-2.0

/// How findings write numbers.
extension Verification {
  /// One or two digits that count.
  static func rounded(_ value: Double) -> String {
    guard value != 0, value.isFinite else { return plain(value) }
    let digits = 1 - Int(value.magnitude.exponent) * 3 / 10
    let scale = (0..<Swift.abs(digits)).reduce(1.0) { power, _ in power * 10 }
    let result = digits > 0 ? (value * scale).rounded() / scale : (value / scale).rounded() * scale
    return plain(result)
  }

  /// With as many decimals as tell it from nothing.
  static func percent(_ share: Double) -> String {
    let percent = share * 100
    let places = percent >= 10 ? 1.0 : percent >= 0.1 ? 100.0 : 10_000.0
    return "\(plain((percent * places).rounded() / places)) %"
  }

  /// Three digits that count, in the unit that suits.
  static func duration(nanoseconds: Double) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")]
    guard let (scale, unit) = units.first(where: { nanoseconds >= $0.0 }) else {
      return "\(plain(nanoseconds.rounded())) ns"
    }
    let value = nanoseconds / scale
    let places = value >= 100 ? 1.0 : value >= 10 ? 10.0 : 100.0
    return "\(plain((value * places).rounded() / places)) \(unit)"
  }

  /// Without a fraction that is nothing.
  private static func plain(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
