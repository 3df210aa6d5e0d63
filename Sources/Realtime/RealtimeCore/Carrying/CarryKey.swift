// SPDX-License-Identifier: Apache-2.0

/// The hash of a name and its number of rows, by which the audio thread, which compares no text, finds the
/// same parameter or history in another program.
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
