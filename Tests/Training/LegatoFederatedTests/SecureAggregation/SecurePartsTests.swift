// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@testable import LegatoFederated

/// The parts of SecAgg+ are those of Flower, to the bit.
@Suite struct SecurePartsTests {
  @Test func sharedSecrets() throws {
    for reference in FederatedReference.secure.secrets {
      let key = try SecureServer.privateKey(Array(reference.private.utf8))
      let secret = try key.secret(sharedWith: SigningKey(publicHalf: Array(reference.public.utf8)))
      #expect(SealedBytes.urlText(secret) == reference.text)
    }
    let other = try SecureServer.privateKey(Array(FederatedReference.keys.keys[0].private.utf8))
    let error = #expect(throws: FederatedError.self) { try SigningKey(on: .p384).secret(sharedWith: other) }
    #expect(error?.description.contains("another kind than P-384") == true)
    for text in ["", "no key", FederatedReference.secure.secrets[0].private] {
      #expect(throws: FederatedError.self) { try SigningKey(publicHalf: Array(text.utf8)) }
    }
  }

  @Test func tokens() {
    for reference in FederatedReference.secure.tokens {
      let (key, plain) = (bytes(reference.key), bytes(reference.plain))
      let token = SealedBytes.sealed(plain, key: key, time: reference.time, vector: bytes(reference.vector))
      #expect(String(decoding: token, as: UTF8.self) == reference.token)
      #expect(SealedBytes.opened(token, key: key) == plain)
      #expect(SealedBytes.opened(token, key: key.reversed()) == nil)
      // No bit of it can be changed, and no byte left out.
      for place in token.indices {
        var changed = token
        changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "Q") : UInt8(ascii: "A")
        #expect(SealedBytes.opened(changed, key: key) == nil || changed == token, "\(place)")
        #expect(SealedBytes.opened(Array(token[..<place]), key: key) == nil)
      }
    }
  }

  /// Draws what was drawn before.
  private struct Recorded: RandomNumberGenerator {
    var rest: ArraySlice<UInt8>
    mutating func next() -> UInt64 {
      defer { rest = rest.dropFirst(8) }
      return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  @Test func shares() {
    for reference in FederatedReference.secure.shares {
      var random = Recorded(rest: bytes(reference.coefficients)[...])
      let shares = SecretShares.shares(
        bytes(reference.secret), threshold: reference.threshold, count: reference.shares.count, using: &random
      )
      #expect(shares == reference.shares.map { bytes($0) } && random.rest.isEmpty)
      #expect(SecureServer.secret(Array(shares.suffix(reference.threshold))) == bytes(reference.secret))
    }
  }

  /// Masks that two devices of Legato draw, by the same parts in Python.
  @Test func masksOfDevices() throws {
    for reference in FederatedReference.secure.devices {
      let key = try SecureServer.privateKey(Array(reference.private.utf8))
      let secret = try key.secret(
        sharedWith: SigningKey(publicHalf: Array(reference.public.utf8)), words: Array(reference.words.utf8))
      #expect(secret == bytes(reference.secret))
      let numbers = DeviceMask.numbers(reference.count, key: secret, modulus: reference.modulus)
      #expect(
        numbers.count == reference.count && Array(numbers.prefix(12)) == reference.first
          && Array(numbers.suffix(12)) == reference.last)
    }
    #expect(DeviceMask.numbers(0, key: [UInt8](repeating: 1, count: 32), modulus: 4).isEmpty)
  }

  @Test func masks() {
    for reference in FederatedReference.secure.masks {
      var mask = SecureMask(seed: bytes(reference.seed), modulus: reference.modulus)
      let numbers = (0..<reference.count).map { _ in mask.next() }
      #expect(Array(numbers.prefix(12)) == reference.first && Array(numbers.suffix(12)) == reference.last)
    }
  }
}
