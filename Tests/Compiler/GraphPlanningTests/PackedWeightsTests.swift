// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Synchronization
import Testing

/// Weights as they come to the memory of a program.
@Suite struct PackedWeightsTests {
  /// Arrays that can be made again, and the most bytes that others had while one of them was made.
  private final class Watch: Sendable {
    let arrays = Mutex<[Numbers]>([])
    let most = Mutex(0)

    func note(without own: Int) {
      let others = arrays.withLock { arrays in arrays.indices.filter { $0 != own }.map { arrays[$0] } }
      let bytes = others.reduce(0) { $0 + $1.bytesInMemory }
      most.withLock { $0 = max($0, bytes) }
    }
  }

  private static let size = 512

  @Test func oneArrayAtATimeIsInMemoryBesideThem() throws {
    let (size, watch) = (Self.size, Watch())
    for index in 0..<4 {
      let array = try unsafe Numbers(unsafeRepeatable: size * size) { [watch] memory in
        watch.note(without: index)
        for place in 0..<size * size {
          let number = Float(index * size * size + place)
          unsafe memory.storeBytes(of: number, toByteOffset: 4 * place, as: Float.self)
        }
      }
      watch.arrays.withLock { $0.append(array) }
    }
    let arrays = watch.arrays.withLock { $0 }
    #expect(watch.most.withLock { $0 } == 3 * size * size * 4)
    for array in arrays { array.letGo() }
    watch.most.withLock { $0 = 0 }
    var packed = PackedWeights()
    // One as it is, and the others in two areas each, by columns.
    var places = [packed.append(arrays[0])]
    for array in arrays[1...] {
      for half in [0, size / 2] {
        places.append(
          packed.append(
            array, from: half, [.init(extent: size / 2, stride: 1), .init(extent: size, stride: size)]))
      }
    }
    let numbers = try packed.numbers()
    #expect(watch.most.withLock { $0 } == 0)
    #expect(arrays.allSatisfy { $0.bytesInMemory == 0 })
    #expect(numbers.count == 4 * size * size && numbers[places[0] + 5] == 5)
    for index in 1..<4 {
      for half in 0..<2 {
        let begin = places[2 * index - 1 + half]
        for (column, row) in [(0, 0), (3, 7), (size / 2 - 1, size - 1)] {
          let expected = Float(index * size * size + row * size + half * size / 2 + column)
          #expect(numbers[begin + column * size + row] == expected)
        }
      }
    }
  }

  @Test func whatCannotBeHadIsSaid() throws {
    let isThere = IsThere()
    let array = try unsafe Numbers(unsafeRepeatable: Self.size * Self.size) {
      memory throws(Numbers.Unavailable) in
      guard isThere.value.withLock({ $0 }) else { throw Numbers.Unavailable("the tensor 'w'", "is gone") }
    }
    var packed = PackedWeights()
    _ = packed.append(array)
    array.letGo()
    isThere.value.withLock { $0 = false }
    #expect(throws: Numbers.Unavailable("the tensor 'w'", "is gone")) { try packed.numbers() }
  }

  private final class IsThere: Sendable { let value = Mutex(true) }
}
