// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Testing

/// Numbers that graphs share.
@Suite struct NumbersTests {
  @Test func theyAreEqualWhereTheirBitsAre() {
    let numbers: Numbers = [1, 2, 0]
    #expect(numbers == numbers && numbers == [1, 2, 0])
    #expect(numbers.hashValue == Numbers([1, 2, 0]).hashValue)
    #expect(numbers != [1, 2] && numbers != [2, 1, 0] && numbers != [1, 2, -0.0] && Numbers([]) == [])
    let many = Numbers((0..<1000).map(Float.init))
    for place in many.indices {
      var other = Array(many)
      other[place].negate()
      #expect(many != Numbers(other))
    }
  }

  /// Each of the four states that go side by side, and what is left over for them.
  @Test func theFingerprintIsThatOfAllBits() {
    for count in 0...9 {
      let values = (0..<count).map { Float($0) * 0.25 - 1 }
      var states = (0..<4).map { 0xCBF2_9CE4_8422_2325 ^ UInt64($0) }
      let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
      for (place, value) in values.enumerated() {
        let product = (states[place % 4] ^ UInt64(value.bitPattern)) &* factor
        states[place % 4] = product ^ (product >> 29)
      }
      let fingerprint = states.reduce(UInt64(count)) { result, state in
        let product = (result ^ state) &* factor
        return product ^ (product >> 32)
      }
      #expect(Numbers(values).fingerprint == fingerprint)
    }
  }

  @Test(arguments: [(0, Float.nan), (2, .infinity), (4, -.infinity), (4, .nan)])
  func theFirstThatIsNotFiniteIsKnown(place: Int, number: Float) {
    var values: [Float] = [1, 2, 3, 4, 5]
    #expect(Numbers(values).firstNonFinite == nil)
    values[place] = number
    #expect(Numbers(values).firstNonFinite == place)
    #expect(Numbers(values + [.nan]).firstNonFinite == place)
  }

  @Test func bytesBecomeNumbersUnlessTheyCannotBeHad() throws {
    struct Failure: Error {}
    let numbers = unsafe Numbers(unsafeCount: 2) { memory in
      unsafe memory.bindMemory(to: Float.self)[0] = 1
      unsafe memory.bindMemory(to: Float.self)[1] = 2
    }
    #expect(numbers == [1, 2])
    #expect(throws: Failure.self) {
      try unsafe Numbers(unsafeCount: 2) { _ throws(Failure) in throw Failure() }
    }
  }

  @Test(arguments: [0, 1, 3, 17]) func theirOwnMemoryBeginsAtACacheLine(count: Int) {
    let numbers = Numbers(count: count) { memory in for place in 0..<count { memory[place] = 1 } }
    #expect(UInt(bitPattern: unsafe numbers.unsafeBytes.baseAddress).isMultiple(of: 64))
    #expect(numbers.count == count && numbers.allSatisfy { $0 == 1 })
  }
}
