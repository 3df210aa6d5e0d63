// SPDX-License-Identifier: Apache-2.0

/// Repeated numbers of a message, which stay where they are until they are asked for.
///
///     packed      one field with all of them side by side
///     one by one  a field for each
package struct ProtobufNumbers: Sendable {
  enum Piece: Sendable {
    case one(ProtobufField.Value)
    case packed(Range<Int>)
  }

  var pieces: [Piece] = []

  package init() {}

  package var isEmpty: Bool { pieces.isEmpty }

  /// Hands out integers: 64 bits each, and the place behind it.
  package func forEachInteger(
    in bytes: ProtobufBytes, _ body: (_ number: Int64, _ place: Int) throws(ProtobufError) -> Void
  ) throws(ProtobufError) {
    for piece in pieces {
      switch piece {
      case .one(.varint(let bits)): try body(Int64(bitPattern: bits), 0)
      case .one: throw ProtobufError(at: 0, "repeated integers hold a number of another kind")
      case .packed(let range):
        var place = range.lowerBound
        while place < range.upperBound {
          let bits = try bytes.varint(at: &place, before: range.upperBound)
          try body(Int64(bitPattern: bits), place)
        }
      }
    }
  }

  /// Hands out floats of 32 bits.
  package func forEachFloat(
    in bytes: ProtobufBytes, _ body: (_ number: Float, _ place: Int) throws(ProtobufError) -> Void
  ) throws(ProtobufError) {
    try forEachFixed(4, in: bytes) { bits, place throws(ProtobufError) in
      try body(Float(bitPattern: UInt32(truncatingIfNeeded: bits)), place)
    }
  }

  /// Hands out floats of 64 bits.
  package func forEachDouble(
    in bytes: ProtobufBytes, _ body: (_ number: Double, _ place: Int) throws(ProtobufError) -> Void
  ) throws(ProtobufError) {
    try forEachFixed(8, in: bytes) { bits, place throws(ProtobufError) in
      try body(Double(bitPattern: bits), place)
    }
  }

  private func forEachFixed(
    _ width: Int, in bytes: ProtobufBytes,
    _ body: (_ bits: UInt64, _ place: Int) throws(ProtobufError) -> Void
  ) throws(ProtobufError) {
    for piece in pieces {
      switch piece {
      case .one(.fixed32(let bits)) where width == 4: try body(UInt64(bits), 0)
      case .one(.fixed64(let bits)) where width == 8: try body(bits, 0)
      case .one: throw ProtobufError(at: 0, "repeated floats hold a number of another kind")
      case .packed(let range):
        guard range.count.isMultiple(of: width) else {
          throw ProtobufError(at: range.lowerBound, "\(range.count) bytes are no numbers of \(width) bytes")
        }
        for place in stride(from: range.lowerBound, to: range.upperBound, by: width) {
          try body(try bytes.littleEndian(at: place, width), place)
        }
      }
    }
  }
}
