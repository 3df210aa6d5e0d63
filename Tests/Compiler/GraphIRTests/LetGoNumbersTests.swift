// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Synchronization
import TestEquipment
import Testing

/// Numbers that are let go, and made again when somebody looks at them.
@Suite struct LetGoNumbersTests {
  private final class Maker: Sendable {
    let times = Mutex(0)
    let first = Mutex<Float>(0)
  }

  private static let many = 1 << 18

  private func numbers(_ count: Int, _ maker: Maker) throws -> Numbers {
    try unsafe Numbers(unsafeRepeatable: count) { memory in
      maker.times.withLock { $0 += 1 }
      for place in 0..<count {
        unsafe memory.storeBytes(of: Float(place), toByteOffset: 4 * place, as: Float.self)
      }
      let first = maker.first.withLock { $0 }
      if count > 0 { unsafe memory.storeBytes(of: first, as: Float.self) }
    }
  }

  @Test func memoryThatThereIsNotIsRefused() {
    // More than there are addresses.
    #expect {
      try unsafe Numbers(unsafeRepeatable: 1 << 46) { _ in }
    } throws: {
      ($0 as? Numbers.Unavailable)?.message == "281474976710656 bytes of weights find no room in memory"
    }
  }

  @Test func theyAreMadeAgainOnce() throws {
    let maker = Maker()
    let numbers = try numbers(Self.many, maker)
    let hash = numbers.hashValue
    #expect(numbers.canBeMadeAgain && numbers.bytesInMemory == 4 * Self.many)
    numbers.letGo()
    #expect(numbers.bytesInMemory == 0 && numbers.count == Self.many && numbers.hashValue == hash)
    #expect(maker.times.withLock { $0 } == 1)
    #expect(numbers[7] == 7 && numbers.last == Float(Self.many - 1))
    #expect(Array(numbers) == (0..<Self.many).map { Float($0) })
    #expect(numbers == Numbers((0..<Self.many).map { Float($0) }))
    #expect(maker.times.withLock { $0 } == 2 && numbers.bytesInMemory == 4 * Self.many)
  }

  /// Whoever is at it keeps them.
  @Test func theyStayForWhoLooksAtThem() throws {
    let numbers = try numbers(Self.many, Maker())
    var sum = 0.0
    for number in numbers {
      numbers.letGo()
      sum += Double(number)
    }
    #expect(sum == Double(Self.many) * Double(Self.many - 1) / 2)
    let last = try numbers.read { span in
      numbers.letGo()
      return span[Self.many - 1]
    }
    #expect(last == Float(Self.many - 1) && numbers.bytesInMemory == 0)
  }

  @Test func fewStay() throws {
    let maker = Maker()
    let numbers = try numbers(100, maker)
    numbers.letGo()
    #expect(!numbers.canBeMadeAgain && numbers.bytesInMemory == 400 && numbers[99] == 99)
    #expect(maker.times.withLock { $0 } == 1)
    #expect(try self.numbers(0, maker).isEmpty)
  }

  @Test func othersAreRefused() throws {
    let maker = Maker()
    let numbers = try numbers(Self.many, maker)
    numbers.letGo()
    maker.first.withLock { $0 = 1 }
    #expect(
      throws: Numbers.Unavailable("a file of weights", "has other numbers than when it was opened")
    ) {
      try numbers.read { $0.count }
    }
    maker.first.withLock { $0 = 0 }
    #expect(try numbers.read { $0.count } == Self.many)
  }

  /// A transposed array is a view of the one that it was made of.
  @Test func aWalkIsAView() throws {
    let maker = Maker()
    let numbers = try numbers(Self.many, maker)
    let transposed = try numbers.walked(
      from: 0, [.init(extent: 1024, stride: 1), .init(extent: 256, stride: 1024)])
    #expect(transposed.canBeMadeAgain && transposed.firstNonFinite == nil && transposed.bytesInMemory == 0)
    transposed.letGo()
    #expect(numbers.bytesInMemory == 0 && maker.times.withLock { $0 } == 1)
    #expect(transposed[256 * 3 + 5] == 5 * 1024 + 3 && transposed.bytesInMemory == 4 * Self.many)
    #expect(maker.times.withLock { $0 } == 2)
    let same = try numbers.walked(
      from: 0, [.init(extent: 1024, stride: 1), .init(extent: 256, stride: 1024)])
    #expect(transposed == same && same.bytesInMemory == 0 && same.hashValue == transposed.hashValue)
    let own = try Numbers((0..<6).map { Float($0) }).walked(
      from: 1, [.init(extent: 2, stride: 1), .init(extent: 2, stride: 3)])
    #expect(own == [1, 4, 2, 5] && !own.canBeMadeAgain)
  }

  /// Read in an order of its own, a view is that of its numbers, wherever such an order is a walk through those.
  @Test func walksThroughViewsAreWalks() throws {
    let numbers = try numbers(Self.many, Maker())
    var random = SplitMix(seed: 47)
    var composed = 0
    for _ in 0..<300 {
      // A permutation of three axes, and a walk through a part of it.
      let extents = [[64, 64, 64], [16, 128, 128], [1, 512, 512]].randomElement(using: &random)!
      let strides = extents.rowMajorStrides
      let order = [0, 1, 2].shuffled(using: &random)
      let view = try numbers.walked(
        from: 0, order.map { Numbers.Axis(extent: extents[$0], stride: strides[$0]) })
      let own = order.map { extents[$0] }.rowMajorStrides
      var loops: [Numbers.Axis] = []
      for axis in [0, 1, 2].shuffled(using: &random) {
        let extent = extents[order[axis]]
        let step = Int.random(in: 1...4, using: &random)
        loops.append(
          .init(extent: max(1, extent / step), stride: own[axis] * step, room: max(1, extent / step)))
      }
      if Bool.random(using: &random) {
        loops = [.init(extent: 512 * 16, stride: 1), .init(extent: 3, stride: 0)]
      }
      let first = Bool.random(using: &random) ? 0 : Int.random(in: 0..<40, using: &random)
      let end = first + loops.reduce(0) { $0 + ($1.extent - 1) * $1.stride }
      guard end < Self.many else { continue }
      let count = loops.reduce(1) { $0 * $1.extent }
      let walked = try Numbers(count: count) { memory throws(Numbers.Unavailable) in
        try view.copy(from: first, loops, to: 0, of: &memory)
      }
      if view.bytesInMemory == 0 { composed += 1 }
      let plain = Numbers(Array(view))
      let expected = try Numbers(count: count) { memory throws(Numbers.Unavailable) in
        try plain.copy(from: first, loops, to: 0, of: &memory)
      }
      #expect(walked == expected, "\(order) \(extents) \(loops) \(first)")
    }
    #expect(composed > 50)
  }
}
