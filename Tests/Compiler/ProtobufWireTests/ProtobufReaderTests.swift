// SPDX-License-Identifier: Apache-2.0

import ProtobufWire
import Testing

/// Messages are read as the wire format says, and nothing else is.
@Suite struct ProtobufReaderTests {
  /// All fields of a message, as text.
  private func fields(_ bytes: [UInt8], mostFields: Int = 1000) throws -> [String] {
    var reader = ProtobufReader(bytes, mostFields: mostFields)
    var fields: [String] = []
    while let field = try reader.next() { fields.append("\(field.number) \(field.value)") }
    return fields
  }

  /// The examples of the format's own description, and the ends of ranges.
  @Test(
    arguments: [
      ([0x08, 0x96, 0x01], "1 varint(150)"),
      ([0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6E, 0x67], "2 bytes(Range(2..<9))"),
      ([0x0D, 0, 0, 0x80, 0x3F], "1 fixed32(1065353216)"),
      ([0x09, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F], "1 fixed64(4607182418800017408)"),
      ([0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01], "1 varint(18446744073709551615)"),
      ([0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 0x00], "536870911 varint(0)"),
      // More bytes than a number needs.
      ([0x08, 0x81, 0x80, 0x00], "1 varint(1)"),
    ] as [([UInt8], String)])
  func eachKindOfValue(bytes: [UInt8], expected: String) throws {
    #expect(try fields(bytes) == [expected])
  }

  @Test(
    arguments: [
      ([0x08], "byte 1: a number is cut off"),
      ([0x08, 0x80], "byte 1: a number is cut off"),
      ([0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x02], "byte 1: a number has more than 64 bits"),
      ([0x12, 0x05, 0x61], "byte 0: a field of 5 bytes does not fit; 1 are left of what it stands in"),
      (
        [0x12] + [UInt8](repeating: 0xFF, count: 9) + [0x01],
        "byte 0: a field of 18446744073709551615 bytes does not fit; 0 are left of what it stands in"
      ),
      ([0x0D, 0, 0, 0], "byte 1: a number of 4 bytes is cut off"),
      ([0x09, 0, 0, 0, 0, 0, 0, 0], "byte 1: a number of 8 bytes is cut off"),
      ([0x00, 0x00], "byte 0: no field can have the number 0"),
      ([0x0B, 0x0C], "byte 0: a field is of the kind 3, which has no meaning here"),
      ([0x0F], "byte 0: a field is of the kind 7, which has no meaning here"),
    ] as [([UInt8], String)])
  func eachFlaw(bytes: [UInt8], message: String) {
    #expect { try fields(bytes) } throws: { "\($0)" == message }
  }

