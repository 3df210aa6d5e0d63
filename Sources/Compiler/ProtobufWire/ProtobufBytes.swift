// SPDX-License-Identifier: Apache-2.0

/// The bytes of a file, of which a piece is in memory at a time: what nobody looks at is never read.
///
///     │ field │ field │ raw numbers, 100 MB │ field │        a reader that passes the numbers over reads two pieces
package final class ProtobufBytes {
  /// Reads a range of the file.
  package typealias Read = (Range<Int>) throws(ProtobufError) -> [UInt8]

  package let count: Int
  private let read: Read?
  /// The part that is in memory, and where it begins.
  private var piece: [UInt8]
  private var start: Int

  private static let pieceBytes = 1 << 16

  package init(_ bytes: [UInt8]) { (count, read, piece, start) = (bytes.count, nil, bytes, 0) }

  package init(count: Int, _ read: @escaping Read) {
    (self.count, self.read, piece, start) = (count, read, [], 0)
  }

  /// The byte at a place that the file has.
  func byte(at place: Int) throws(ProtobufError) -> UInt8 {
    if !piece.indices.contains(place - start) { try load(place) }
    return piece[place - start]
  }

  /// The bytes of a range that the file has.
  func bytes(_ range: Range<Int>) throws(ProtobufError) -> [UInt8] {
    guard !range.isEmpty else { return [] }
    if range.lowerBound < start || range.upperBound > start + piece.count {
      if range.count > Self.pieceBytes, let read { return try read(range) }
      try load(range.lowerBound)
    }
    return Array(piece[range.lowerBound - start..<range.upperBound - start])
  }

  /// The number of 1 to 10 bytes at a place, which moves behind it.
  func varint(at place: inout Int, before end: Int) throws(ProtobufError) -> UInt64 {
    let start = place
    var (result, shift) = (0 as UInt64, 0 as UInt64)
    while place < end {
      let byte = try byte(at: place)
      place += 1
      // The tenth byte has room for one bit.
      guard shift < 63 || byte <= 1 else { throw ProtobufError(at: start, "a number has more than 64 bits") }
      result |= UInt64(byte & 0x7F) << shift
      guard byte & 0x80 != 0 else { return result }
      shift += 7
    }
    throw ProtobufError(at: start, "a number is cut off")
  }

  func littleEndian(at place: Int, _ count: Int) throws(ProtobufError) -> UInt64 {
    var number = 0 as UInt64
    for index in 0..<count { number |= UInt64(try byte(at: place + index)) << UInt64(8 * index) }
    return number
  }

  private func load(_ place: Int) throws(ProtobufError) {
    guard let read else { preconditionFailure("a byte of the file") }
    piece = try read(place..<min(count, place + Self.pieceBytes))
    start = place
  }
}
