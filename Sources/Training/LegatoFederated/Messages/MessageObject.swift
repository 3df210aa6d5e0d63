// SPDX-License-Identifier: Apache-2.0

/// A part of a message that is named by the hash of its bytes.
///
///     "ArrayRecord 3a7f…,90bc… 151" 00 {"w": "3a7f…", "b": "90bc…"}
///      kind        children    length    body
///
/// A message is a tree of these: Message, RecordDict, then ArrayRecord, MetricRecord and ConfigRecord; below an ArrayRecord
/// Array, and below it ArrayChunk. Equal parts are one object.
package struct MessageObject: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case message = "Message"
    case records = "RecordDict"
    case arrays = "ArrayRecord"
    case metrics = "MetricRecord"
    case config = "ConfigRecord"
    case array = "Array"
    case chunk = "ArrayChunk"
  }

  package let kind: Kind
  /// The names of the objects below, each once, in the order of their first mention.
  package let children: [String]
  package let body: [UInt8]

  init(_ kind: Kind, children: [String] = [], body: [UInt8]) {
    (self.kind, self.children, self.body) = (kind, children, body)
  }

  /// The bytes that its name is the hash of.
  package var content: [UInt8] {
    var content = Array("\(kind.rawValue) \(children.joined(separator: ",")) \(body.count)".utf8)
    content.reserveCapacity(content.count + 1 + body.count)
    content.append(0)
    content += body
    return content
  }

  /// - Throws: `FederatedError.answer` where the bytes are no object, or its length is not as said.
  package init(_ content: [UInt8]) throws(FederatedError) {
    guard let end = content.firstIndex(of: 0), let head = String(validating: content[..<end], as: UTF8.self)
    else { throw .answer("an object has no head") }
    let words = head.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, let kind = Kind(rawValue: String(words[0])) else {
      throw .answer("an object has the head \(quotedShort(head)), which is of no kind that is known")
    }
    children = words[1].isEmpty ? [] : words[1].split(separator: ",").map(String.init)
    guard children.allSatisfy(SHA256.isName), Set(children).count == children.count else {
      throw .answer("an object of the kind \(kind.rawValue) names a part that cannot be")
    }
    guard Int(words[2]) == content.count - end - 1 else {
      throw .answer(
        "an object of the kind \(kind.rawValue) is said to have \(words[2].prefix(20)) bytes, and has \(content.count - end - 1)"
      )
    }
    self.kind = kind
    body = Array(content[(end + 1)...])
  }
}

/// A text of a stranger's, as a message shows it.
func quotedShort(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(60).map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }
  return "'" + shown.joined() + (text.unicodeScalars.count > 60 ? "…'" : "'")
}

/// The names of a message's objects, from the message down.
package struct ObjectTree: Hashable, Sendable {
  package let name: String
  package let children: [ObjectTree]

  package init(_ name: String, _ children: [ObjectTree] = []) {
    (self.name, self.children) = (name, children)
  }

  /// All names, each once, those below before those above.
  package var names: [String] {
    var (result, known) = ([String](), Set<String>())
    func add(_ tree: ObjectTree) {
      for child in tree.children { add(child) }
      if known.insert(tree.name).inserted { result.append(tree.name) }
    }
    add(self)
    return result
  }
}
