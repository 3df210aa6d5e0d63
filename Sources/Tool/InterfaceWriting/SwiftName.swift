// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A name in Swift, made of any text.
///
///     getting up  ▶  gettingUp        3 wheels  ▶  _3Wheels        class  ▶  `class`        RGB  ▶  rgb
struct SwiftName: Hashable {
  /// The name as a part of others.
  let plain: String

  /// As it is declared and used: a word of the language has marks around it.
  var written: String { Self.words.contains(plain) ? "`\(plain)`" : plain }
  /// With a capital, as types have it, and what follows another word.
  var capital: String { plain.prefix(1).uppercased() + plain.dropFirst() }

  /// - Parameters:
  ///   - text: any.
  ///   - fallback: what it is called where no letter or digit is in it.
  init(_ text: String, or fallback: String) {
    var words = [""]
    for scalar in text.unicodeScalars {
      if scalar != "_", "a\(scalar)".isName {
        words[words.count - 1].unicodeScalars.append(scalar)
      } else {
        words.append("")
      }
    }
    words.removeAll { $0.isEmpty }
    let joined = words.enumerated().map { place, word in
      guard place == 0 else { return word.prefix(1).uppercased() + word.dropFirst() }
      return word == word.uppercased() ? word.lowercased() : word.prefix(1).lowercased() + word.dropFirst()
    }.joined()
    let begun = joined.isName || joined.isEmpty ? joined : "_" + Self.withCapital(joined)
    plain = begun.isEmpty ? fallback : Self.impossible.contains(begun) ? begun + "_" : begun
  }

  private init(plain: String) { self.plain = plain }

  /// The same name with a number behind it.
  func numbered(_ number: Int) -> SwiftName {
    SwiftName(plain: plain + (plain.last?.isNumber == true ? "_" : "") + String(number))
  }

  /// The first letter behind digits as a capital.
  private static func withCapital(_ text: String) -> String {
    let digits = text.prefix(while: \.isNumber)
    return digits + text.dropFirst(digits.count).prefix(1).uppercased() + text.dropFirst(digits.count + 1)
  }

  /// Words that no mark makes the name of a member.
  private static let impossible: Set<String> = ["self", "Self", "Type", "type", "Protocol", "init"]

  private static let words: Set<String> = [
    "Any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
    "guard",
    "if", "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
    "protocol", "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch",
    "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}

/// Names side by side, of which no two are equal.
struct NameScope {
  private var taken: Set<String>

  /// - Parameter taken: names that are there already.
  init(_ taken: Set<String> = []) { self.taken = taken }

  /// A name for a text: of those that come to the same one, the later ones have a number behind it.
  ///
  ///     a-b, a b, A_B  ▶  aB, aB2, aB3
  mutating func name(_ text: String, or fallback: String) -> SwiftName {
    let name = SwiftName(text, or: fallback)
    var (candidate, number) = (name, 2)
    while !taken.insert(candidate.plain).inserted {
      candidate = name.numbered(number)
      number += 1
    }
    return candidate
  }
}
