// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Dispatch
internal import Synchronization

/// Threads that take tasks off one list, in order, until there are none.
///
///     init   thread, thread, … wait
///     run    thread: task 0, task 2, …     thread: task 1, …
///
/// They can be there before the tasks are: while a library is being opened, the system makes no thread. Where the
/// tasks are more than was thought, others join them.
package final class Workers: Sendable {
  private struct State {
    var next = 0
    var count = 0
    var isStopped = false
    /// The work that each thread does, once.
    var work: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  /// The most threads that there shall be.
  private let most: Int
  /// How many threads the system gave.
  private let threads = Atomic(0)
  private let begun = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts the threads. Where the system gives fewer, those do all the work, if need be the one that waits for them.
  ///
  /// - Parameters:
  ///   - threads: how many there are at once.
  ///   - most: how many there shall be where the tasks are as many; nil for no more.
  package init(threads: Int, most: Int? = nil) {
    self.most = most ?? threads
    begin(upTo: threads)
  }

  /// How many threads there are.
  var count: Int { threads.load(ordering: .relaxed) }

  private func begin(upTo most: Int) {
    while count < most {
      let code = DetachedThread.begin { [self] in
        begun.wait()
        state.withLock { $0.work }?()
        ended.signal()
      }
      guard code == 0 else { return }
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
  package func run<Desk>(
    count: Int, desk: @escaping @Sendable () -> Desk, work: @escaping @Sendable (Desk, Int) -> Void,
    watch: () -> Void
  ) {
    begin(upTo: min(most, count))
    state.withLock { state in
      precondition(state.work == nil && state.next == 0, "threads do one list of tasks")
      state.count = count
      state.work = { [self] in doAll(desk, work) }
    }
    defer { state.withLock { $0.work = nil } }
    var left = self.count
    if left == 0 { doAll(desk, work) }
    for _ in 0..<left { begun.signal() }
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
