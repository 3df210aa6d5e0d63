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
