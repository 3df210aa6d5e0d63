// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A value of a JSON text, with the place where it begins.
package struct JSONValue: Sendable {
  package enum Content: Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(JSONString)
    /// An empty array, or one that holds something else than numbers.
    case array([JSONValue])
    /// An array of numbers only, without a place for each: `JSONDocument.place(ofElement:in:)` finds it.
    case numbers([Double])
    /// Members in the order of the text, each key once.
    case object([JSONMember])
  }

  package let content: Content
  package let place: Place
  /// The bytes of the text that it takes, brackets and quotes included.
  let bytes: Range<Int>

  /// The kind of the value, as a message says it: "'default' must be a number, this is a string".
  package var kind: String {
    switch content {
    case .null: "null"
    case .boolean(true): "'true'"
    case .boolean(false): "'false'"
    case .number: "a number"
    case .string: "a string"
    case .array, .numbers: "an array"
    case .object: "an object"
    }
  }
}

/// A key and its value.
package struct JSONMember: Sendable {
  package let key: String
  package let keyPlace: Place
  /// The first byte of the key, which may be a quote.
  let keyOffset: Int
  package let value: JSONValue
}
