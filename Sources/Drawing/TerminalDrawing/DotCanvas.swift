// SPDX-License-Identifier: Apache-2.0

/// Dots, eight to a cell, that are shown as Braille: curves in a terminal.
///
///     1 4
///     2 5      the dots of a cell, by the bit that each sets in U+2800
///     3 6
///     7 8
package struct DotCanvas: Sendable {
  package let columns: Int
  package let rows: Int
  private var bits: [UInt8]

  private static let weights: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

  /// - Parameters: in cells.
  package init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    bits = Array(repeating: 0, count: self.columns * self.rows)
  }

  /// Dots from left to right, and from top to bottom.
  package var width: Int { columns * 2 }
  package var height: Int { rows * 4 }

  /// Sets a dot; one outside is left out.
  package mutating func set(x: Int, y: Int) {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return }
    bits[y / 4 * columns + x / 2] |= Self.weights[y % 4][x % 2]
  }

  /// Draws values from 1, at the top, to -1, at the bottom, from left to right; each joins the one before.
  ///
  /// - Parameter gap: only every so manieth column of dots is drawn.
  package mutating func draw(_ values: [Float], every gap: Int = 1) {
    guard width > 0, height > 0, !values.isEmpty else { return }
    var before: Int?
    for x in 0..<width {
      let value = values[min(values.count - 1, x * values.count / width)]
      guard value.isFinite else {
        before = nil
        continue
      }
      let y = Int(((1 - min(max(value, -1), 1)) / 2 * Float(height - 1)).rounded())
      let start = before ?? y
      before = y
      guard x % gap == 0 else { continue }
      // With gaps there are dots only; a jump would fill them.
      for dot in gap > 1 ? y...y : min(start, y)...max(start, y) { set(x: x, y: dot) }
    }
  }

  /// The dots of a cell, as bits; 0 where there are none.
  package func dots(row: Int, column: Int) -> UInt8 { bits[row * columns + column] }

  /// The sign for dots of a cell.
  package static func sign(_ dots: UInt8) -> String {
    String(Unicode.Scalar(0x2800 + UInt32(dots)).map(Character.init) ?? " ")
  }
}
