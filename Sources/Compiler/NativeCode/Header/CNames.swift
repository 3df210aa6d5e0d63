// SPDX-License-Identifier: Apache-2.0

/// Identifiers of C that are made of names people chose, each of them once.
///
///     "Wah-Wah 2"        → wah_wah_2
///     "saturationGain"   → SATURATION_GAIN
struct CNames {
  private var taken: Set<String> = []

  /// A prefix for all that belongs to a model.
  static func prefix(of name: String) -> String {
    let words = words(of: name).joined(separator: "_").lowercased()
    guard let first = words.first else { return "model" }
    return first.isNumber ? "model_" + words : words
  }

  /// Whether a text is an identifier that C and C++ leave to programs: no underscore at its beginning, none doubled.
  static func isIdentifier(_ text: String) -> Bool {
    let characters = Array(text.utf8)
    guard let first = characters.first, isLetter(first), !text.contains("__") else { return false }
    return characters.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
  }

  /// A name of a constant: the prefix, then the words of a name, with a number where another one is called so.
  mutating func constant(_ prefix: String, _ name: String, suffixes: [String] = [""]) -> String {
    let words = Self.words(of: name)
    let stem = ([prefix] + (words.isEmpty ? ["UNNAMED"] : words)).joined(separator: "_").uppercased()
    var (candidate, number) = (stem, 1)
    while suffixes.contains(where: { taken.contains(candidate + $0) }) {
      number += 1
      candidate = "\(stem)_\(number)"
    }
    for suffix in suffixes { taken.insert(candidate + suffix) }
    return candidate
  }

  /// The words of a name: what letters and digits of ASCII spell, apart where a capital follows a small letter.
  private static func words(of name: String) -> [String] {
    var words: [[UInt8]] = [[]]
    var before: UInt8 = 0
    for character in name.utf8 {
      let isWord = isLetter(character) || isDigit(character)
      let begins = isCapital(character) && (isLetter(before) || isDigit(before)) && !isCapital(before)
      if !isWord || begins { words.append([]) }
      if isWord { words[words.count - 1].append(character) }
      before = character
    }
    return words.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func isDigit(_ character: UInt8) -> Bool { (0x30...0x39).contains(character) }
  private static func isCapital(_ character: UInt8) -> Bool { (0x41...0x5A).contains(character) }
  private static func isLetter(_ character: UInt8) -> Bool {
    isCapital(character) || (0x61...0x7A).contains(character)
  }
}
