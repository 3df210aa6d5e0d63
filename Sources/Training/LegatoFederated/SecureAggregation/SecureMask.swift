// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// Numbers that hide weights, and that whoever has the seed draws again: `RandomState(seed).randint(0, modulus - 1)` of NumPy.
///
///     seed of 4 n bytes ─▶ the exclusive or of its n words ─▶ MT19937 ─▶ 0 … modulus - 2
struct SecureMask {
  private var random: MersenneTwister
  private let most: UInt32

  /// - Parameters:
  ///   - seed: a multiple of 4 bytes.
  ///   - modulus: a power of two, 4 to 2³².
  init(seed: [UInt8], modulus: UInt64) {
    precondition(seed.count % 4 == 0, "a seed has whole words")
    precondition((4...1 << 32).contains(modulus) && modulus.nonzeroBitCount == 1, "a power of two")
    random = MersenneTwister(
      seed: seed.enumerated().reduce(0) { $0 ^ UInt32($1.element) << (8 * ($1.offset % 4)) })
    most = UInt32(modulus - 2)
  }

  mutating func next() -> UInt64 {
    while true {
      let number = random.next() & (most | 1)
      if number <= most { return UInt64(number) }
    }
  }
}

/// Numbers that hide weights between two devices of Legato, and that nobody else ever draws: AES-256 in counter mode, beginning at
/// zero.
///
///     key of 32 bytes ─▶ 4 bytes a number, the lowest first ─▶ 0 … modulus - 1
enum DeviceMask {
  /// - Parameter modulus: a power of two, up to 2³².
  static func numbers(_ count: Int, key: [UInt8], modulus: UInt64) -> [UInt64] {
    precondition(modulus <= 1 << 32 && modulus.nonzeroBitCount == 1, "a power of two")
    let context = unsafe EVP_CIPHER_CTX_new()
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    let zeros = [UInt8](repeating: 0, count: 4 * min(count, 1 << 16))
    let begin = [UInt8](repeating: 0, count: 16)
    var isDone = unsafe EVP_CipherInit_ex(context, EVP_aes_256_ctr(), nil, key, begin, 1) == 1
    var (numbers, bytes, length) = ([UInt64](), zeros, 0 as Int32)
    numbers.reserveCapacity(count)
    while numbers.count < count {
      isDone = unsafe isDone && EVP_CipherUpdate(context, &bytes, &length, zeros, Int32(zeros.count)) == 1
      precondition(isDone && length == zeros.count, "libcrypto has AES")
      for start in stride(from: 0, to: 4 * min(count - numbers.count, 1 << 16), by: 4) {
        numbers.append(bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt64($1) } & (modulus - 1))
      }
    }
    return numbers
  }
}

/// MT19937 of Matsumoto and Nishimura (1998), with the seeding of 2002.
struct MersenneTwister {
  private var state: [UInt32]
  private var place = 624

  init(seed: UInt32) {
    state = [seed]
    for row in 1..<624 {
      let last = state[row - 1]
      state.append(1_812_433_253 &* (last ^ last >> 30) &+ UInt32(row))
    }
  }

  mutating func next() -> UInt32 {
    if place == 624 {
      for row in 0..<624 {
        let joined = state[row] & 0x8000_0000 | state[(row + 1) % 624] & 0x7FFF_FFFF
        state[row] = state[(row + 397) % 624] ^ joined >> 1 ^ (joined & 1 == 0 ? 0 : 0x9908_B0DF)
      }
      place = 0
    }
    var word = state[place]
    place += 1
    word ^= word >> 11
    word ^= word << 7 & 0x9D2C_5680
    word ^= word << 15 & 0xEFC6_0000
    return word ^ word >> 18
  }
}
