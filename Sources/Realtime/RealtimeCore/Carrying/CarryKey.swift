// SPDX-License-Identifier: Apache-2.0

/// What tells the audio thread, which compares no text, that something of one program is the same in another: the name,
/// and how many rows there are of it, in 64 bits.
///
/// Of two different names that meet here by chance, once in 2^64 pairs, one would begin with the other's past.
struct CarryKey: Hashable, Comparable {
  private let bits: UInt64

  /// FNV-1a (Fowler, Noll, Vo), over the rows and then the bytes of the name.
  init(_ name: String, rows: Int = 0) {
    var bits: UInt64 = 0xCBF2_9CE4_8422_2325
    func take(_ byte: UInt8) { bits = (bits ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for shift in stride(from: 0, to: 64, by: 8) { take(UInt8(truncatingIfNeeded: rows >> shift)) }
    name.utf8.forEach(take)
    self.bits = bits
  }

  @_noLocks static func < (one: CarryKey, other: CarryKey) -> Bool { one.bits < other.bits }
  @_noLocks static func == (one: CarryKey, other: CarryKey) -> Bool { one.bits == other.bits }
}
