// SPDX-License-Identifier: Apache-2.0

/// A message that is being written, field by field.
///
///     writer.integer(1, 300)                      08 AC 02
///     writer.text(2, "hello")                     12 05 68 65 6C 6C 6F
///     writer.message(3) { $0.integer(1, 1) }      1A 02 08 01
///
/// Messages within it stand in the same bytes. The length of one goes in front of it and is known behind it: it has one
/// byte to begin with, and of a longer message the content moves on once.
package struct ProtobufWriter {
  package private(set) var bytes: [UInt8] = []

  /// - Parameter capacity: About how many bytes there will be.
  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// An int64, int32, enum or bool.
  package mutating func integer(_ field: Int, _ number: Int) {
    tag(field, kind: 0)
    varint(UInt64(bitPattern: Int64(number)))
  }

  /// A uint64.
  package mutating func unsigned(_ field: Int, _ number: UInt64) {
    tag(field, kind: 0)
    varint(number)
  }

  /// A sint64: numbers near 0 are short, whatever their sign.
  package mutating func zigzag(_ field: Int, _ number: Int64) {
    tag(field, kind: 0)
    varint(Self.zigzag(number))
  }

  package mutating func float(_ field: Int, _ number: Float) {
    tag(field, kind: 5)
    littleEndian(number.bitPattern)
  }

  package mutating func double(_ field: Int, _ number: Double) {
    tag(field, kind: 1)
    littleEndian(number.bitPattern)
  }

  package mutating func text(_ field: Int, _ text: String) {
    tag(field, kind: 2)
    varint(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  package mutating func content(_ field: Int, _ content: some Collection<UInt8>) {
    tag(field, kind: 2)
    varint(UInt64(content.count))
    bytes += content
  }

  /// Repeated integers, side by side.
  package mutating func integers(_ field: Int, _ numbers: some Collection<Int>) {
    message(field) { writer in
      for number in numbers { writer.varint(UInt64(bitPattern: Int64(number))) }
    }
  }

  /// Repeated floats, side by side: 4 bytes each, the lowest first. A field of bytes can hold them so, too.
  package mutating func floats(_ field: Int, _ numbers: some Collection<Float>) {
    tag(field, kind: 2)
    varint(UInt64(4 * numbers.count))
    // Where the bytes lie there as the file has them, they are taken together.
    let isTaken: Void? =
      1 == Int(littleEndian: 1)
      ? numbers.withContiguousStorageIfAvailable { own in
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(own))
      } : nil
    if isTaken == nil { for number in numbers { littleEndian(number.bitPattern) } }
  }

  /// Repeated doubles, side by side.
  package mutating func doubles(_ field: Int, _ numbers: some Collection<Double>) {
    tag(field, kind: 2)
    varint(UInt64(8 * numbers.count))
    for number in numbers { littleEndian(number.bitPattern) }
  }

  /// Repeated uint64, side by side.
  package mutating func unsigneds(_ field: Int, _ numbers: some Collection<UInt64>) {
    message(field) { writer in for number in numbers { writer.varint(number) } }
  }

  /// Repeated sint64, side by side.
  package mutating func zigzags(_ field: Int, _ numbers: some Collection<Int64>) {
    message(field) { writer in for number in numbers { writer.varint(Self.zigzag(number)) } }
  }

  /// A message within this one.
  package mutating func message(_ field: Int, _ write: (inout ProtobufWriter) -> Void) {
    tag(field, kind: 2)
    let place = bytes.count
    bytes.append(0)
    write(&self)
    var length = ProtobufWriter()
    length.varint(UInt64(bytes.count - place - 1))
    bytes.replaceSubrange(place...place, with: length.bytes)
  }

  private mutating func tag(_ field: Int, kind: UInt64) { varint(UInt64(field) << 3 | kind) }

  private mutating func varint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// 0, -1, 1, -2 …   →   0, 1, 2, 3 …
  private static func zigzag(_ number: Int64) -> UInt64 {
    UInt64(bitPattern: number << 1 ^ number >> 63)
  }

  private mutating func littleEndian<Bits: FixedWidthInteger>(_ number: Bits) {
    for shift in stride(from: 0, to: Bits.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
