// SPDX-License-Identifier: Apache-2.0

/// What tells the audio thread, which compares no text, that something of one program is the same in another: the name,
/// and how many rows there are of it, in 64 bits.
///
/// Of two different names that meet here by chance, once in 2^64 pairs, one would begin with the other's past.
struct CarryKey: Hashable, Comparable {
  private let bits: UInt64

  /// The same for all programs of a process.
  init(_ name: String, rows: Int = 0) {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(rows)
    bits = UInt64(bitPattern: Int64(hasher.finalize()))
  }

  @_noLocks static func < (one: CarryKey, other: CarryKey) -> Bool { one.bits < other.bits }
  @_noLocks static func == (one: CarryKey, other: CarryKey) -> Bool { one.bits == other.bits }
}
