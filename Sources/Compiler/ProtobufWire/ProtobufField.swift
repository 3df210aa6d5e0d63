// SPDX-License-Identifier: Apache-2.0

/// A field of a message: its number, and a value whose kind the wire tells.
package struct ProtobufField: Sendable {
  package enum Value: Sendable {
    case varint(UInt64)
    case fixed32(UInt32)
    case fixed64(UInt64)
    /// Places in the bytes of the file.
    case bytes(Range<Int>)
  }

  package let number: Int
  package let value: Value
  /// Bytes from the beginning of the file.
  package let place: Int

  package var range: Range<Int> {
    get throws(ProtobufError) {
      guard case .bytes(let range) = value else { throw mismatch("bytes") }
      return range
    }
  }

  /// An int64, int32, enum or bool.
  package var integer: Int64 {
    get throws(ProtobufError) {
      guard case .varint(let bits) = value else { throw mismatch("an integer") }
      return Int64(bitPattern: bits)
    }
  }

  /// A uint64.
  package var unsigned: UInt64 {
    get throws(ProtobufError) { UInt64(bitPattern: try integer) }
  }

  /// A sint64.
  package var zigzag: Int64 {
    get throws(ProtobufError) { try integer.unzigzagged }
  }

  package var double: Double {
    get throws(ProtobufError) {
      guard case .fixed64(let bits) = value else { throw mismatch("a number of 8 bytes") }
      return Double(bitPattern: bits)
    }
  }

  package var float: Float {
    get throws(ProtobufError) {
      guard case .fixed32(let bits) = value else { throw mismatch("a float") }
      return Float(bitPattern: bits)
    }
  }

  private func mismatch(_ expected: String) -> ProtobufError {
    let found =
      switch value {
      case .varint: "an integer"
      case .fixed32: "4 bytes"
      case .fixed64: "8 bytes"
      case .bytes: "a range of bytes"
      }
    return ProtobufError(at: place, "field \(number) should be \(expected), and is \(found)")
  }
}

extension Int64 {
  /// The number that stands as this one in a sint64: 0, 1, 2, 3 …   →   0, -1, 1, -2 …
  package var unzigzagged: Int64 {
    Int64(bitPattern: UInt64(bitPattern: self) >> 1) ^ -(self & 1)
  }
}
