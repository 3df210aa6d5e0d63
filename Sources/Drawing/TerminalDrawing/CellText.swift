// SPDX-License-Identifier: Apache-2.0

/// One character of a text in a terminal's cells: a letter with its marks, and the columns that it takes.
///
/// Terminals do not agree on sequences that make one sign of several: of those only the first letter is kept. Nothing
/// passes that a terminal would take as a command, or that would turn the direction of what follows.
package struct CellText: Hashable, Sendable {
  package let text: String
  /// 1 or 2.
  package let columns: Int
  /// Whether every terminal moves its cursor by so many columns.
  let isCertain: Bool

  static let blank = CellText(text: " ", columns: 1, isCertain: true)

  private init(text: String, columns: Int, isCertain: Bool) {
    self.text = text
    self.columns = columns
    self.isCertain = isCertain
  }

  package init(_ character: Character) {
    let scalars = character.unicodeScalars
    guard let letter = scalars.first, Self.isShown(letter) else {
      self.init(text: "?", columns: 1, isCertain: true)
      return
    }
    var text = String(letter)
    for mark in scalars.dropFirst().prefix(Self.mostMarks) {
      guard Self.isMark(mark) else { break }
      text.unicodeScalars.append(mark)
    }
    let isAlone = text.unicodeScalars.count == 1
    let columns = Self.isWide(letter) ? 2 : 1
    self.init(text: text, columns: columns, isCertain: isAlone && Self.isCertain(letter))
  }

  private static let mostMarks = 2

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate,
      .nonspacingMark, .enclosingMark, .spacingMark:
      false
    case .spaceSeparator: scalar == " "
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation,
      .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol,
      .currencySymbol, .modifierSymbol, .otherSymbol:
      // Half a flag.
      !(0x1F1E6...0x1F1FF).contains(scalar.value)
    @unknown default: false
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    let isSelector = (0xFE00...0xFE0F).contains(scalar.value) || scalar.value >= 0xE0000
    return scalar.properties.generalCategory == .nonspacingMark && !isSelector
  }

  /// Letters of Europe, lines, blocks and Braille are one column wide everywhere.
  private static func isCertain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E, 0xA1...0x2FF, 0x2500...0x259F, 0x2800...0x28FF: true
    case _: scalar == "…"
    }
  }

  /// Whether a character takes two columns: East Asian Width W and F (Unicode Standard Annex 11).
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
      0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
      0x20000...0x3FFFD:
      true
    case _: scalar.properties.isEmojiPresentation
    }
  }
}

extension String {
  /// The columns that the text takes in a terminal.
  package var columns: Int { reduce(0) { $0 + CellText($1).columns } }
}
