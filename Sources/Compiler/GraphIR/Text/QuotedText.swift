// SPDX-License-Identifier: Apache-2.0

/// A string as it stands between its marks in expressions and in the text form: `\"`, `\'`, `\\` and `\n` are escapes.
enum QuotedText {
  /// Reads the string whose opening mark stands at `position`, and leaves `position` behind the closing one.
  static func read(
    _ scalars: [Unicode.Scalar], at position: inout Int
  ) throws(ExpressionError) -> String {
    let (start, mark) = (position, scalars[position])
    var text = String.UnicodeScalarView()
    position += 1
    while position < scalars.count, scalars[position] != mark {
      if scalars[position] == "\\" {
        position += 1
        guard position < scalars.count else { break }
        guard let meant = meaning(ofEscaped: scalars[position]) else {
          throw ExpressionError(
            offset: position - 1,
            message: "after '\\' in a string stands one of \" ' \\ n, not \(quoted(scalars[position]))")
        }
        text.append(meant)
      } else {
        text.append(scalars[position])
      }
      position += 1
    }
    guard position < scalars.count else {
      throw ExpressionError(offset: start, message: "the string that begins here has no end")
    }
    position += 1
    return String(text)
  }

  private static func meaning(ofEscaped scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\"", "'", "\\": scalar
    case "n": "\n"
    default: nil
    }
  }
}
