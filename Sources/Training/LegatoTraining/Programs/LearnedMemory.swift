// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// Numbers of many arrays in one row, that programs share.
@safe
struct LearnedMemory: ~Copyable {
  private let memory: ReservedMemory
  let count: Int

  init(count: Int) throws(TrainingError) {
    do throws(ContextError) {
      memory = try ReservedMemory(numbers: count)
    } catch {
      throw .program(error.description)
    }
    self.count = count
  }

  /// Some of the numbers, from one on, for a program; valid as long as the memory.
  func place(_ start: Int, count: Int) -> LearningProgram.Place {
    precondition(start + count <= self.count, "there are fewer numbers")
    return unsafe LearningProgram.Place(start: memory.numbers + start, count: count)
  }

  func numbers(_ range: Range<Int>) -> [Float] {
    precondition(range.upperBound <= count, "there are fewer numbers")
    return unsafe Array(UnsafeBufferPointer(start: memory.numbers + range.lowerBound, count: range.count))
  }

  func write(_ numbers: some Collection<Float>, at place: Int) {
    precondition(place + numbers.count <= count, "there are fewer numbers")
    _ = unsafe UnsafeMutableBufferPointer(start: memory.numbers + place, count: numbers.count)
      .update(fromContentsOf: numbers)
  }

  func clear() { unsafe memory.numbers.update(repeating: 0, count: count) }

  /// Whether the sizes of all numbers are a bound or less; what is no number is not. All are looked at, so that vectors do
  /// it.
  func isWithin(_ bound: Float) -> Bool {
    let (own, most) = unsafe (memory.numbers, bound.bitPattern)
    var found: UInt32 = 0
    for index in 0..<count { found |= unsafe own[index].magnitude.bitPattern > most ? 1 : 0 }
    return found == 0
  }

  /// Puts a number that lies beyond 0 or 1 at the nearer of them.
  func keepWithinUnit(at place: Int) {
    let own = unsafe memory.numbers
    unsafe own[place] = min(max(own[place], 0), 1)
  }

  /// Takes over numbers, as many as the smaller of both has.
  func copy(_ other: borrowing LearnedMemory, from start: Int = 0, to place: Int = 0) {
    let count = min(count, other.count)
    precondition(start + count <= other.count && place + count <= self.count, "there are fewer numbers")
    unsafe (memory.numbers + place).update(from: other.memory.numbers + start, count: count)
  }

  /// Adds numbers of as many arrays, each times a factor.
  func add(_ other: borrowing LearnedMemory, times factor: Float) {
    let (own, others) = unsafe (memory.numbers, other.memory.numbers)
    for index in 0..<count { unsafe own[index] += factor * others[index] }
  }
}
