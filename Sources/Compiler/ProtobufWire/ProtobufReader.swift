// SPDX-License-Identifier: Apache-2.0

/// The fields of a message, one after the other.
///
///     08 0B            field 1, the number 11
///     12 05 68 65 …    field 2, 5 bytes: a string, a message, or packed numbers
///
/// Who reads it says what the fields mean. The bytes are shared by all readers of a file, and those of fields that nobody
/// looks into are not read. Groups, which protocol buffers themselves gave up, are refused.
package struct ProtobufReader {
  /// All bytes of the file.
  package let bytes: ProtobufBytes
  /// The end of the message.
  private let end: Int
  /// The beginning of the message, in bytes of the file.
  package let start: Int
  private var place: Int
  private let depth: Int
  private let budget: ProtobufBudget

  /// Messages within messages.
  package static let mostLevels = 100

  /// The bytes of a whole file.
  ///
  /// - Parameter mostFields: how many fields there may be in it, those of messages within messages included.
  package init(_ bytes: ProtobufBytes, mostFields: Int) {
    self.init(bytes, 0..<bytes.count, depth: 0, ProtobufBudget(mostFields))
  }

  package init(_ bytes: [UInt8], mostFields: Int) { self.init(ProtobufBytes(bytes), mostFields: mostFields) }

  private init(_ bytes: ProtobufBytes, _ range: Range<Int>, depth: Int, _ budget: ProtobufBudget) {
    (start, place, end) = (range.lowerBound, range.lowerBound, range.upperBound)
    (self.bytes, self.depth, self.budget) = (bytes, depth, budget)
  }

  /// The next field; nil at the end of the message.
  package mutating func next() throws(ProtobufError) -> ProtobufField? {
    guard place < end else { return nil }
    let start = place
    try budget.take(1, at: start)
    let tag = try varint()
    let number = tag >> 3
    guard (1...0x1FFF_FFFF).contains(number) else {
      throw ProtobufError(at: start, "no field can have the number \(number)")
    }
    let value: ProtobufField.Value
    switch tag & 7 {
    case 0: value = .varint(try varint())
    case 1: value = .fixed64(try fixed(8))
    case 2:
      let length = try varint()
      guard length <= UInt64(end - place) else {
        throw ProtobufError(
          at: start, "a field of \(length) bytes does not fit; \(end - place) are left of what it stands in")
      }
      value = .bytes(place..<place + Int(length))
      place += Int(length)
    case 5: value = .fixed32(UInt32(truncatingIfNeeded: try fixed(4)))
    case let kind:
      throw ProtobufError(at: start, "a field is of the kind \(kind), which has no meaning here")
    }
    return ProtobufField(number: Int(number), value: value, place: start)
  }

  /// The message that a field is.
  package func message(_ field: ProtobufField) throws(ProtobufError) -> ProtobufReader {
    let range = try field.range
    guard depth < Self.mostLevels else {
      throw ProtobufError(at: field.place, "messages nest deeper than \(Self.mostLevels) levels")
    }
    return ProtobufReader(bytes, range, depth: depth + 1, budget)
  }

  /// The text that a field is.
  package func text(_ field: ProtobufField) throws(ProtobufError) -> String {
    guard let text = String(validating: try bytesOfText(field), as: UTF8.self) else {
      throw ProtobufError(at: field.place, "a text is not UTF-8")
    }
    return text
  }

  /// The text that a field is, where bytes may be something else: those are replaced.
  package func repairedText(_ field: ProtobufField) throws(ProtobufError) -> String {
    String(decoding: try bytesOfText(field), as: UTF8.self)
  }

  private func bytesOfText(_ field: ProtobufField) throws(ProtobufError) -> [UInt8] {
    let range = try field.range
    try budget.takeText(range.count, at: field.place)
    return try bytes.bytes(range)
  }

  /// The bytes that a field is.
  package func content(_ field: ProtobufField) throws(ProtobufError) -> [UInt8] {
    try bytes.bytes(field.range)
  }

  /// Adds what a field holds to repeated numbers: one, or packed ones.
  package func append(_ field: ProtobufField, to numbers: inout ProtobufNumbers) throws(ProtobufError) {
    switch field.value {
    case .varint, .fixed32, .fixed64: numbers.pieces.append(.one(field.value))
    case .bytes(let range): if !range.isEmpty { numbers.pieces.append(.packed(range)) }
    }
  }

  /// The integers of repeated numbers that are few.
  package func integers(_ numbers: ProtobufNumbers) throws(ProtobufError) -> [Int64] {
    var result: [Int64] = []
    try numbers.forEachInteger(in: bytes) { number, place throws(ProtobufError) in
      try budget.take(1, at: place)
      result.append(number)
    }
    return result
  }

  /// The floats of repeated numbers that are few.
  package func floats(_ numbers: ProtobufNumbers) throws(ProtobufError) -> [Float] {
    var result: [Float] = []
    try numbers.forEachFloat(in: bytes) { number, place throws(ProtobufError) in
      try budget.take(1, at: place)
      result.append(number)
    }
    return result
  }

  /// The doubles of repeated numbers that are few.
  package func doubles(_ numbers: ProtobufNumbers) throws(ProtobufError) -> [Double] {
    var result: [Double] = []
    try numbers.forEachDouble(in: bytes) { number, place throws(ProtobufError) in
      try budget.take(1, at: place)
      result.append(number)
    }
    return result
  }

  private mutating func varint() throws(ProtobufError) -> UInt64 {
    try bytes.varint(at: &place, before: end)
  }

  private mutating func fixed(_ count: Int) throws(ProtobufError) -> UInt64 {
    guard end - place >= count else {
      throw ProtobufError(at: place, "a number of \(count) bytes is cut off")
    }
    let number = try bytes.littleEndian(at: place, count)
    place += count
    return number
  }
}

/// The fields that a file may still have, and the bytes of their texts.
private final class ProtobufBudget {
  private let most: Int
  private var left: Int
  private var textLeft = mostText

  /// 64 MiB, as texts are in memory together.
  private static let mostText = 1 << 26

  init(_ most: Int) { (self.most, left) = (most, most) }

  func take(_ count: Int, at place: Int) throws(ProtobufError) {
    guard left >= count else {
      throw ProtobufError(at: place, "there are more than \(most) fields, which are the most")
    }
    left -= count
  }

  func takeText(_ count: Int, at place: Int) throws(ProtobufError) {
    guard textLeft >= count else {
      throw ProtobufError(at: place, "names and texts come to more than \(Self.mostText >> 20) MiB")
    }
    textLeft -= count
  }
}
