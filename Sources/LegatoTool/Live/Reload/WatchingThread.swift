// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A thread with an ordinary stack, on which models can be compiled, and whose end is waited for.
final class WatchingThread {
  private let thread: pthread_t

  /// Begins the work; nil where the system gives no thread.
  init?(_ work: @escaping @Sendable () -> Void) {
    let job = unsafe Unmanaged.passRetained(Job(work))
    let function: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { job in
      if let job = unsafe job { unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().work() }
      return nil
    }
    var thread = pthread_t()
    guard unsafe pthread_create(&thread, nil, function, job.toOpaque()) == 0 else {
      unsafe job.release()
      return nil
    }
    self.thread = thread
  }

  /// Waits for the end of the work; to be called once.
  func join() { pthread_join(thread, nil) }

  private final class Job: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
}
