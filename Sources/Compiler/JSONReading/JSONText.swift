// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The bytes of a JSON text, of which single members are set while all else stays as it is: comments, order and spaces.
///
///     { "a": 1, // one        set 5 at ["b", "c"]        { "a": 1, // one
///       "b": { "c": 2 } }                                  "b": { "c": 5 } }
package struct JSONText {
  package private(set) var bytes: [UInt8]

  /// - Parameter bytes: a text that was read without an error.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var lineBreak: String { bytes.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n" }

  /// The keys of the object at the end of a path; nil where there is none.
  package func keys(at path: [String] = []) throws(JSONError) -> [String]? {
    try object(at: path)?.members.map(\.key)
  }

  /// Sets a member of an object that is there, in its place or behind the others.
  package mutating func set(_ value: String, at path: [String]) throws(JSONError) {
    guard let key = path.last, let object = try object(at: path.dropLast()) else { return }
    guard let member = object.members.first(where: { $0.key == key }) else {
      return try append("\(key.asJSON): \(value)", to: object)
    }
    bytes.replaceSubrange(member.value.bytes, with: value.utf8)
  }

  /// Puts a member behind the last one of an object: on a line of its own where the object has several.
  private mutating func append(_ member: String, to object: Object) throws(JSONError) {
    let end = object.bytes.upperBound - 1
    let inside = bytes[object.bytes.lowerBound + 1..<end]
    guard let last = object.members.last else {
      let isBlank = inside.allSatisfy { $0 <= UInt8(ascii: " ") }
      let text = isBlank ? " \(member) " : "\(lineBreak)\(member)\(lineBreak)"
      bytes.replaceSubrange(isBlank ? inside.indices : end..<end, with: text.utf8)
      return
    }
    guard inside.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
      bytes.insert(contentsOf: ", \(member)".utf8, at: last.value.bytes.upperBound)
      return
    }
    // Behind comments that follow the last one.
    let behind = inside.lastIndex { $0 > UInt8(ascii: " ") }.map { $0 + 1 } ?? end
    let text = lineBreak + indentation(at: last.keyOffset) + member
    let comma = try hasComma(behind: last.value)
    bytes.insert(contentsOf: text.utf8, at: behind)
    if !comma { bytes.insert(UInt8(ascii: ","), at: last.value.bytes.upperBound) }
  }

  /// The blanks at the beginning of the line in which a byte stands.
  func indentation(at offset: Int) -> String {
    let line = bytes[..<offset].lastIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let blanks = bytes[(line.map { $0 + 1 } ?? 0)...].prefix { [0x20, 0x09].contains($0) }
    return String(decoding: blanks, as: UTF8.self)
  }

  /// An object of a single member for the outermost object: on lines of its own where that has several.
  package func table(of member: String) throws(JSONError) -> String {
    guard let last = try object(at: [])?.members.last, bytes[..<last.keyOffset].contains(UInt8(ascii: "\n"))
    else {
      return "{ \(member) }"
    }
    let indent = indentation(at: last.keyOffset)
    return "{\(lineBreak)\(indent)\(indent)\(member)\(lineBreak)\(indent)}"
  }

  private typealias Object = (members: [JSONMember], bytes: Range<Int>)

  private func object(at path: some Collection<String>) throws(JSONError) -> Object? {
    var reader = JSONReader(bytes)
    var value = try reader.readText()
    for key in path {
      guard case .object(let members) = value.content, let member = members.first(where: { $0.key == key })
      else { return nil }
      value = member.value
    }
    guard case .object(let members) = value.content else { return nil }
    return (members, value.bytes)
  }

  private func hasComma(behind value: JSONValue) throws(JSONError) -> Bool {
    var reader = JSONReader(bytes)
    reader.offset = value.bytes.upperBound
    try reader.skipSpace()
    return reader.next == UInt8(ascii: ",")
  }
}
