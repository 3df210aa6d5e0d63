// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The lock under which libsndfile opens files: for several threads, or for one that wants to know why it cannot.
///
///     thread  open ✓   open ✓              open ✓
///     thread  open ✓   open ✗   open ✗ why          open ✓
///
/// libsndfile keeps the reason for a failed opening in one place for the whole process, where the next opening
/// overwrites it. A file that cannot be opened among others is opened again, alone; those that can, and they are the
/// rule, wait for nobody.
enum Opening {
  static func amongOthers<Result>(_ open: () -> Result) -> Result {
    unsafe pthread_rwlock_rdlock(lock)
    defer { unsafe pthread_rwlock_unlock(lock) }
    return open()
  }

  static func alone<Result>(_ open: () -> Result) -> Result {
    unsafe pthread_rwlock_wrlock(lock)
    defer { unsafe pthread_rwlock_unlock(lock) }
    return open()
  }

  /// For the life of the process: a lock must not move.
  private nonisolated(unsafe) static let lock: UnsafeMutablePointer<pthread_rwlock_t> = {
    let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
    unsafe lock.initialize(to: pthread_rwlock_t())
    unsafe pthread_rwlock_init(lock, nil)
    return unsafe lock
  }()
}
