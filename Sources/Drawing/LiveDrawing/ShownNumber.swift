// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The form in which the view writes numbers: short, and of one width while they move.
enum ShownNumber {
  /// Four digits that count, without zeros behind: 8, 0.3333, 12.5, 22050.
  static func value(_ number: Float) -> String {
    guard number.isFinite else { return "\(number)" }
    let size = abs(number)
    guard size > 0 else { return "0" }
    guard size >= 1e-4, size < 1e7 else { return String(format: "%.3g", Double(number)) }
    let places = max(0, 3 - Int(log10(Double(size)).rounded(.down)))
    var text = String(format: "%.\(places)f", Double(number))
    guard places > 0 else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text == "-0" ? "0" : text
  }

  /// A level as decibels of full scale, such as `-12.3`; `-inf` for silence.
  static func decibels(_ peak: Float) -> String {
    peak > 1e-6 ? String(format: "%.1f", 20 * log10(Double(peak))) : "-inf"
  }

  static func percent(_ share: Double) -> String { String(format: "%.0f %%", share * 100) }

  /// Parts per million, with a sign.
  static func drift(_ parts: Double) -> String { String(format: "%+.0f", parts) }

  static func milliseconds(_ seconds: Double) -> String { String(format: "%.1f ms", seconds * 1000) }
}
