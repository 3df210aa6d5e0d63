// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

/// The members of an object whose keys are known, by key.
typealias Fields = [String: JSONValue]

/// Says that a name is unknown, and which one was probably meant.
func unknown(_ kind: String, _ name: String, among known: some Sequence<String>) -> String {
  if let nearest = nearestName(to: name, among: known) {
    return "unknown \(kind) \(quoted(name)); did you mean \(quoted(nearest))?"
  }
  let all = Array(known)
  guard all.count <= ModelDocument.Keys.model.count else { return "unknown \(kind) \(quoted(name))" }
  return "unknown \(kind) \(quoted(name)); known are \(all.map { quoted($0) }.joined(separator: ", "))"
}

extension ModelDocumentDecoder {
  mutating func wrongType(_ value: JSONValue, _ what: String, mustBe kind: String) {
    report("\(what) must be \(kind), this is \(value.kind)", at: value.place)
  }

  mutating func decodeMembers(_ value: JSONValue, _ what: String) -> [JSONMember]? {
    guard case .object(let members) = value.content else {
      wrongType(value, what, mustBe: "an object")
      return nil
    }
    return members
  }

  /// The members of an object with names of the model's choice as keys; too many of them are not looked at.
  mutating func decodeTable(_ value: JSONValue?, _ key: String, limit: Int, _ contents: String)
    -> [JSONMember]
  {
    guard let value else { return [] }
    guard let members = decodeMembers(value, "'\(key)'") else {
      unread.hideNames()
      return []
    }
    guard members.count <= limit else {
      unread.hideNames()
      report("a model may have at most \(limit) \(contents), this one has \(members.count)", at: value.place)
      return []
    }
    return members
  }

  /// The members of an object with given keys; reports each other key, and reads it as the one that was meant.
  mutating func decodeFields(_ value: JSONValue, _ what: String, keys: [String]) -> Fields? {
    guard let members = decodeMembers(value, what) else { return nil }
    var fields = Fields()
    for member in members where keys.contains(member.key) { fields[member.key] = member.value }
    for member in members where !keys.contains(member.key) {
      report(unknown("key", member.key, among: keys), at: member.keyPlace)
      if let meant = nearestName(to: member.key, among: keys), fields[meant] == nil {
        fields[meant] = member.value
      } else {
        // It may be a table of names.
        unread.hideNames()
      }
    }
    return fields
  }

  mutating func decodeString(_ value: JSONValue?, _ what: String) -> JSONString? {
    guard let value else { return nil }
    guard case .string(let string) = value.content else {
      wrongType(value, what, mustBe: "a string")
      return nil
    }
    return string
  }

  /// A number that a 32-bit float holds.
  mutating func decodeNumber(_ value: JSONValue?, _ what: String) -> Double? {
    guard let value else { return nil }
    guard case .number(let number) = value.content else {
      wrongType(value, what, mustBe: "a number")
      return nil
    }
    guard Float(number).isFinite else {
      report("\(what) is \(written(number)), which is too large for a 32-bit float", at: value.place)
      return nil
    }
    return number
  }

  /// One of a few words.
  mutating func decodeChoice<Choice: RawRepresentable & CaseIterable>(
    _ value: JSONValue?, _ what: String
  ) -> Choice? where Choice.RawValue == String {
    guard let value, let string = decodeString(value, what) else { return nil }
    if let choice = Choice(rawValue: string.text) { return choice }
    let words = Choice.allCases.map { quoted($0.rawValue) }.joined(separator: " or ")
    report("\(what) must be \(words), this is \(quoted(string.text))", at: value.place)
    return nil
  }
}
