// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What a thread does; it keeps itself alive until that is done.
final class Job: Sendable {
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
