// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A flaw of a JSON text, and its place.
package struct JSONError: Error, Hashable, Sendable {
  package let place: Place
  package let message: String
}

/// All that is wrong with a JSON text up to the error that ends it.
package struct JSONErrors: Error, Hashable, Sendable {
  package let all: [JSONError]
}

/// A JSON text that was read whole: comments and trailing commas allowed, order and places kept.
package struct JSONDocument: Sendable {
  package let root: JSONValue
  /// Keys that stand twice in one object; the first one is the one that counts.
  package let duplicates: [JSONDuplicate]
  /// Errors of syntax that leave no doubt about what was meant: the text was read as if that stood there.
  package let mistakes: [JSONError]
  private let bytes: [UInt8]

  /// Reads a text of UTF-8; the first error of syntax that is no mere mistake ends it.
  package init(_ bytes: [UInt8]) throws(JSONErrors) {
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      root = try reader.readText()
    } catch {
      throw JSONErrors(all: reader.mistakes + [error])
    }
    duplicates = reader.duplicates
    mistakes = reader.mistakes
    self.bytes = bytes
  }

  /// The text of a value, as it stands there.
  package func text(of value: JSONValue) -> String { String(decoding: bytes[value.bytes], as: UTF8.self) }

  /// The place of an element of an array.
  ///
  /// Arrays of numbers keep no places, so the text is read again up to the element: linear in the index, meant for
  /// messages.
  package func place(ofElement index: Int, in array: JSONValue) -> Place {
    switch array.content {
    case .array(let elements): return elements[index].place
    case .numbers(let numbers):
      precondition(numbers.indices.contains(index), "an element outside of the array")
      var reader = JSONReader(bytes, after: array.place, offset: array.bytes.lowerBound + 1)
      return reader.placeOfNumber(index)
    case .null, .boolean, .number, .string, .object: preconditionFailure("only an array has elements")
    }
  }
}
