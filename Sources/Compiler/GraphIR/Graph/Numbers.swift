// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Numbers that never change, side by side in memory of their own.
///
/// Whether each is finite and what their fingerprint is, is looked for once, at the latest when somebody asks. Graphs share
/// them: copies cost nothing, and equal ones are told by identity, else by the fingerprint and then bit by bit.
///
/// Many numbers that can be made again, such as those of a file, may be let go: they have no memory until somebody looks
/// at them. Others that are the same in another order, such as a transposed matrix, have none either: who reads them in
/// an order of its own reads those that they are of.
///
///     file ─▶ numbers ─▶ packed for a program, array by array
///                └────── each let go as soon as it is packed: nothing is in memory twice
@safe
package final class Numbers: Sendable {
  /// The alignment of the first one in bytes: a cache line, and whatever vectors ask for.
  package static let alignment = 64

  /// The reason why numbers cannot be made, or made again.
  package struct Unavailable: Error, Hashable, Sendable {
    /// The numbers as messages call them, such as a tensor of a file.
    package let subject: String
    /// The reason as it follows the subject.
    package let reason: String

    package init(_ subject: String, _ reason: String) { (self.subject, self.reason) = (subject, reason) }

    package var message: String { "\(subject) \(reason)" }
  }

  /// Writes all numbers, as bytes into memory that is 0; the same ones each time.
  package typealias Source = @Sendable (UnsafeMutableRawBufferPointer) throws(Unavailable) -> Void

  /// All that looking at each number tells.
  private struct Facts {
    let firstNonFinite: Int?
    let fingerprint: UInt64
  }

  package let count: Int
  /// The memory of numbers that stay.
  private let own: NumberMemory?
  /// Makes others again.
  private let source: Source?
  /// The facts of those when they were first made.
  private let expected: Facts?
  /// The order in which these are others.
  let view: NumberView?
  /// The memory of those that can be made again, unless it was let go.
  private let present: Mutex<NumberMemory?>
  private let facts: Mutex<Facts?>

  private init(_ memory: NumberMemory, _ source: Source?) {
    count = unsafe memory.numbers.count
    let stays = unsafe source == nil
    // A file may be another one when it is read again.
    expected = stays ? nil : unsafe Self.look(at: memory.numbers)
    own = stays ? memory : nil
    unsafe self.source = source
    view = nil
    present = Mutex(stays ? nil : memory)
    facts = Mutex(expected)
  }

  /// Many numbers that others are in another order.
  init(_ view: NumberView) {
    (self.view, count, own, expected) = (view, view.count, nil, nil)
    unsafe source = nil
    present = Mutex(nil)
    facts = Mutex(nil)
  }

  /// The position of the first number that is infinite or not a number.
  package var firstNonFinite: Int? {
    if let view, view.isFinite { return nil }
    return looked.firstNonFinite
  }

  /// The same for equal bits, in each run; not cryptographic. Checkpoints keep it.
  package var fingerprint: UInt64 { looked.fingerprint }

  private var looked: Facts {
    if let known = facts.withLock({ $0 }) { return known }
    let memory: NumberMemory
    do throws(Unavailable) { memory = try held() } catch {
      // Whoever reads them is told; until then nothing is known against them.
      return Facts(firstNonFinite: nil, fingerprint: UInt64(count))
    }
    let found = unsafe Self.look(at: memory.numbers)
    facts.withLock { $0 = found }
    return found
  }

  /// Numbers that a closure writes, as bytes into memory that is 0.
  package convenience init<Failure: Error>(
    unsafeCount count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    unsafe self.init(try NumberMemory(count, fill), nil)
  }

  /// Numbers that can be made again, and so be let go; few of them stay all the same.
  package convenience init(unsafeRepeatable count: Int, _ source: @escaping Source) throws(Unavailable) {
    let memory = try unsafe NumberMemory(count, source)
    unsafe self.init(memory, memory.hasOwnPages ? source : nil)
  }

  /// Numbers that a closure fills; until then they are 0, and those that stay so take no memory where there are many.
  package convenience init<Failure: Error>(
    count: Int, _ fill: (inout MutableSpan<Float>) throws(Failure) -> Void
  ) throws(Failure) {
    try unsafe self.init(unsafeCount: count) { bytes throws(Failure) in
      let own = unsafe bytes.bindMemory(to: Float.self)
      var span = unsafe own.mutableSpan
      try fill(&span)
    }
  }

  package convenience init(_ numbers: some Collection<Float>) {
    unsafe self.init(unsafeCount: numbers.count) { bytes in
      let own = unsafe bytes.bindMemory(to: Float.self)
      let count = unsafe own.initialize(fromContentsOf: numbers)
      precondition(count == own.count, "a collection that has fewer numbers than it says")
    }
  }

  /// Whether the numbers have no memory once nobody looks at them, and so can be let go.
  package var canBeMadeAgain: Bool { own == nil }

  /// The numbers that are read for these: their own, or those that they are in another order.
  package var origin: Numbers { view?.numbers.origin ?? self }

  /// Whether they are others in another order, so that their fingerprint costs a walk through those.
  package var isView: Bool { view != nil }

  /// Whether so many numbers may be let go, since it is felt.
  static func mayBeLetGo(_ count: Int) -> Bool { NumberMemory.hasOwnPages(count) }

  /// The bytes of memory that the numbers have at present.
  package var bytesInMemory: Int {
    own != nil || present.withLock { $0 != nil } ? count * MemoryLayout<Float>.stride : 0
  }

  /// Gives the memory back, where the numbers can be made again: as soon as nobody looks at them.
  package func letGo() {
    present.withLock { $0 = nil }
    view?.numbers.letGo()
  }

  /// Makes the numbers again where they were let go, and those that they are in another order.
  ///
  /// - Throws: `Unavailable` where they cannot be had, or would be others: whoever can refuse asks first.
  package func makeAgain() throws(Unavailable) {
    if let view { return try view.numbers.makeAgain() }
    _ = try held()
  }

  /// Hands the numbers out, which are made again where they were let go.
  ///
  /// - Throws: `Unavailable` where they cannot be, or would be others.
  package func read<Result>(_ body: (Span<Float>) -> Result) throws(Unavailable) -> Result {
    let memory = try held()
    return unsafe body(memory.numbers.span)
  }

  /// Hands the bytes out.
  package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let memory = heldAnyway()
    return try unsafe body(UnsafeRawBufferPointer(memory.numbers))
  }

  /// The bytes, which stay there for as long as the numbers are used, of those that are never let go.
  package var unsafeBytes: UnsafeRawBufferPointer {
    guard let own else { preconditionFailure("the bytes of numbers that may be let go") }
    return unsafe UnsafeRawBufferPointer(own.numbers)
  }

  /// The memory, which stays for as long as somebody has it.
  private func held() throws(Unavailable) -> NumberMemory {
    if let own { return own }
    return try present.withLock { present throws(Unavailable) in
      if let present { return present }
      let memory: NumberMemory
      if let view {
        memory = try view.memory()
        // The base is not read beside them.
        view.numbers.letGo()
      } else {
        memory = try unsafe NumberMemory(count, source!)
        guard unsafe Self.look(at: memory.numbers).fingerprint == expected?.fingerprint else {
          throw Unavailable("a file of weights", "has other numbers than when it was opened")
        }
      }
      present = memory
      return memory
    }
  }

  /// The memory for who cannot go on without: whoever can refuse has read them before.
  private func heldAnyway() -> NumberMemory {
    do throws(Unavailable) { return try held() } catch { fatalError(error.message) }
  }

  /// Each step is a bijection of the state, so that no number is lost; four states go side by side.
  private static func look(at memory: UnsafeBufferPointer<Float>) -> Facts {
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
    return Facts(firstNonFinite: firstNonFinite, fingerprint: result)
  }
}

