// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// Threads that take tasks off one list, in order, until there are none.
///
///     init   thread, thread, … wait
///     run    thread: task 0, task 2, …     thread: task 1, …
///
/// They can be there before the tasks are: while a library is being opened, the system makes no thread.
final class Workers: Sendable {
  private struct State {
    var next = 0
    var count = 0
    var isStopped = false
    /// What each thread does, once.
    var work: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  /// How many threads the system gave.
  private let threads = Atomic(0)
  private let begun = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameter most: how many threads there shall be. Where the system gives fewer, those do it all, and be it the
  ///   one that waits for them.
  init(threads most: Int) {
    for _ in 0..<most {
      let job = Job { [self] in
        begun.wait()
        state.withLock { $0.work }?()
        ended.signal()
      }
      guard job.begin() else { break }
      threads.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// Does all tasks, once, and returns when no thread is at work any more.
  ///
  /// - Parameters:
  ///   - count: the number of tasks.
  ///   - desk: makes what a thread keeps from task to task, on that thread.
  ///   - work: does one task, on any thread.
  ///   - watch: is called a few times a second meanwhile.
  func run<Desk>(
    count: Int, desk: @escaping @Sendable () -> Desk, work: @escaping @Sendable (Desk, Int) -> Void,
    watch: () -> Void
  ) {
    state.withLock { state in
      precondition(state.work == nil && state.next == 0, "threads do one list of tasks")
      state.count = count
      state.work = { [self] in doAll(desk, work) }
    }
    defer { state.withLock { $0.work = nil } }
    var left = threads.load(ordering: .relaxed)
    if left == 0 { doAll(desk, work) }
    for _ in 0..<left { begun.signal() }
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
      guard !state.isStopped, state.next < state.count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }
}
