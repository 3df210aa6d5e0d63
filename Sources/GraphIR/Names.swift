// SPDX-License-Identifier: Apache-2.0

extension String {
  /// Whether expressions can say it as a name: a letter, then letters, digits and underscores.
  ///
  /// A letter is one of any script (Unicode's category L); digits are 0 to 9.
  package var isName: Bool {
    var scalars = unicodeScalars.makeIterator()
    guard let first = scalars.next(), first.beginsName else { return false }
    while let scalar = scalars.next() {
      guard scalar.continuesName else { return false }
    }
    return true
  }
}

extension Unicode.Scalar {
  var beginsName: Bool {
    switch value {
    case 0x41...0x5A, 0x61...0x7A: return true
    case 0..<0x80: return false
    default: break
    }
    return switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }

  var continuesName: Bool { isDigit || self == "_" || beginsName }

  var isDigit: Bool { (0x30...0x39).contains(value) }
}
