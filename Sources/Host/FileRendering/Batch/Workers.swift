// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Dispatch
internal import Synchronization

/// Threads that take tasks off one list, in order, until there are none.
///
///     run    thread: task 0, task 2, …     thread: task 1, …     watch, watch, …
///
/// There are none before it runs, and none afterwards.
package final class Workers: Sendable {
  private struct State {
    var next = 0
    var count = 0
    var isStopped = false
  }

  private let state = Mutex(State())
  /// The most threads.
  private let threads: Int
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameter threads: the most that there shall be.
  package init(threads: Int) { self.threads = threads }

  /// Does all tasks, once, and returns when no thread is at work any more. Where the system gives fewer threads, those
  /// do all the work, if need be the one that waits for them.
  ///
  /// - Parameters:
  ///   - count: the number of tasks.
  ///   - desk: makes what a thread keeps from task to task, on that thread.
  ///   - work: does one task, on any thread.
  ///   - watch: is called a few times a second meanwhile.
  package func run<Desk>(
    count: Int, desk: @escaping @Sendable () -> Desk, work: @escaping @Sendable (Desk, Int) -> Void,
    watch: () -> Void
  ) {
    state.withLock { state in
      precondition(state.next == 0, "threads do one list of tasks")
      state.count = count
    }
    let all: @Sendable () -> Void = { [self] in doAll(desk, work) }
    var left = 0
    while left < min(threads, count) {
      let code = DetachedThread.begin { [self] in
        all()
        ended.signal()
      }
      guard code == 0 else { break }
      left += 1
    }
    if left == 0 { all() }
    while left > 0 {
      if ended.wait(timeout: .now() + .milliseconds(200)) == .success { left -= 1 }
      watch()
    }
  }

  /// Keeps workers from beginning further tasks.
  func stop() { state.withLock { $0.isStopped = true } }

  private func doAll<Desk>(_ desk: () -> Desk, _ work: (Desk, Int) -> Void) {
    let desk = desk()
    while let task = take() { work(desk, task) }
  }

  private func take() -> Int? {
    state.withLock { state in
      guard !state.isStopped, state.next < state.count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }
}
