// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Lines of Swift, indented by the blocks that they stand in.
struct SwiftText {
  private(set) var lines: [String] = []
  private var depth = 0
  private var indent: String { String(repeating: "  ", count: depth) }

  var text: String { lines.joined(separator: "\n") + "\n" }

  mutating func line(_ text: String = "") { lines.append(text.isEmpty ? "" : indent + text) }

  /// A head with a brace, what is inside, and the other brace.
  mutating func block(_ head: String, _ body: (inout SwiftText) -> Void) {
    line(head + " {")
    depth += 1
    body(&self)
    depth -= 1
    line("}")
  }

  /// A block after a free line.
  mutating func member(_ head: String, doc: String, _ body: (inout SwiftText) -> Void) {
    line()
    self.doc(doc)
    block(head, body)
  }

  /// A comment of a declaration, in lines of at most 110 letters; each line of the text begins one.
  ///
  /// The text is the author's: it cannot end the comment, since it has no other kind of line end.
  mutating func doc(_ text: String) {
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let begin = paragraph.prefix { $0 == " " }
      guard begin.count < 4 else {
        line("/// " + paragraph)
        continue
      }
      let next = String(
        repeating: " ", count: begin.count + (paragraph.dropFirst(begin.count).hasPrefix("- ") ? 2 : 0))
      var current = String(begin)
      for word in paragraph.split(separator: " ") {
        if current.count + word.count + indent.count > 105, current.contains(where: { $0 != " " }) {
          line("/// " + current)
          current = next
        }
        current += (current.last == " " || current.isEmpty ? "" : " ") + word
      }
      line(current.allSatisfy { $0 == " " } ? "///" : "/// " + current)
    }
  }

  /// A text as a literal.
  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\0"..<" ", "\u{7F}"..."\u{A0}", "\u{2028}", "\u{2029}", "\u{FEFF}":
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Texts as the literal of a list.
  static func literal(_ texts: [String]) -> String {
    "[\(texts.map { literal($0) }.joined(separator: ", "))]"
  }

  /// The author's words in a sentence: on one line, with a full stop.
  static func sentence(_ text: String) -> String {
    let words = printable(text.replacing("\n", with: " "), limit: 4000).split(separator: " ").joined(
      separator: " ")
    return words.isEmpty || ".!?…".contains(words.last ?? ".") ? words : words + "."
  }
}
