// SPDX-License-Identifier: Apache-2.0

extension String {
  /// Whether expressions can say it as a name: a letter, then letters, digits and underscores.
  ///
  /// A letter is one of any script (Unicode's category L); digits are 0 to 9.
  package var isName: Bool {
    let scalars = Array(unicodeScalars)
    return !scalars.isEmpty && scalars.endOfName(from: 0) == scalars.count
  }

  /// Whether it is a name, or names with dots between them, as parts of models within models have.
  ///
  ///     level    cab.level    dst.2.level
  package var isQualifiedName: Bool {
    let scalars = Array(unicodeScalars)
    return !scalars.isEmpty && scalars.endOfQualifiedName(from: 0) == scalars.count
  }
}

extension [Unicode.Scalar] {
  /// Behind the name that begins at a position; the position itself where none does.
  func endOfName(from start: Int) -> Int {
    guard start < count, self[start].beginsName else { return start }
    var end = start + 1
    while end < count, self[end].continuesName { end += 1 }
    return end
  }

  /// Behind the name, or the names and numbers with dots between them, that begin at a position with a name.
  func endOfQualifiedName(from start: Int) -> Int {
    var end = endOfName(from: start)
    guard end > start else { return start }
    while end + 1 < count, self[end] == "." {
      var next = endOfName(from: end + 1)
      if next == end + 1 { while next < count, self[next].isDigit { next += 1 } }
      guard next > end + 1 else { break }
      end = next
    }
    return end
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

extension String {
  /// The name of the matrix of this name with its axes swapped: `w.T` for `w`, and `w` for `w.T`.
  package var transposedName: String { hasSuffix(".T") && count > 2 ? String(dropLast(2)) : self + ".T" }
}
