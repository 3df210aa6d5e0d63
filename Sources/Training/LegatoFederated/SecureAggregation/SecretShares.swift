// SPDX-License-Identifier: Apache-2.0

/// Shares of a secret, of which so many tell it, and fewer tell nothing (Shamir, 1979), to the byte as PyCryptodome has them.
///
///     secret, filled up to blocks of 16 bytes      share i: i in 4 bytes, p(i) of each block
///     p(x) = c₁ xᵗ⁻¹ + … + cₜ₋₁ x + block          over GF(2¹²⁸) with x¹²⁸ = x⁷ + x² + x + 1
enum SecretShares {
  /// - Parameters:
  ///   - secret: any bytes.
  ///   - threshold: how many shares tell it.
  ///   - count: how many there are; their numbers begin with 1.
  ///   - random: the coefficients, each of two numbers, the higher one first.
  static func shares<Random: RandomNumberGenerator>(
    _ secret: [UInt8], threshold: Int, count: Int, using random: inout Random
  ) -> [[UInt8]] {
    // PKCS 7: at least one byte, each with their number.
    let filling = 16 - secret.count % 16
    let filled = secret + [UInt8](repeating: UInt8(filling), count: filling)
    var shares = (0..<count).map { bytes(UInt32($0 + 1)) }
    for start in stride(from: 0, to: filled.count, by: 16) {
      let block = filled[start..<start + 16].reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
      let higher = (1..<threshold).map { _ in UInt128(random.next()) << 64 | UInt128(random.next()) }
      for row in shares.indices {
        let value = (higher + [block]).reduce(0 as UInt128) { product($0, UInt32(row + 1)) ^ $1 }
        shares[row] += (0..<16).map { UInt8(truncatingIfNeeded: value >> (120 - 8 * $0)) }
      }
    }
    return shares
  }

  /// Polynomials over two elements, whose coefficients are the bits.
  private static func product(_ value: UInt128, _ factor: UInt32) -> UInt128 {
    var (sum, power, bits) = (0 as UInt128, value, factor)
    while bits != 0 {
      if bits & 1 != 0 { sum ^= power }
      power = power << 1 ^ (power >> 127 != 0 ? 0x87 : 0)
      bits >>= 1
    }
    return sum
  }

  /// A number of 32 bits, the lowest byte first.
  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
