// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Prints figures as they come, and keeps them.
final class Table {
  private(set) var figures: [Figure] = []
  private(set) var notes: [String] = []

  static let heading =
    pad("", 44) + pad("median", -12) + pad("p99", -12) + "  " + pad("beside", 34) + pad("ratio", -7)

  func section(_ title: String) { print("\n\(title)\n\(Self.heading)") }

  func add(_ figure: Figure) {
    figures.append(figure)
    let unit = figure.unit.rawValue
    var line = Self.pad(figure.name, 44)
    line += Self.pad("\(Self.number(figure.median)) \(unit)", -12)
    line += Self.pad("\(Self.number(figure.p99)) \(unit)", -12)
    if let reference = figure.reference, let median = figure.referenceMedian, let ratio = figure.ratio {
      line += "  " + Self.pad("\(reference) \(Self.number(median)) \(unit)", 34)
      line += Self.pad(String(format: "%.3f", ratio), -7)
    } else if figure.bar != nil {
      line += Self.pad("", 43)
    }
    if let bar = figure.bar { line += "  \(bar.isKept ? "kept" : "MISSED"): \(bar.promise)" }
    print(line)
  }

  func note(_ text: String) {
    notes.append(text)
    print(text)
  }

  /// The figures and notes as a JSON document.
  func json() throws -> Data {
    struct Document: Encodable {
      let notes: [String]
      let figures: [Figure]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(Document(notes: notes, figures: figures))
  }

  static func number(_ value: Double) -> String {
    String(format: value < 100 ? "%.2f" : "%.0f", value)
  }

  /// Text in a column; a negative width aligns it to the right.
  private static func pad(_ text: String, _ width: Int) -> String {
    let space = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? space + text : text + space
  }
}
