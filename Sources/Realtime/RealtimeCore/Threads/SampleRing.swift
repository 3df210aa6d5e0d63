// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Frames on their way from one thread to another, of which neither ever waits for the other.
///
///                   read            written
///     ┌──────────────┬───────────────┬────────────┐
///     │     room     │  frames       │    room    │   one row a channel
///     └──────────────┴───────────────┴────────────┘
///
/// One thread writes and one reads. Each counts its own frames, and releases what it did with the count: who sees a
/// count sees the frames behind it, or that their room is free. What does not fit is lost, and what is not there yet is
/// silence; both are counted.
@safe
package final class SampleRing: Sendable {
  package let channels: Int
  /// The most frames that it holds.
  package let capacity: Int
  private let memory: ReservedMemory
  private nonisolated(unsafe) let cells: SampleRingCells

  /// Reserves all that it needs, and touches every page of it.
  ///
  /// - Throws: `ContextError.outOfMemory`.
  package init(channels: Int, capacity: Int) throws(ContextError) {
    precondition(channels > 0 && capacity > 0, "a ring has channels and frames")
    self.channels = channels
    self.capacity = capacity
    let bytes = unsafe SampleRingCells.firstSample + channels * capacity * MemoryLayout<Float>.stride
    memory = try ReservedMemory(bytes: bytes)
    // The counts come first, so that it is not empty.
    unsafe cells = SampleRingCells(
      initializing: memory.bytes.baseAddress!, channels: channels, capacity: capacity)
  }

  deinit { unsafe cells.deinitialize() }

  /// The end for the thread that writes.
  package var writer: Writer { unsafe Writer(ring: self, cells: cells) }

  /// The end for the thread that reads.
  package var reader: Reader { unsafe Reader(ring: self, cells: cells) }

  /// Frames that did not fit.
  package var lost: Int { unsafe cells.ends.pointee.lost.load(ordering: .relaxed) }

  /// Frames that were not there when they were asked for, before the ring was closed.
  package var missing: Int { unsafe cells.ends.pointee.missing.load(ordering: .relaxed) }

  /// The writing end of the ring: one thread at a time uses it. It keeps the ring alive.
  @safe
  package struct Writer: Sendable {
    fileprivate let ring: SampleRing
    /// The same end for code that must not count references, as long as somebody keeps this one.
    package nonisolated(unsafe) let cells: SampleRingCells

    /// Frames that fit; there may be more at once.
    package var room: Int { @_noLocks get { unsafe cells.room } }

    /// Appends as many of the frames as fit; the rest is lost, and counted.
    ///
    /// - Parameters:
    ///   - rows: one for each channel, of which the frames from `start` on are taken.
    /// - Returns: how many fitted.
    @discardableResult
    @_noLocks package func write(
      _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, from start: Int, frames: Int
    ) -> Int {
      unsafe cells.write(rows, from: start, frames: frames)
    }

    /// Says that nothing more comes.
    @_noLocks package func close() { unsafe cells.ends.pointee.isClosed.store(true, ordering: .releasing) }
  }

  /// The reading end of the ring: one thread at a time uses it. It keeps the ring alive.
  @safe
  package struct Reader: Sendable {
    fileprivate let ring: SampleRing
    /// The same end for code that must not count references, as long as somebody keeps this one.
    package nonisolated(unsafe) let cells: SampleRingCells

    /// Frames that are there; there may be more at once.
    package var available: Int { @_noLocks get { unsafe cells.available } }

    /// Whether all has been read, and nothing more comes.
    package var isAtEnd: Bool { @_noLocks get { unsafe cells.isAtEnd } }

    /// Takes up to so many frames into the rows, from `start` on, and returns how many there were.
    @_noLocks package func read(
      into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, at start: Int, most: Int
    ) -> Int {
      unsafe cells.read(into: rows, at: start, most: most)
    }

    /// Takes so many frames into the rows. What is not there is silence, and is counted as missing unless nothing more
    /// comes; returns how many there were.
    @discardableResult
    @_noLocks package func fill(
      _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
    ) -> Int {
      unsafe cells.fill(rows, frames: frames)
    }
  }
}
