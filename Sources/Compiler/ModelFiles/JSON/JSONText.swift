// SPDX-License-Identifier: Apache-2.0

/// The bytes of a JSON text, of which single members are set while all else stays as it is: comments, order and spaces.
///
///     { "a": 1, // one        set 5 at ["b", "c"]        { "a": 1, // one
///       "b": { "c": 2 } }                                  "b": { "c": 5 } }
struct JSONText {
  private(set) var bytes: [UInt8]

  /// - Parameter bytes: a text that was read without an error.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var lineBreak: String { bytes.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n" }

  /// The keys of the object at the end of a path; nil where there is none.
  func keys(at path: [String] = []) throws(JSONError) -> [String]? {
    try object(at: path)?.members.map(\.key)
  }

  /// Sets a member of an object that is there, in its place or behind the others.
  mutating func set(_ value: String, at path: [String]) throws(JSONError) {
    guard let key = path.last, let object = try object(at: path.dropLast()) else { return }
    guard let member = object.members.first(where: { $0.key == key }) else {
      return append("\(Self.quoted(key)): \(value)", to: object)
    }
    bytes.replaceSubrange(member.value, with: value.utf8)
  }

  /// Puts a member behind the last one of an object: on a line of its own where the object has several.
  private mutating func append(_ member: String, to object: JSONReader.ObjectBytes) {
    let inside = bytes[object.start + 1..<object.end]
    guard let last = object.members.last else {
      let isBlank = inside.allSatisfy { $0 <= UInt8(ascii: " ") }
      let text = isBlank ? " \(member) " : "\(lineBreak)\(member)\(lineBreak)"
      bytes.replaceSubrange(isBlank ? inside.indices : object.end..<object.end, with: text.utf8)
      return
    }
    guard inside.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
      bytes.insert(contentsOf: ", \(member)".utf8, at: last.value.upperBound)
      return
    }
    // Behind comments that follow the last one.
    let end = inside.lastIndex { $0 > UInt8(ascii: " ") }.map { $0 + 1 } ?? object.end
    let text = lineBreak + indentation(at: last.start) + member
    bytes.insert(contentsOf: text.utf8, at: end)
    if !object.endsInComma { bytes.insert(UInt8(ascii: ","), at: last.value.upperBound) }
  }

  /// The blanks at the beginning of the line in which a byte stands.
  func indentation(at offset: Int) -> String {
    let line = bytes[..<offset].lastIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let blanks = bytes[(line.map { $0 + 1 } ?? 0)...].prefix { [0x20, 0x09].contains($0) }
    return String(decoding: blanks, as: UTF8.self)
  }

  /// An object of a single member for the outermost object: on lines of its own where that has several.
  func table(of member: String) throws(JSONError) -> String {
    guard let last = try object(at: [])?.members.last, bytes[..<last.start].contains(UInt8(ascii: "\n"))
    else {
      return "{ \(member) }"
    }
    let indent = indentation(at: last.start)
    return "{\(lineBreak)\(indent)\(indent)\(member)\(lineBreak)\(indent)}"
  }

  private func object(at path: some Collection<String>) throws(JSONError) -> JSONReader.ObjectBytes? {
    var reader = JSONReader(bytes)
    try reader.skipBeginning()
    for key in path {
      guard let member = try reader.readObjectBytes()?.members.first(where: { $0.key == key }) else {
        return nil
      }
      reader.offset = member.value.lowerBound
    }
    return try reader.readObjectBytes()
  }

  /// A string as it stands in a text.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
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

extension JSONReader {
  /// An object and its members, by the bytes at which they stand.
  struct ObjectBytes {
    struct Member {
      let key: String
      /// The first byte of the key.
      let start: Int
      let value: Range<Int>
    }
    var members: [Member] = []
    /// Whether a comma follows the last one.
    var endsInComma = false
    /// The bytes of the brackets.
    let start: Int
    var end: Int
  }

  /// Reads an object that begins here; nil where something else does.
  mutating func readObjectBytes() throws(JSONError) -> ObjectBytes? {
    guard next == UInt8(ascii: "{") else { return nil }
    var object = ObjectBytes(start: offset, end: offset)
    let place = place
    offset += 1
    try skipSpace()
    while next != UInt8(ascii: "}") {
      let start = offset
      let key = try readKey(objectAt: place)
      try skipSpace()
      offset += 1
      try skipSpace()
      let value = offset
      _ = try readValue()
      object.members.append(.init(key: key.text, start: start, value: value..<offset))
      try skipSpace()
      object.endsInComma = next == UInt8(ascii: ",")
      try skipSeparator(closing: "}", inside: "object", at: place)
    }
    object.end = offset
    return object
  }
}
