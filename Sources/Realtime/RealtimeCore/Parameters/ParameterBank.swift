// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The targets of a context's parameters, where any thread writes them and the audio thread reads them.
///
///     any thread                  audio thread
///     1. cell.bits = target       1. read changes; as before: done
///     2. changes += 1             2. read every cell
///
/// The addition releases what was stored before it, and reading the counter acquires it, so that whoever sees a
/// count sees the targets behind it. A target that is stored while the cells are read may be seen early; its
/// count follows, the next execute reads it again, finds it equal and does nothing. None is lost: between the
/// two steps of a writer its target is at most late.
@safe
final class ParameterBank: Sendable {
  let ranges: [ProgramLayout.ParameterRange]
  let cells: ParameterCells
  private nonisolated(unsafe) let memory: UnsafeMutableRawPointer

  init(_ ranges: [ProgramLayout.ParameterRange]) {
    self.ranges = ranges
    let memory = unsafe UnsafeMutableRawPointer.allocate(
      byteCount: ParameterCells.firstCell + ranges.count * MemoryLayout<ParameterCell>.stride,
      alignment: ParameterCells.firstCell)
    unsafe self.memory = memory
    unsafe cells = ParameterCells(initializing: memory, ranges)
  }

  deinit {
    unsafe cells.deinitialize()
    unsafe memory.deallocate()
  }
}

/// One parameter in a bank's memory.
struct ParameterCell: ~Copyable {
  /// The target as the bits of a float.
  let bits: Atomic<UInt32>
  let rampFrames: Int32
  let minimum: Float
  let maximum: Float
}

/// The places in a bank's memory, for code that must not count references.
///
/// It is as good as a pointer: whoever keeps it keeps the bank, too.
@unsafe
struct ParameterCells: @unchecked Sendable {
  /// Keeps the counter, which the audio thread reads all the time, out of the cells' cache lines.
  static var firstCell: Int { 64 }

  let changes: UnsafeMutablePointer<Atomic<UInt64>>
  let first: UnsafeMutablePointer<ParameterCell>
  let count: Int

  init(initializing memory: UnsafeMutableRawPointer, _ ranges: [ProgramLayout.ParameterRange]) {
    unsafe changes = memory.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    unsafe first = (memory + Self.firstCell).bindMemory(to: ParameterCell.self, capacity: ranges.count)
    unsafe count = ranges.count
    unsafe changes.initialize(to: Atomic(0))
    for (index, range) in ranges.enumerated() {
      let initial = range.initial.withoutDenormals.bitPattern
      unsafe (first + index).initialize(
        to: ParameterCell(
          bits: Atomic(initial), rampFrames: range.rampFrames, minimum: range.minimum, maximum: range.maximum)
      )
    }
  }

  /// The target that was last set.
  @_noLocks func target(_ index: Int) -> Float {
    unsafe Float(bitPattern: first[index].bits.load(ordering: .relaxed))
  }

  /// Sets a target, clamped to its range; a NaN is ignored.
  @_noLocks func set(_ index: Int, to value: Float) {
    guard let target = unsafe value.clamped(first[index].minimum, first[index].maximum) else { return }
    unsafe first[index].bits.store(target.bitPattern, ordering: .relaxed)
    unsafe changes.pointee.wrappingAdd(1, ordering: .releasing)
  }

  func deinitialize() {
    unsafe changes.deinitialize(count: 1)
    unsafe first.deinitialize(count: count)
  }
}
