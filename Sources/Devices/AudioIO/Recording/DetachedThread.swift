// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A thread that does one piece of work, and is not waited for.
package enum DetachedThread {
  /// Begins work on a thread of its own.
  ///
  /// - Returns: 0, or the error number where the system gives no thread.
  package static func begin(_ work: @escaping @Sendable () -> Void) -> Int32 {
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(Work(work))
    let function: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { work in
      // It was handed over below, retained.
      if let work = unsafe work { unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
      return nil
    }
    let code = unsafe pthread_create(&thread, nil, function, work.toOpaque())
    if code == 0 { pthread_detach(thread) } else { unsafe work.release() }
    return code
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
