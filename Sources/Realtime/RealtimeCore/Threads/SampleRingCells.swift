// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The counts of a ring. Each is changed by one side only, which has a cache line of its own for it.
struct SampleRingEnds: ~Copyable {
  /// Frames written since the beginning.
  let written = Atomic<Int>(0)
  let lost = Atomic<Int>(0)
  let isClosed = Atomic<Bool>(false)
  private let apart: InlineArray<6, Int> = .init(repeating: 0)
  /// Frames read since the beginning.
  let read = Atomic<Int>(0)
  let missing = Atomic<Int>(0)
}

/// The places in a ring's memory, for code that must not count references: counts, then the channels' rows.
///
/// It is as good as a pointer: whoever keeps it keeps the ring, too.
@unsafe
package struct SampleRingCells {
  static var firstSample: Int { 128 }

  let ends: UnsafeMutablePointer<SampleRingEnds>
  let samples: UnsafeMutablePointer<Float>
  let channels: Int
  let capacity: Int

  init(initializing memory: UnsafeMutableRawPointer, channels: Int, capacity: Int) {
    unsafe ends = memory.bindMemory(to: SampleRingEnds.self, capacity: 1)
    unsafe ends.initialize(to: SampleRingEnds())
    unsafe samples = (memory + Self.firstSample).bindMemory(to: Float.self, capacity: channels * capacity)
    unsafe self.channels = channels
    unsafe self.capacity = capacity
  }

  func deinitialize() { unsafe ends.deinitialize(count: 1) }

  /// For the side that writes.
  var room: Int {
    @_noLocks get {
      let written = unsafe ends.pointee.written.load(ordering: .relaxed)
      return unsafe capacity - (written - ends.pointee.read.load(ordering: .acquiring))
    }
  }

  /// For the side that reads.
  var available: Int {
    @_noLocks get {
      let read = unsafe ends.pointee.read.load(ordering: .relaxed)
      return unsafe ends.pointee.written.load(ordering: .acquiring) - read
    }
  }

  /// Looked at in this order: what was written before the ring was closed is seen by who sees it closed.
  package var isAtEnd: Bool {
    @_noLocks get { unsafe ends.pointee.isClosed.load(ordering: .acquiring) && available == 0 }
  }

  @discardableResult
  @_noLocks package func write(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, from start: Int, frames: Int
  ) -> Int {
    let rowCount = rows.count
    precondition(unsafe rowCount == channels && frames >= 0, "a row for each channel")
    let count = unsafe min(frames, room)
    let written = unsafe ends.pointee.written.load(ordering: .relaxed)
    // Up to the end of the memory, and on from its beginning.
    let place = unsafe written % capacity
    let first = unsafe min(count, capacity - place)
    for channel in 0..<(unsafe channels) {
      let row = unsafe rows[channel] + start
      let ring = unsafe samples + channel * capacity
      for index in 0..<first { unsafe ring[place + index] = row[index] }
      for index in first..<count { unsafe ring[index - first] = row[index] }
    }
    unsafe ends.pointee.written.store(written + count, ordering: .releasing)
    if count < frames { unsafe ends.pointee.lost.wrappingAdd(frames - count, ordering: .relaxed) }
    return count
  }

  @_noLocks func read(
    into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, at start: Int, most: Int
  ) -> Int {
    let rowCount = rows.count
    precondition(unsafe rowCount == channels && most >= 0, "a row for each channel")
    let count = unsafe min(most, available)
    let read = unsafe ends.pointee.read.load(ordering: .relaxed)
    let place = unsafe read % capacity
    let first = unsafe min(count, capacity - place)
    for channel in 0..<(unsafe channels) {
      let row = unsafe rows[channel] + start
      let ring = unsafe samples + channel * capacity
      for index in 0..<first { unsafe row[index] = ring[place + index] }
      for index in first..<count { unsafe row[index] = ring[index - first] }
    }
    unsafe ends.pointee.read.store(read + count, ordering: .releasing)
    return count
  }

  @discardableResult
  @_noLocks package func fill(_ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int) -> Int {
    // Before the frames: those that come in between are then no frames that were missing.
    let isClosed = unsafe ends.pointee.isClosed.load(ordering: .acquiring)
    let count = unsafe read(into: rows, at: 0, most: frames)
    guard count < frames else { return count }
    for channel in 0..<(unsafe channels) {
      let row = unsafe rows[channel]
      for index in count..<frames { unsafe row[index] = 0 }
    }
    if !isClosed { unsafe ends.pointee.missing.wrappingAdd(frames - count, ordering: .relaxed) }
    return count
  }
}
