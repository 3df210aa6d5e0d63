// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Numbers that never change, side by side in memory of their own.
///
/// They are looked at once, when they are made: whether each is finite, and for a fingerprint. Graphs share them:
/// copies cost nothing, and equal ones are told by identity, else by the fingerprint and then bit by bit.
@safe
package final class Numbers: Sendable {
  /// The alignment of the first one in bytes: a cache line, and whatever vectors ask for.
  package static let alignment = 64

  nonisolated(unsafe) private let memory: UnsafeBufferPointer<Float>
  /// The position of the first number that is infinite or not a number.
  package let firstNonFinite: Int?
  /// The same for equal bits, in each run; not cryptographic.
  package let fingerprint: UInt64

  /// Numbers that a closure writes, all of them, as bytes into memory that may hold anything.
  package init<Failure: Error>(
    unsafeCount count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let bytes = unsafe Self.allocate(count * MemoryLayout<Float>.stride)
    do throws(Failure) {
      try unsafe fill(bytes)
    } catch {
      unsafe Self.free(UnsafeRawBufferPointer(bytes))
      throw error
    }
    unsafe memory = UnsafeBufferPointer(bytes.bindMemory(to: Float.self))
    (firstNonFinite, fingerprint) = unsafe Self.look(at: memory)
  }

  /// Numbers that a closure fills; until then they are 0.
  package convenience init(count: Int, _ fill: (inout MutableSpan<Float>) -> Void) {
    unsafe self.init(unsafeCount: count) { bytes in
      let own = unsafe bytes.bindMemory(to: Float.self)
      unsafe own.initialize(repeating: 0)
      var span = unsafe own.mutableSpan
      fill(&span)
    }
  }

  package convenience init(_ numbers: some Collection<Float>) {
    unsafe self.init(unsafeCount: numbers.count) { bytes in
      let own = unsafe bytes.bindMemory(to: Float.self)
      let count = unsafe own.initialize(fromContentsOf: numbers)
      precondition(count == own.count, "a collection that has fewer numbers than it says")
    }
  }

  deinit { unsafe Self.free(UnsafeRawBufferPointer(memory)) }

  /// Bytes from which on an array has pages of its own, which the system has back as soon as nobody uses it: the heap would
  /// keep them, and of large networks as many again.
  private static let ownPages = 1 << 20

  private static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    guard count >= ownPages else { return .allocate(byteCount: count, alignment: alignment) }
    let address = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let address = unsafe address, unsafe address != MAP_FAILED else {
      fatalError("there is no memory for \(count) bytes of numbers")
    }
    return unsafe UnsafeMutableRawBufferPointer(start: address, count: count)
  }

  private static func free(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= ownPages, let address = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
    else {
      unsafe bytes.deallocate()
      return
    }
    unsafe munmap(address, bytes.count)
  }

  /// The bytes, which stay there for as long as the numbers are used.
  package var unsafeBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(memory) }

  /// Each step is a bijection of the state, so that no number is lost; four states go side by side.
  private static func look(at memory: UnsafeBufferPointer<Float>) -> (
    firstNonFinite: Int?, fingerprint: UInt64
  ) {
    let (seed, factor) = (0xCBF2_9CE4_8422_2325 as UInt64, 0x9E37_79B9_7F4A_7C15 as UInt64)
    func step(_ state: inout UInt64, _ bits: UInt32) {
      let product = (state ^ UInt64(bits)) &* factor
      state = product ^ (product >> 29)
    }
    var (a, b, c, d) = (seed, seed ^ 1, seed ^ 2, seed ^ 3)
    let rest = memory.count & 3
    for place in stride(from: 0, to: memory.count - rest, by: 4) {
      unsafe step(&a, memory[place].bitPattern)
      unsafe step(&b, memory[place + 1].bitPattern)
      unsafe step(&c, memory[place + 2].bitPattern)
      unsafe step(&d, memory[place + 3].bitPattern)
    }
    if rest > 0 { unsafe step(&a, memory[memory.count - rest].bitPattern) }
    if rest > 1 { unsafe step(&b, memory[memory.count - rest + 1].bitPattern) }
    if rest > 2 { unsafe step(&c, memory[memory.count - rest + 2].bitPattern) }
    var result = UInt64(memory.count)
    for state in [a, b, c, d] {
      result = (result ^ state) &* factor
      result ^= result >> 32
    }
    // Nearly always none: the largest magnitude is looked for first, without asking at each number.
    let largest = unsafe memory.reduce(0 as UInt32) { Swift.max($0, $1.bitPattern & 0x7FFF_FFFF) }
    let firstNonFinite = largest < 0x7F80_0000 ? nil : unsafe memory.firstIndex { !$0.isFinite }
    return (firstNonFinite, result)
  }
}

extension Numbers: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { unsafe memory.count }

  package subscript(index: Int) -> Float {
    precondition(indices.contains(index), "a number that is not there")
    return unsafe memory[index]
  }

  package func withContiguousStorageIfAvailable<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<Float>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try unsafe body(memory)
  }
}

extension Numbers: Hashable {
  package static func == (a: Numbers, b: Numbers) -> Bool {
    if a === b { return true }
    guard a.count == b.count, a.fingerprint == b.fingerprint else { return false }
    return unsafe a.unsafeBytes.elementsEqual(b.unsafeBytes)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}

extension Numbers: ExpressibleByArrayLiteral {
  package convenience init(arrayLiteral numbers: Float...) { self.init(numbers) }
}
