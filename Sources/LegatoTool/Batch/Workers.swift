// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
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
  ///   - threads: the most at a time. Where the system gives fewer, those do it, and be it this one alone.
  ///   - desk: makes what a thread keeps from task to task, on that thread.
  ///   - work: does one task, on any thread.
  ///   - watch: is called a few times a second meanwhile.
  func run<Desk>(
    threads: Int, desk: @escaping @Sendable () -> Desk, work: @escaping @Sendable (Desk, Int) -> Void,
    watch: () -> Void
  ) {
    let ended = DispatchSemaphore(value: 0)
    var left = 0
    for _ in 0..<min(threads, count) {
      let job = Job { [self] in
        doAll(desk, work)
        ended.signal()
      }
      guard job.begin() else { break }
      left += 1
    }
    if left == 0 { doAll(desk, work) }
    while left > 0 {
      if ended.wait(timeout: .now() + .milliseconds(200)) == .success { left -= 1 }
      watch()
    }
  }

  /// Lets nobody begin another task.
  func stop() { state.withLock { $0.isStopped = true } }

  private func doAll<Desk>(_ desk: () -> Desk, _ work: (Desk, Int) -> Void) {
    let desk = desk()
    while let task = take() { work(desk, task) }
  }

  private func take() -> Int? {
    state.withLock { state in
      guard !state.isStopped, state.next < count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }
}
