// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Threads that take tasks off one list, in order, until there are none.
final class Workers: Sendable {
  private struct State {
    var next = 0
    var isStopped = false
  }

  private let state = Mutex(State())
  private let count: Int

  /// - Parameter count: the number of tasks.
  init(count: Int) { self.count = count }

  /// Does all tasks, and returns when no thread is at work any more.
  ///
  /// - Parameters:
  ///   - work: does one task, on any thread.
  ///   - watch: is called a few times a second meanwhile.
  func run(threads: Int, work: @escaping @Sendable (Int) -> Void, watch: () -> Void) {
    let ended = DispatchSemaphore(value: 0)
    let threads = min(threads, count)
    for _ in 0..<threads {
      let thread = Thread { [self] in
        while let task = take() { work(task) }
        ended.signal()
      }
      // Compiling goes deep.
      thread.stackSize = 8 << 20
      thread.start()
    }
    var left = threads
    while left > 0 {
      if ended.wait(timeout: .now() + .milliseconds(200)) == .success { left -= 1 }
      watch()
    }
  }

  /// Lets nobody begin another task.
  func stop() { state.withLock { $0.isStopped = true } }

  private func take() -> Int? {
    state.withLock { state in
      guard !state.isStopped, state.next < count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }
}
