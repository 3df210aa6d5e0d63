// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// What a thread does; it keeps itself alive until that is done.
final class Job: Sendable {
  private let work: @Sendable () -> Void
  /// How many are not done.
  private static let running = Atomic(0)

  init(_ work: @escaping @Sendable () -> Void) { self.work = work }

  /// Begins on a thread of its own; false where the system gives none.
  func begin() -> Bool {
    var thread = pthread_t()
    let job = unsafe Unmanaged.passRetained(self)
    let function: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { job in
      if let job = unsafe job { unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().work() }
      Job.running.wrappingSubtract(1, ordering: .releasing)
      return nil
    }
    Self.running.wrappingAdd(1, ordering: .relaxed)
    guard unsafe pthread_create(&thread, nil, function, job.toOpaque()) == 0 else {
      unsafe job.release()
      Self.running.wrappingSubtract(1, ordering: .relaxed)
      return false
    }
    pthread_detach(thread)
    return true
  }

  /// Ends the process. A job that is not done within a tenth of a second, as one that compiles, is left where it is: then
  /// libraries do not clean up, which would take away what it works with.
  static func endProcess(_ code: Int32) -> Never {
    for _ in 0..<100 where running.load(ordering: .acquiring) > 0 { usleep(1000) }
    if running.load(ordering: .acquiring) > 0 { _exit(code) }
    exit(code)
  }
}