extension Numbers: RandomAccessCollection {
  package struct Iterator: IteratorProtocol {
    fileprivate let memory: NumberMemory
    fileprivate var place = 0

    package mutating func next() -> Float? {
      guard unsafe place < memory.numbers.count else { return nil }
      defer { place += 1 }
      return unsafe memory.numbers[place]
    }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(index: Int) -> Float {
    precondition(index >= 0 && index < count, "a number that is not there")
    if let own { return unsafe own.numbers[index] }
    return unsafe heldAnyway().numbers[index]
  }

  package func makeIterator() -> Iterator { Iterator(memory: heldAnyway()) }

  package func withContiguousStorageIfAvailable<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<Float>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let memory = heldAnyway()
    return try unsafe body(memory.numbers)
  }
}

extension Numbers: Hashable {
  package static func == (a: Numbers, b: Numbers) -> Bool {
    if a === b { return true }
    guard a.count == b.count else { return false }
    if let first = a.view, let second = b.view, first.isSame(as: second) { return true }
    guard a.fingerprint == b.fingerprint, let first = try? a.held(), let second = try? b.held() else {
      return false
    }
    return unsafe UnsafeRawBufferPointer(first.numbers).elementsEqual(UnsafeRawBufferPointer(second.numbers))
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}

extension Numbers: ExpressibleByArrayLiteral {
  package convenience init(arrayLiteral numbers: Float...) { self.init(numbers) }
}
