// SPDX-License-Identifier: Apache-2.0

/// How wide text is in a font of equal widths, and how much of it fits.
///
/// Nobody knows which font a viewer has: a character is taken to be 0.61 of the font's size wide, as wide as the
/// widest of the usual ones, and twice that where the script has wide characters.
package enum TextMeasure {
  package static func width(_ text: String, size: Double) -> Double {
    Double(text.unicodeScalars.reduce(0) { $0 + columns($1) }) * size * 0.61
  }

  /// The text, cut so that it has at most so many columns.
  package static func cut(_ text: String, columns limit: Int) -> String {
    var (result, used) = ("", 0)
    for character in text {
      used += character.unicodeScalars.reduce(0) { $0 + columns($1) }
      if used > limit { return result.dropLast() + "…" }
      result.append(character)
    }
    return result
  }

  /// The text in lines of at most so many columns where it has spaces to break it at; at most so many lines.
  package static func lines(_ text: String, columns limit: Int, most: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let longer = lines.last.map { $0 + " " + word }
      if let longer, lines.count == most || longer.unicodeScalars.reduce(0, { $0 + columns($1) }) <= limit {
        lines[lines.count - 1] = longer
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    case _: break
    }
    switch scalar.value {
    // Hangul, the Chinese, Japanese and Korean scripts, full-width forms, and pictures.
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    case _: return 1
    }
  }
}
