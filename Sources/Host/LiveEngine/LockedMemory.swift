// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Memory that the system does not page out.
package enum LockedMemory {
  /// A limit below which the whole of a process may not fit: what is asked for later would fail.
  private static let leastLimit: rlim_t = 4 << 30

  /// Keeps every page of the process in memory once it has been used, for good; false where the system does not allow
  /// it.
  ///
  /// What the audio thread uses is touched when it is made.
  package static func lock() -> Bool {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 else { return false }
    // The limit does not hold for the superuser.
    guard limit.rlim_cur >= leastLimit || geteuid() == 0 else { return false }
    return mlockall(Int32(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) == 0
  }
}