  /// Numbers that repeat, packed and one by one, mixed.
  @Test func repeatedNumbers() throws {
    // Field 1: 1, then [2, 300], then -1. Field 2: 1.5 by itself, then [2.5, -0].
    let bytes: [UInt8] =
      [0x08, 0x01, 0x0A, 0x03, 0x02, 0xAC, 0x02, 0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01]
      + [0x15, 0, 0, 0xC0, 0x3F, 0x12, 0x08, 0, 0, 0x20, 0x40, 0, 0, 0, 0x80]
    var reader = ProtobufReader(bytes, mostFields: 100)
    var (integers, floats) = (ProtobufNumbers(), ProtobufNumbers())
    while let field = try reader.next() {
      if field.number == 1 {
        try reader.append(field, to: &integers)
      } else {
        try reader.append(field, to: &floats)
      }
    }
    #expect(try reader.integers(integers) == [1, 2, 300, -1])
    #expect(try reader.floats(floats) == [1.5, 2.5, -0.0])
    // Seven bytes are no floats.
    var other = ProtobufNumbers()
    var seven = ProtobufReader([0x0A, 7, 0, 0, 0, 0, 0, 0, 0], mostFields: 100)
    try seven.append(try #require(try seven.next()), to: &other)
    #expect(throws: ProtobufError.self) { try seven.floats(other) }
  }

  /// A message that holds a message that holds a message.
  @Test(arguments: [1, 20, 200]) func depthHasAnEnd(levels: Int) throws {
    var bytes: [UInt8] = []
    for _ in 0..<levels {
      let length = bytes.count
      bytes = [0x0A, UInt8(length & 0x7F | 0x80), UInt8(length >> 7)] + bytes
    }
    func depth(_ reader: ProtobufReader) throws -> Int {
      var reader = reader
      guard let field = try reader.next() else { return 0 }
      return try depth(try reader.message(field)) + 1
    }
    let reader = ProtobufReader(bytes, mostFields: 1000)
    if levels <= ProtobufReader.mostLevels {
      #expect(try depth(reader) == levels)
    } else {
      #expect { try depth(reader) } throws: { "\($0)".contains("nest deeper than 100 levels") }
    }
  }

  /// Fields are counted over all messages, and numbers that are few with them.
  @Test func fieldsHaveAnEnd() {
    let bytes = [UInt8](repeating: 0, count: 100).flatMap { _ in [0x08, 0x01] as [UInt8] }
    #expect { try fields(bytes, mostFields: 99) } throws: { "\($0)".contains("more than 99 fields") }
    #expect(throws: Never.self) { try fields(bytes, mostFields: 100) }
  }

  /// Names of a gigabyte are refused before anything is read of them.
  @Test func textsHaveAnEnd() throws {
    let head: [UInt8] = [0x0A, 0x80, 0x80, 0x80, 0x80, 0x04]
    var read = 0
    let file = ProtobufBytes(count: head.count + 1 << 30) { range in
      read += range.count
      return range.map { $0 < head.count ? head[$0] : UInt8(ascii: "a") }
    }
    var reader = ProtobufReader(file, mostFields: 10)
    let field = try #require(try reader.next())
    for text in [ProtobufReader.text, ProtobufReader.repairedText] {
      #expect { try text(reader)(field) } throws: {
        "\($0)" == "byte 0: names and texts come to more than 64 MiB"
      }
    }
    #expect(read <= 1 << 16)
  }

  @Test func textHasToBeText() throws {
    var reader = ProtobufReader([0x0A, 0x02, 0xC3, 0xBC, 0x0A, 0x01, 0xC3], mostFields: 10)
    #expect(try reader.text(try #require(try reader.next())) == "ü")
    let field = try #require(try reader.next())
    #expect { try reader.text(field) } throws: { "\($0)" == "byte 4: a text is not UTF-8" }
    #expect { try field.integer } throws: {
      "\($0)" == "byte 4: field 1 should be an integer, and is a range of bytes"
    }
  }

  /// Numbers of a tensor stay in the file, however many they are.
  @Test func whatNobodyLooksIntoIsNotRead() throws {
    let raw = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let bytes = [0x08, 0x05, 0x12, 0x80, 0x80, 0x40] + raw + [0x18, 0x96, 0x01]
    var read = 0
    let file = ProtobufBytes(count: bytes.count) { range in
      read += range.count
      return Array(bytes[range])
    }
    var (reader, long) = (ProtobufReader(file, mostFields: 10), ProtobufField?.none)
    #expect(try reader.next()?.integer == 5)
    long = try reader.next()
    #expect(try reader.next()?.integer == 150)
    #expect(try reader.next() == nil)
    #expect(read < 1 << 17)
    #expect(try reader.content(try #require(long)) == raw)
  }

  /// Wherever a piece of a file ends.
  @Test func fieldsGoOnInTheNextPiece() throws {
    var bytes: [UInt8] = []
    for index in 0..<30_000 {
      bytes += [
        0x08, UInt8(index & 0x7F) | 0x80, 0x01, 0x0D, 1, 2, 3, UInt8(index & 0xFF), 0x12, 2, 0x61, 0x62,
      ]
    }
    let file = ProtobufBytes(count: bytes.count) { Array(bytes[$0]) }
    var (reader, whole) = (
      ProtobufReader(file, mostFields: 100_000), ProtobufReader(bytes, mostFields: 100_000)
    )
    while let field = try whole.next() {
      let other = try #require(try reader.next())
      guard field.number == other.number, "\(field.value)" == "\(other.value)" else {
        Issue.record("\(field) and \(other)")
        return
      }
      if field.number == 2 { #expect(try reader.text(other) == "ab") }
    }
    #expect(try reader.next() == nil)
  }
}
