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

  /// A window keeps its owner, and copies nothing.
  @Test func aWindowLooksIntoTheMemoryOfItsOwner() {
    final class Owner: Sendable {
      let numbers: Numbers = [1, 2, 3, 4]
    }
    var owner: Owner? = Owner()
    weak let watched = owner
    var window: Numbers? = owner.flatMap { owner in
      let memory = unsafe owner.numbers.unsafeBytes.bindMemory(to: Float.self)
      return unsafe Numbers(unsafe: UnsafeBufferPointer(rebasing: memory[1..<3]), of: owner)
    }
    owner = nil
    #expect(watched != nil && window == [2, 3])
    #expect(
      unsafe window?.unsafeBytes.baseAddress == watched?.numbers.unsafeBytes.baseAddress?.advanced(by: 4))
    window = nil
    #expect(watched == nil)
  }

  @Test(arguments: [0, 1, 3, 17]) func theirOwnMemoryBeginsAtACacheLine(count: Int) {
    let numbers = Numbers(count: count) { memory in for place in 0..<count { memory[place] = 1 } }
    #expect(UInt(bitPattern: unsafe numbers.unsafeBytes.baseAddress).isMultiple(of: 64))
    #expect(numbers.count == count && numbers.allSatisfy { $0 == 1 })
  }
}
