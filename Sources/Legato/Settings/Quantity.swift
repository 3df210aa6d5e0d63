// SPDX-License-Identifier: Apache-2.0

/// A number and, perhaps, what it counts.
package struct Quantity {
  package let number: Double
  package let unit: String

  /// Reads "-6dB", "20 ms" or "1e3"; nil where there is no number in front.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    var end = 0
    func skipDigits() -> Bool {
      let start = end
      while end < bytes.count, (0x30...0x39).contains(bytes[end]) { end += 1 }
      return end > start
    }
    func skip(_ letters: StaticString) -> Bool {
      guard end < bytes.count, "\(letters)".utf8.contains(bytes[end]) else { return false }
      end += 1
      return true
    }
    _ = skip("+-")
    let hasWhole = skipDigits()
    let hasFraction = skip(".") && skipDigits()
    guard hasWhole || hasFraction else { return nil }
    // The e of an exponent, unless it begins a unit.
    let mantissa = end
    if skip("eE") {
      _ = skip("+-")
      if !skipDigits() { end = mantissa }
    }
    var digits = String(decoding: bytes[..<end], as: UTF8.self)
    if digits.hasSuffix(".") { digits += "0" }
    guard let number = Double(digits) else { return nil }
    self.number = number
    unit = String(String(decoding: bytes[end...], as: UTF8.self).drop { $0 == " " })
  }

  /// The number in a parameter's unit; nil where the unit is of another kind.
  package func number(inUnit wanted: String) -> Double? {
    if unit.isEmpty || unit.lowercased() == wanted.lowercased() { return number }
    for (small, large) in [("ms", "s"), ("hz", "khz")] {
      switch (unit.lowercased(), wanted.lowercased()) {
      case (small, large): return number / 1000
      case (large, small): return number * 1000
      case _: continue
      }
    }
    return nil
  }
}
