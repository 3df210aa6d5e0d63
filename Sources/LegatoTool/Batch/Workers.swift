// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
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
  ///   - work: does one task, on any thread.
  ///   - watch: is called a few times a second meanwhile.
  func run(threads: Int, work: @escaping @Sendable (Int) -> Void, watch: () -> Void) {
    let ended = DispatchSemaphore(value: 0)
    var left = 0
    for _ in 0..<min(threads, count) {
      let job = Job { [self] in
        while let task = take() { work(task) }
        ended.signal()
      }
      guard job.begin() else { break }
      left += 1
    }
    if left == 0 { while let task = take() { work(task) } }
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

/// What a thread does; it keeps itself alive until that is done.
private final class Job: Sendable {
  private let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) { self.work = work }

  /// Begins on a thread of its own; false where the system gives none.
  func begin() -> Bool {
    var thread = pthread_t()
    let job = unsafe Unmanaged.passRetained(self)
    let function: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { job in
      if let job = unsafe job { unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().work() }
      return nil
    }
    guard unsafe pthread_create(&thread, nil, function, job.toOpaque()) == 0 else {
      unsafe job.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
