// SPDX-License-Identifier: Apache-2.0

/// Quotes text of a file for a message of one line: long text is cut, what does not print is escaped.
///
/// The text is untrusted and the message may reach a terminal, so control characters never pass.
package func quoted(_ text: String) -> String { "'\(printable(text))'" }

package func printable(_ text: String, limit: Int = 64) -> String {
  var result = ""
  for (index, scalar) in text.unicodeScalars.enumerated() {
    guard index < limit else { return result + "…" }
    if printsAsItself(scalar) {
      result.unicodeScalars.append(scalar)
    } else {
      result += codePoint(scalar)
    }
  }
  return result
}

/// A character as a message names it: 'x', or U+00A0 where it does not print.
package func quoted(_ scalar: Unicode.Scalar) -> String {
  printsAsItself(scalar) ? "'\(scalar)'" : codePoint(scalar)
}

extension String {
  /// The text in the quotation marks of expressions.
  package var asQuotation: String {
    var result = "'"
    for scalar in unicodeScalars {
      switch scalar {
      case "'", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }

  /// The string as it stands in a JSON text, between its marks.
  package var asJSON: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\0"..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// A number as a person writes it: 8 and not 8.0; nan and not -nan, whose sign says nothing.
package func written(_ number: some BinaryFloatingPoint) -> String {
  number.isNaN ? "nan" : wholeNumber(Double(number)).map { String($0) } ?? "\(number)"
}

/// The number as an integer, where it is one of at most 15 digits.
package func wholeNumber(_ number: Double) -> Int? {
  guard abs(number) < 1e15 else { return nil }
  let whole = Int(number)
  return Double(whole) == number ? whole : nil
}

/// A list as a sentence has it: "a, b or c".
package func alternatives(_ names: some Collection<String>, _ word: String = "or") -> String {
  guard let last = Array(names).last, names.count > 1 else { return names.first ?? "" }
  return names.dropLast().joined(separator: ", ") + " \(word) " + last
}

/// Some of many names, and how many there are more: "a, b, c, d, e, f and 3 more".
package func listed(_ names: [String]) -> String {
  let shown = names.prefix(6).map { printable($0, limit: 40) }.joined(separator: ", ")
  return names.count > 6 ? "\(shown) and \(names.count - 6) more" : shown
}

/// A number of things: "1 frame", "2 frames".
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)" + (count == 1 ? "" : "s")
}

private func printsAsItself(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
  case .spaceSeparator: scalar == " "
  default: true
  }
}

private func codePoint(_ scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16, uppercase: true)
  return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
