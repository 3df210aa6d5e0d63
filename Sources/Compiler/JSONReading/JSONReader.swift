// SPDX-License-Identifier: Apache-2.0

import GraphIR

/// Reads JSON from bytes of UTF-8, once from front to back.
///
/// A reader of our own, because model files are edited by people: comments and trailing commas are welcome, the order
/// of members is kept, keys that stand twice are noticed, and everything has a line and a column. The text is
/// untrusted: its size, its depth and the number of its values have limits, and nothing in it can crash the reader.
///
/// The place is kept as one moves: a column is the distance to `columnOrigin`, which moves along with each byte that
/// begins no character.
package struct JSONReader {
  package static let maximumBytes = 64 << 20
  package static let maximumDepth = 256
  /// Values without those in arrays of numbers only, which are stored densely: some 128 MiB of memory.
  package static let maximumValues = 1 << 20
  /// Numbers in arrays of numbers only: 128 MiB of memory.
  package static let maximumNumbers = 1 << 24
  /// A person reads no more of them.
  package static let maximumMistakes = 256

  /// Numbers for which it is worth looking ahead.
  private static let manyNumbers = 1 << 16

  let bytes: [UInt8]
  var offset = 0
  var line = 1
  var columnOrigin = -1
  private var depth = 0
  private var values = 0
  private var stored = 0
  private(set) var duplicates: [JSONDuplicate] = []
  private(set) var mistakes: [JSONError] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A reader that goes on behind the opening bracket of an array.
  init(_ bytes: [UInt8], after bracket: Place, offset: Int) {
    self.bytes = bytes
    self.offset = offset
    line = bracket.line
    columnOrigin = offset - bracket.column - 1
  }

  var place: Place { Place(line: line, column: offset - columnOrigin) }

  /// The byte to be read next, or nil at the end.
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func readText() throws(JSONError) -> JSONValue {
    guard bytes.count <= Self.maximumBytes else {
      throw error("the file has more than \(Self.maximumBytes) bytes (64 MiB), which are the most")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      offset = 3
      columnOrigin = 2
    }
    try skipSpace()
    guard next != nil else { throw error("the file is empty; expected a value") }
    let value = try readValue()
    try skipSpace()
    guard next == nil else {
      throw error("expected the end of the file after the value, found \(try found())")
    }
    return value
  }

  private mutating func readValue() throws(JSONError) -> JSONValue {
    values += 1
    guard values <= Self.maximumValues else {
      throw error("the file has more than \(Self.maximumValues) values")
    }
    let (start, place) = (offset, place)
    let content = try readContent()
    return JSONValue(content: content, place: place, bytes: start..<offset)
  }

  private mutating func readContent() throws(JSONError) -> JSONValue.Content {
    switch next {
    case UInt8(ascii: "{"): return try readObject()
    case UInt8(ascii: "["): return try readArray()
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return .number(try readNumber())
    default: return try readWord()
    }
  }

  private mutating func enter() throws(JSONError) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw error("objects and arrays are nested deeper than \(Self.maximumDepth) levels")
    }
    offset += 1
  }

  private mutating func leave() {
    depth -= 1
    offset += 1
  }

  // MARK: Objects

  private mutating func readObject() throws(JSONError) -> JSONValue.Content {
    let start = place
    try enter()
    var members: [JSONMember] = []
    var seen = JSONKeys()
    try skipSpace()
    while next != UInt8(ascii: "}") {
      let keyOffset = offset
      let key = try readKey(objectAt: start)
      try skipSpace()
      guard next == UInt8(ascii: ":") else {
        throw try expected("':' after the key \(quoted(key.text))", inside: "object", at: start)
      }
      offset += 1
      try skipSpace()
      let value = try readValue()
      if let first = seen.insert(key.text, at: key.place, among: members) {
        duplicates.append(JSONDuplicate(key: key.text, place: key.place, first: first))
      } else {
        members.append(
          JSONMember(key: key.text, keyPlace: key.place, keyOffset: keyOffset, value: value))
      }
      try skipSeparator(closing: "}", inside: "object", at: start)
    }
    leave()
    return .object(members)
  }

  private mutating func readKey(objectAt start: Place) throws(JSONError) -> JSONString {
    if next == UInt8(ascii: "\"") { return try readString() }
    if let key = try readBareKey() { return key }
    throw try expectedKey(objectAt: start)
  }

  private mutating func expectedKey(objectAt start: Place) throws(JSONError) -> JSONError {
    switch next {
    case UInt8(ascii: "'"): return error("a key is written in double quotes, not in single ones")
    case .some(let byte) where isLetter(byte):
      return error("the key \(quoted(peekWord())) needs double quotes")
    case UInt8(ascii: ","): return error("expected a key, found ','; there is one ',' too many")
    default: return try expected("a key or '}'", inside: "object", at: start)
    }
  }

  // MARK: Arrays

  private mutating func readArray() throws(JSONError) -> JSONValue.Content {
    let start = place
    try enter()
    let inside = (offset, line, columnOrigin)
    let known = mistakes.count
    if let numbers = try readNumbers(arrayAt: start) {
      leave()
      return .numbers(numbers)
    }
    // Only numbers were passed so far: reading them once more keeps the work linear.
    (offset, line, columnOrigin) = inside
    mistakes.removeSubrange(known...)
    var elements: [JSONValue] = []
    try skipSpace()
    while next != UInt8(ascii: "]") {
      guard next != nil else { throw try expected("a value or ']'", inside: "array", at: start) }
      elements.append(try readValue())
      try skipSeparator(closing: "]", inside: "array", at: start)
    }
    leave()
    return .array(elements)
  }

  /// The numbers up to the closing bracket, or nil where there are none or something else comes.
  private mutating func readNumbers(arrayAt start: Place) throws(JSONError) -> [Double]? {
    var numbers: [Double] = []
    try skipSpace()
    while let byte = next, byte != UInt8(ascii: "]") {
      guard byte == UInt8(ascii: "-") || isDigit(byte) else { return nil }
      if numbers.count == Self.manyNumbers {
        // Each takes two bytes at least. What is reserved and not used takes no memory, as moving to a larger place would.
        numbers.reserveCapacity(min(numbers.count + (bytes.count - offset) / 2 + 1, Self.maximumNumbers))
      }
      guard stored + numbers.count < Self.maximumNumbers else {
        throw error("the arrays up to here have more than \(Self.maximumNumbers) numbers, which are the most")
      }
      numbers.append(try readNumber())
      try skipSeparator(closing: "]", inside: "array", at: start)
    }
    guard !numbers.isEmpty && next != nil else { return nil }
    stored += numbers.count
    return numbers
  }

  /// The place of a number of an array that was read before without an error.
  mutating func placeOfNumber(_ index: Int) -> Place {
    do {
      try skipSpace()
      for _ in 0..<index {
        _ = try readNumber()
        try skipSeparator(closing: "]", inside: "array", at: place)
      }
    } catch {
      preconditionFailure("the array was read before: \(error.message)")
    }
    return place
  }

  // MARK: Between values

  private mutating func skipSeparator(
    closing: Unicode.Scalar, inside container: String, at start: Place
  ) throws(JSONError) {
    try skipSpace()
    if next == UInt8(ascii: ",") {
      offset += 1
      try skipSpace()
      try skipFurtherCommas(container == "object" ? "a key" : "a value")
    } else if next != UInt8(ascii: closing) {
      let found = try expected("',' or '\(closing)' after the value", inside: container, at: start)
      guard lacksOnlyAComma(inside: container) else { throw found }
      try note(found)
    }
  }

  /// Notes a mistake behind which reading goes on; the last one that anybody reads ends the text.
  mutating func note(_ mistake: JSONError) throws(JSONError) {
    guard mistakes.count < Self.maximumMistakes else { throw mistake }
    mistakes.append(mistake)
  }

  private func expected(_ what: String, inside container: String, at start: Place) throws(JSONError)
    -> JSONError
  {
    guard next == nil else { return error("expected \(what), found \(try found())") }
    return error(
      "expected \(what), but the file ends inside the \(container) that begins at \(start.line):\(start.column)"
    )
  }
}
