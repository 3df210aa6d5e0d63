// SPDX-License-Identifier: Apache-2.0

extension Sequence where Element: FixedWidthInteger & UnsignedInteger {
  /// FNV-1a (Fowler, Noll, Vo): the same in each run. It detects damage and names files, and is not cryptographic.
  ///
  /// Specialised where it is called: whole texts go through it.
  @inlinable package var fingerprint: UInt64 { fingerprint(after: 0xCBF2_9CE4_8422_2325) }

  /// The same of a whole of which this is a part.
  ///
  /// - Parameter state: the fingerprint of the parts before it.
  @inlinable package func fingerprint(after state: UInt64) -> UInt64 {
    reduce(state) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
