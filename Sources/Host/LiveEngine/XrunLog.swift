// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The first xruns of a session, where the audio thread writes them and others read them; neither waits for the other.
///
///     audio thread                       another thread
///     row n = xrun, count = n + 1        read count, and the rows below it
///
/// A row is written once, before the count that covers it: whoever sees the count sees the row. What comes after the
/// last row only the account counts.
@unsafe struct XrunLog: @unchecked Sendable {
  private let rows: UnsafeMutablePointer<Xrun>
  private let count: UnsafeMutablePointer<Atomic<Int>>

  init() {
    unsafe rows = .allocate(capacity: Xrun.most)
    unsafe rows.initialize(repeating: Xrun(.overrun, at: 0, length: 0), count: Xrun.most)
    unsafe count = .allocate(capacity: 1)
    unsafe count.initialize(to: Atomic(0))
  }

  func deallocate() {
    unsafe rows.deallocate()
    unsafe count.deallocate()
  }

  @_noLocks func note(_ xrun: Xrun) {
    let index = unsafe count.pointee.load(ordering: .relaxed)
    guard index < Xrun.most else { return }
    unsafe rows[index] = xrun
    unsafe count.pointee.store(index + 1, ordering: .releasing)
  }

  func read() -> [Xrun] {
    let known = unsafe count.pointee.load(ordering: .acquiring)
    return (0..<known).map { unsafe rows[$0] }
  }
}
