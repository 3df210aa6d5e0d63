// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

/// A JSON value written out plainly, with the place of each part: what a test compares.
func outline(_ value: JSONValue, in document: JSONDocument) -> String {
  let at = "\(value.place.line):\(value.place.column)"
  switch value.content {
  case .null: return "null@\(at)"
  case .boolean(let flag): return "\(flag)@\(at)"
  case .number(let number): return "\(number)@\(at)"
  case .string(let string): return "\"\(string.text)\"@\(at)"
  case .array(let elements):
    return "[\(elements.map { outline($0, in: document) }.joined(separator: " "))]@\(at)"
  case .numbers(let numbers):
    let elements = numbers.enumerated().map { index, number in
      let place = document.place(ofElement: index, in: value)
      return "\(number)@\(place.line):\(place.column)"
    }
    return "[\(elements.joined(separator: " "))]@\(at)"
  case .object(let members):
    let fields = members.map { member in
      "\(member.key)@\(member.keyPlace.line):\(member.keyPlace.column)=\(outline(member.value, in: document))"
    }
    return "{\(fields.joined(separator: " "))}@\(at)"
  }
}

func outline(_ text: String) throws -> String {
  let document = try JSONDocument(Array(text.utf8))
  return outline(document.root, in: document)
}

/// "line:column: message" of each error of syntax in a text.
func syntaxErrors(_ bytes: [UInt8]) -> [String] {
  func lines(_ errors: [JSONError]) -> [String] {
    errors.map { "\($0.place.line):\($0.place.column): \($0.message)" }
  }
  do throws(JSONErrors) {
    return lines(try JSONDocument(bytes).mistakes)
  } catch {
    return lines(error.all)
  }
}

/// The only error of syntax in a text, or "accepted"; several stand side by side.
func syntaxError(_ bytes: [UInt8]) -> String {
  let errors = syntaxErrors(bytes)
  return errors.isEmpty ? "accepted" : errors.joined(separator: "; ")
}

func syntaxError(_ text: String) -> String { syntaxError(Array(text.utf8)) }
