// SPDX-License-Identifier: Apache-2.0

internal import ProtobufWire

/// The content of a message: records by their names, in their order.
///
///     "arrays"   arrays by name          "config"   values by name          "metrics"   numbers by name
package struct RecordDict: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    package let name: String
    package let record: Record

    package init(_ name: String, _ record: Record) { (self.name, self.record) = (name, record) }
  }

  package var items: [Item]

  package init(_ items: [Item] = []) { self.items = items }

  package func arrays(_ name: String) -> ArrayRecord? {
    for case .arrays(let arrays) in items.filter({ $0.name == name }).map(\.record) { return arrays }
    return nil
  }

  package func config(_ name: String) -> ValueRecord? {
    for case .config(let values) in items.filter({ $0.name == name }).map(\.record) { return values }
    return nil
  }
}

/// A record of a message.
package enum Record: Hashable, Sendable {
  case arrays(ArrayRecord)
  case metrics(ValueRecord)
  case config(ValueRecord)
}

/// Values by their names, in their order.
package struct ValueRecord: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    package let name: String
    package let value: RecordValue

    package init(_ name: String, _ value: RecordValue) { (self.name, self.value) = (name, value) }
  }

  package var items: [Item]

  package init(_ items: [Item] = []) { self.items = items }

  package subscript(name: String) -> RecordValue? { items.last { $0.name == name }?.value }

  /// The body of the record's object: a message of entries.
  var body: [UInt8] {
    var writer = ProtobufWriter()
    for item in items {
      writer.message(1) { entry in
        if !item.name.isEmpty { entry.text(1, item.name) }
        entry.message(2) { item.value.write(&$0) }
      }
    }
    return writer.bytes
  }

  /// - Throws: `ProtobufError` where the body is damaged, or has more than 100,000 fields.
  init(body: [UInt8]) throws(ProtobufError) {
    var reader = ProtobufReader(body, mostFields: 100_000)
    items = []
    while let field = try reader.next() {
      guard field.number == 1 else { continue }
      var entry = try reader.message(field)
      var (name, value) = ("", nil as RecordValue?)
      while let part = try entry.next() {
        switch part.number {
        case 1: name = try entry.text(part)
        case 2: value = try RecordValue(entry.message(part))
        default: break
        }
      }
      guard let value else { throw ProtobufError(at: field.place, "an entry of a record has no value") }
      items.append(Item(name, value))
    }
  }
}
