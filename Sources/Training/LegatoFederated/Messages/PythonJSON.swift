// SPDX-License-Identifier: Apache-2.0

internal import JSONReading

/// JSON as Python's `json.dumps` writes it, to the byte: hashes depend on it.
///
///     {"w\u00e9": "3a7f", "b": "90bc"}        a space behind , and :, and no letter beyond ASCII
enum PythonJSON {
  static func text(_ text: String) -> String {
    var result = "\""
    for unit in text.utf16 {
      switch unit {
      case 0x22: result += "\\\""
      case 0x5C: result += "\\\\"
      case 0x08: result += "\\b"
      case 0x0C: result += "\\f"
      case 0x0A: result += "\\n"
      case 0x0D: result += "\\r"
      case 0x09: result += "\\t"
      // Python leaves the last one of ASCII as it is.
      case 0x20...0x7F: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result + "\""
  }

  /// An object of texts.
  static func object(_ members: [(key: String, value: String)]) -> String {
    "{" + members.map { "\(text($0.key)): \(text($0.value))" }.joined(separator: ", ") + "}"
  }

  static func numbers(_ numbers: [Int]) -> String {
    "[" + numbers.map(String.init).joined(separator: ", ") + "]"
  }

  /// The members of an object, in their order.
  ///
  /// - Parameter what: what it stands in, for messages.
  static func members(
    _ bytes: [UInt8], of what: String
  ) throws(FederatedError) -> [(key: String, value: JSONValue)] {
    let document: JSONDocument
    do throws(JSONErrors) { document = try JSONDocument(bytes) } catch {
      throw .answer("\(what) is no JSON: \(error.all[0].message)")
    }
    guard case .object(let members) = document.root.content, document.mistakes.isEmpty,
      document.duplicates.isEmpty
    else { throw .answer("\(what) is no object of JSON") }
    return members.map { ($0.key, $0.value) }
  }
}

extension JSONValue {
  /// Whole numbers that are not negative; nil for anything else.
  var counts: [Int]? {
    switch content {
    case .numbers(let numbers):
      let counts = numbers.compactMap { Int(exactly: $0) }
      return counts.count == numbers.count && counts.allSatisfy { $0 >= 0 } ? counts : nil
    case .array(let elements): return elements.isEmpty ? [] : nil
    case .null, .boolean, .number, .string, .object: return nil
    }
  }

  /// The text; nil for anything else.
  var text: String? {
    guard case .string(let string) = content else { return nil }
    return string.text
  }
}
