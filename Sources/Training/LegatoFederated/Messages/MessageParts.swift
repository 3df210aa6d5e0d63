// SPDX-License-Identifier: Apache-2.0

internal import ProtobufWire

/// A message taken apart into objects, and put together again.
///
///     Message ─▶ RecordDict ─▶ ArrayRecord ─▶ Array ─▶ ArrayChunk, 5 MiB each
///                          └─▶ ConfigRecord
///
/// Taking apart gives the bytes that Flower's own client gives; putting together believes nothing: each object has the
/// hash that names it, and is of the kind that has its place there.
package struct MessageParts {
  /// The bytes of an array's chunks.
  static let chunk = 5 << 20

  package let tree: ObjectTree
  /// The bytes of the objects by their names.
  package let contents: [String: [UInt8]]

  // MARK: Apart

  package init(_ message: Message) {
    var contents: [String: [UInt8]] = [:]
    func add(_ object: MessageObject, _ below: [ObjectTree] = []) -> ObjectTree {
      let content = object.content
      let name = SHA256.name(of: content)
      contents[name] = content
      return ObjectTree(name, below)
    }
    var children: [ObjectTree] = []
    if case .records(let records) = message.content {
      let parts = records.items.map { item in
        switch item.record {
        case .config(let values): add(MessageObject(.config, body: values.body))
        case .metrics(let values): add(MessageObject(.metrics, body: values.body))
        case .arrays(let arrays): Self.tree(of: arrays, add)
        }
      }
      children = [Self.directory(.records, zip(records.items.map(\.name), parts).map { ($0, $1) }, add)]
    }
    var writer = ProtobufWriter()
    writer.message(1) { inner in
      var metadata = message.metadata
      metadata.name = ""
      metadata.write(&inner)
    }
    if case .error(let error) = message.content { writer.message(3) { error.write(&$0) } }
    tree = add(MessageObject(.message, children: children.map(\.name), body: writer.bytes), children)
    self.contents = contents
  }

  private typealias Add = (MessageObject, [ObjectTree]) -> ObjectTree

  private static func tree(of record: ArrayRecord, _ add: Add) -> ObjectTree {
    let arrays = record.items.map { item in
      let data = item.array.data
      let chunks = stride(from: 0, to: data.count, by: chunk).map { start in
        add(MessageObject(.chunk, body: Array(data[start..<min(data.count, start + chunk)])), [])
      }
      let unique = once(chunks)
      let body =
        "{\"dtype\": \(PythonJSON.text(item.array.element)), \"shape\": \(PythonJSON.numbers(item.array.shape)), "
        + "\"stype\": \(PythonJSON.text(item.array.form)), \"arraychunk_ids\": "
        + PythonJSON.numbers(chunks.map { part in unique.firstIndex { $0.name == part.name }! }) + "}"
      return add(MessageObject(.array, children: unique.map(\.name), body: Array(body.utf8)), unique)
    }
    return directory(.arrays, zip(record.items.map(\.name), arrays).map { ($0, $1) }, add)
  }

  /// An object whose body says which part has which name.
  private static func directory(
    _ kind: MessageObject.Kind, _ parts: [(key: String, part: ObjectTree)], _ add: Add
  ) -> ObjectTree {
    let unique = once(parts.map(\.part))
    let body = PythonJSON.object(parts.map { ($0.key, $0.part.name) })
    return add(MessageObject(kind, children: unique.map(\.name), body: Array(body.utf8)), unique)
  }

  private static func once(_ trees: [ObjectTree]) -> [ObjectTree] {
    var known = Set<String>()
    return trees.filter { known.insert($0.name).inserted }
  }

  // MARK: Together

  /// Parts that came from elsewhere.
  package init(_ tree: ObjectTree, _ contents: [String: [UInt8]]) {
    (self.tree, self.contents) = (tree, contents)
  }

  /// The message of the parts.
  ///
  /// - Parameter bounds: the most that it may take.
  /// - Throws: `FederatedError.answer` where a part is missing, damaged, or of the wrong kind, or it takes more.
  package func message(within bounds: MessageBounds) throws(FederatedError) -> Message {
    var left = bounds
    let object = try object(tree, .message, of: &left)
    var (metadata, error) = (nil as MessageMetadata?, nil as MessageError?)
    do throws(ProtobufError) {
      var reader = ProtobufReader(object.body, mostFields: 1000)
      while let field = try reader.next() {
        switch field.number {
        case 1: metadata = try MessageMetadata(reader.message(field))
        case 3: error = try MessageError(reader.message(field))
        default: break
        }
      }
    } catch {
      throw .answer("the object of a message: \(error.description)")
    }
    guard var metadata else { throw .answer("the object of a message has no metadata") }
    metadata.name = tree.name
    if let error { return Message(metadata, .error(error)) }
    guard tree.children.count == 1 else { throw .answer("a message has no records, and no error") }
    return Message(metadata, .records(try records(tree.children[0], of: &left)))
  }

  private func records(
    _ tree: ObjectTree, of left: inout MessageBounds
  ) throws(FederatedError) -> RecordDict {
    let object = try object(tree, .records, of: &left)
    var items: [RecordDict.Item] = []
    for (name, part) in try directory(object, tree) {
      let inner = try self.object(part, .arrays, .metrics, .config, of: &left)
      do throws(ProtobufError) {
        switch inner.kind {
        case .metrics: items.append(.init(name, .metrics(try ValueRecord(body: inner.body))))
        case .config: items.append(.init(name, .config(try ValueRecord(body: inner.body))))
        case .arrays, .array, .chunk, .message, .records: break
        }
      } catch {
        throw .answer("the record \(quotedShort(name)): \(error.description)")
      }
      guard inner.kind == .arrays else { continue }
      var arrays: [ArrayRecord.Item] = []
      for (key, array) in try directory(inner, part) {
        arrays.append(.init(key, try self.array(array, key, of: &left)))
      }
      items.append(.init(name, .arrays(ArrayRecord(arrays))))
    }
    return RecordDict(items)
  }

  private func array(
    _ tree: ObjectTree, _ name: String, of left: inout MessageBounds
  ) throws(FederatedError) -> MessageArray {
    let object = try object(tree, .array, of: &left)
    let members = try PythonJSON.members(object.body, of: "the array \(quotedShort(name))")
    func value(_ key: String) throws(FederatedError) -> [Int] {
      guard let counts = members.first(where: { $0.key == key })?.value.counts else {
        throw .answer("the array \(quotedShort(name)) does not say its \(key)")
      }
      return counts
    }
    func text(_ key: String) throws(FederatedError) -> String {
      guard let text = members.first(where: { $0.key == key })?.value.text else {
        throw .answer("the array \(quotedShort(name)) does not say its \(key)")
      }
      return text
    }
    let order = try value("arraychunk_ids")
    guard order.allSatisfy({ tree.children.indices.contains($0) }),
      Set(order).count == tree.children.count, order.count <= 1 << 16
    else { throw .answer("the array \(quotedShort(name)) has other chunks than it says") }
    let (element, shape, form) = (try text("dtype"), try value("shape"), try text("stype"))
    guard shape.count <= 64 else { throw .answer("the array \(quotedShort(name)) has more than 64 axes") }
    // Before one of them is looked at: a chunk may stand often, and an array, too.
    let most = left.numbers
    for place in order { left.numbers -= contents[object.children[place]]?.count ?? 0 }
    guard left.numbers >= 0 else {
      let said = element.isEmpty ? "" : ", which is said to be \(shape),"
      throw .answer(
        "the server's array \(quotedShort(name))\(said) takes \(most - left.numbers) bytes, and \(most) are left of what a "
          + "message for this model can have: is the server's program for another one?")
    }
    var chunks: [[UInt8]] = []
    for name in object.children { chunks.append(try self.object(ObjectTree(name), .chunk, of: &left).body) }
    return MessageArray(element: element, shape: shape, form: form, data: order.flatMap { chunks[$0] })
  }

  /// The names of an object's body, and the parts that they stand for.
  private func directory(
    _ object: MessageObject, _ tree: ObjectTree
  ) throws(FederatedError) -> [(String, ObjectTree)] {
    let what = "an object of the kind \(object.kind.rawValue)"
    let parts = Dictionary(tree.children.map { ($0.name, $0) }) { first, _ in first }
    var (result, met) = ([(String, ObjectTree)](), Set<String>())
    for (key, value) in try PythonJSON.members(object.body, of: what) {
      guard let name = value.text, let part = parts[name] else {
        throw .answer("\(what) names a part that it does not have")
      }
      met.insert(name)
      result.append((key, part))
    }
    guard met.count == tree.children.count else { throw .answer("\(what) has a part that it does not name") }
    return result
  }

  private func object(
    _ tree: ObjectTree, _ kinds: MessageObject.Kind..., of left: inout MessageBounds
  ) throws(FederatedError) -> MessageObject {
    guard let content = contents[tree.name] else { throw .answer("an object of a message is missing") }
    if kinds != [.chunk] {
      left.words -= content.count
      guard left.words >= 0 else {
        throw .answer(
          "the server's message says more beside its arrays than a message for this model can have")
      }
    }
    guard SHA256.name(of: content) == tree.name else {
      throw .answer("the object \(tree.name.prefix(12)) has another hash than its name says")
    }
    let object = try MessageObject(content)
    guard kinds.contains(object.kind) else {
      throw .answer("an object of the kind \(object.kind.rawValue) stands where \(kinds[0].rawValue) belongs")
    }
    // A server that keeps them in a database gives them back in another order.
    guard object.children.sorted() == tree.children.map(\.name).sorted() else {
      throw .answer("an object of the kind \(object.kind.rawValue) has other parts than the message says")
    }
    return object
  }
}
