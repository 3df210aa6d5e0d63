// SPDX-License-Identifier: Apache-2.0

internal import ProtobufWire

/// A value of a record: a number, a text, bytes, or a list of one kind of these.
///
///     double = 1, sint64 = 2, uint64 = 3, bool = 4, string = 5, bytes = 6; lists from 21 on, in the same order
package enum RecordValue: Hashable, Sendable {
  case double(Double)
  case integer(Int64)
  case unsigned(UInt64)
  case boolean(Bool)
  case text(String)
  case bytes([UInt8])
  case doubles([Double])
  case integers([Int64])
  case unsigneds([UInt64])
  case booleans([Bool])
  case texts([String])
  case byteStrings([[UInt8]])

  /// The value as a number; nil where it is none.
  package var number: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .boolean, .text, .bytes, .doubles, .integers, .unsigneds, .booleans, .texts, .byteStrings: nil
    }
  }

  func write(_ writer: inout ProtobufWriter) {
    switch self {
    case .double(let value): writer.double(1, value)
    case .integer(let value): writer.zigzag(2, value)
    case .unsigned(let value): writer.unsigned(3, value)
    case .boolean(let value): writer.integer(4, value ? 1 : 0)
    case .text(let value): writer.text(5, value)
    case .bytes(let value): writer.content(6, value)
    case .doubles(let values): writer.message(21) { if !values.isEmpty { $0.doubles(1, values) } }
    case .integers(let values): writer.message(22) { if !values.isEmpty { $0.zigzags(1, values) } }
    case .unsigneds(let values): writer.message(23) { if !values.isEmpty { $0.unsigneds(1, values) } }
    case .booleans(let values):
      writer.message(24) { if !values.isEmpty { $0.integers(1, values.map { $0 ? 1 : 0 }) } }
    case .texts(let values): writer.message(25) { inner in for value in values { inner.text(1, value) } }
    case .byteStrings(let values):
      writer.message(26) { inner in for value in values { inner.content(1, value) } }
    }
  }

  /// The value of a message with one field.
  init(_ reader: ProtobufReader) throws(ProtobufError) {
    var reader = reader
    var value: RecordValue?
    // Of several the last one counts.
    while let field = try reader.next() { value = try Self.value(field, reader) ?? value }
    guard let value else { throw ProtobufError(at: reader.start, "a record has an entry without a value") }
    self = value
  }

  private static func value(
    _ field: ProtobufField, _ reader: ProtobufReader
  ) throws(ProtobufError) -> RecordValue? {
    switch field.number {
    case 1: return .double(try field.double)
    case 2: return .integer(try field.zigzag)
    case 3: return .unsigned(try field.unsigned)
    case 4: return .boolean(try field.integer != 0)
    case 5: return .text(try reader.text(field))
    case 6: return .bytes(try reader.content(field))
    case 21...26: return try list(field.number, reader.message(field))
    default: return nil
    }
  }

  private static func list(
    _ kind: Int, _ reader: ProtobufReader
  ) throws(ProtobufError) -> RecordValue {
    var reader = reader
    var (numbers, texts, contents) = (ProtobufNumbers(), [String](), [[UInt8]]())
    while let field = try reader.next() {
      guard field.number == 1 else { continue }
      switch kind {
      case 25: texts.append(try reader.text(field))
      case 26: contents.append(try reader.content(field))
      default: try reader.append(field, to: &numbers)
      }
    }
    switch kind {
    case 21: return .doubles(try reader.doubles(numbers))
    case 22: return .integers(try reader.integers(numbers).map(\.unzigzagged))
    case 23: return .unsigneds(try reader.integers(numbers).map { UInt64(bitPattern: $0) })
    case 24: return .booleans(try reader.integers(numbers).map { $0 != 0 })
    case 25: return .texts(texts)
    default: return .byteStrings(contents)
    }
  }
}
