// SPDX-License-Identifier: Apache-2.0

import ProtobufWire
import Testing

/// Messages are written as the wire format says, and read back.
@Suite struct ProtobufWriterTests {
  private func bytes(_ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
    var writer = ProtobufWriter()
    write(&writer)
    return writer.bytes
  }

  /// The examples of the format's own description, and the ends of ranges.
  @Test func eachKindOfValue() {
    #expect(bytes { $0.integer(1, 150) } == [0x08, 0x96, 0x01])
    #expect(bytes { $0.integer(1, -1) } == [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01])
    #expect(bytes { $0.integer(536_870_911, 0) } == [0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 0x00])
    #expect(bytes { $0.text(2, "testing") } == [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6E, 0x67])
    #expect(bytes { $0.float(1, 1) } == [0x0D, 0, 0, 0x80, 0x3F])
    #expect(bytes { $0.integers(6, [3, 270, 86_942]) } == [0x32, 0x06, 0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05])
    #expect(bytes { $0.floats(2, [2.5, -0.0]) } == [0x12, 0x08, 0, 0, 0x20, 0x40, 0, 0, 0, 0x80])
    #expect(bytes { $0.message(3) { $0.integer(1, 150) } } == [0x1A, 0x03, 0x08, 0x96, 0x01])
    #expect(bytes { $0.message(3) { _ in } } == [0x1A, 0x00])
  }

  /// Integers whose sign is the last bit, doubles, bytes: the format's own table, and the ends of ranges.
  @Test func signsAndDoubles() throws {
    for (number, bits) in [
      (0, 0), (-1, 1), (1, 2), (-2, 3), (.max, .max - 1), (.min, .max),
    ] as [(Int64, UInt64)] {
      #expect(bytes { $0.zigzag(1, number) } == bytes { $0.unsigned(1, bits) })
      #expect(Int64(bitPattern: bits).unzigzagged == number)
    }
    #expect(bytes { $0.unsigned(1, .max) } == [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01])
    #expect(bytes { $0.double(1, 1) } == [0x09, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F])
    #expect(bytes { $0.content(2, [7, 0]) } == [0x12, 0x02, 0x07, 0x00])
    #expect(bytes { $0.zigzags(1, [-1, 300]) } == [0x0A, 0x03, 0x01, 0xD8, 0x04])
    #expect(bytes { $0.unsigneds(1, [1, 300]) } == [0x0A, 0x03, 0x01, 0xAC, 0x02])
    let written = bytes { writer in
      writer.double(1, -0.5)
      writer.doubles(2, [0.25, .infinity])
      writer.zigzag(3, -7)
      writer.unsigned(4, 1 << 63)
    }
    var reader = ProtobufReader(written, mostFields: 10)
    #expect(try reader.next()?.double == -0.5)
    var numbers = ProtobufNumbers()
    try reader.append(try #require(try reader.next()), to: &numbers)
    #expect(try reader.doubles(numbers) == [0.25, .infinity])
    #expect(try reader.next()?.zigzag == -7)
    let last = try #require(try reader.next())
    #expect(try last.unsigned == 1 << 63)
    #expect(throws: ProtobufError.self) { try last.double }
  }

  /// Lengths of one byte and more, of messages within messages.
  @Test(arguments: [0, 1, 122, 123, 124, 125, 126, 127, 128, 16_380, 16_384, 100_000])
  func lengths(count: Int) throws {
    let text = String(repeating: "x", count: count)
    let written = bytes { writer in
      writer.message(1) { inner in
        inner.message(2) { $0.text(3, text) }
        inner.integer(4, count)
      }
      writer.integer(5, 7)
    }
    var outer = ProtobufReader(written, mostFields: 5)
    var inner = try outer.message(try #require(try outer.next()))
    var innermost = try inner.message(try #require(try inner.next()))
    let field = try #require(try innermost.next())
    #expect(field.number == 3)
    #expect(try innermost.text(field) == text)
    #expect(try innermost.next() == nil)
    #expect(try inner.next()?.integer == Int64(count))
    #expect(try outer.next()?.integer == 7)
    #expect(try outer.next() == nil)
  }
}
