// SPDX-License-Identifier: Apache-2.0

extension ModelDocument {
  /// Names with a meaning of their own in expressions and shapes.
  package static let reservedNames = ["sampleRate", "frames", "pi"]

  /// Whether expressions can say this name: a letter, then letters, digits and underscores.
  ///
  /// A letter is one of any script (Unicode's category L); digits are 0 to 9.
  package static func isName(_ text: String) -> Bool {
    var scalars = text.unicodeScalars.makeIterator()
    guard let first = scalars.next(), isLetter(first) else { return false }
    while let scalar = scalars.next() {
      guard isLetter(scalar) || ("0"..."9").contains(scalar) || scalar == "_" else { return false }
    }
    return true
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }
}
