// SPDX-License-Identifier: Apache-2.0

package import AudioIO
internal import Synchronization

/// A gap in the sound: what came in was not fetched in time, or what was to be played did not come in time.
package struct Xrun: Equatable, Sendable {
  /// Capture for an overrun, playback for an underrun.
  package var direction: DeviceDirection
  /// Frames that had gone by.
  package var position: Int
  /// Frames that were lost by it.
  package var length: Int

  @_noLocks package init(_ direction: DeviceDirection, at position: Int, length: Int) {
    (self.direction, self.position, self.length) = (direction, position, length)
  }
}

/// The first xruns of a session, where the audio thread writes them and others read them; neither waits for the other.
///
///     audio thread                       another thread
///     row n = xrun, count = n + 1        read count, and the rows below it
///
/// A row is written once, before the count that covers it: whoever sees the count sees the row. What comes after the last row
/// only the account counts.
@unsafe struct XrunLog: @unchecked Sendable {
  private let rows: UnsafeMutablePointer<Xrun>
  private let count: UnsafeMutablePointer<Atomic<Int>>

  /// More than that nobody reads.
  static var most: Int { @_noLocks get { 64 } }

  init() {
    unsafe rows = .allocate(capacity: Self.most)
    unsafe rows.initialize(repeating: Xrun(.capture, at: 0, length: 0), count: Self.most)
    unsafe count = .allocate(capacity: 1)
    unsafe count.initialize(to: Atomic(0))
  }

  func deallocate() {
    unsafe rows.deallocate()
    unsafe count.deallocate()
  }

  @_noLocks func note(_ xrun: Xrun) {
    let index = unsafe count.pointee.load(ordering: .relaxed)
    guard unsafe index < Self.most else { return }
    unsafe rows[index] = xrun
    unsafe count.pointee.store(index + 1, ordering: .releasing)
  }

  func read() -> [Xrun] {
    let known = unsafe count.pointee.load(ordering: .acquiring)
    return (0..<known).map { unsafe rows[$0] }
  }
}
