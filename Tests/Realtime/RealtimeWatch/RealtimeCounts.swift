// SPDX-License-Identifier: Apache-2.0

/// Counts of a thread while it was watched: offences of an audio thread, and events that befell it.
package struct RealtimeCounts: Hashable, Sendable {
  /// Calls that take memory from the heap, or resize it.
  package var allocations: Int
  package var frees: Int
  /// Calls that take a mutex, a read-write lock, a spin lock or a semaphore, whether or not they had to wait.
  package var locks: Int
  /// Entries into the kernel other than page faults; nil where this kernel cannot count them.
  package var systemCalls: Int?
  /// The kernel's number of the last of them.
  package var lastSystemCall: Int?
  /// Pages that were touched for the first time.
  package var minorFaults: Int
  /// Pages that had to be read from a disk.
  package var majorFaults: Int
  package var voluntarySwitches: Int
  package var involuntarySwitches: Int

  /// The sums of two threads' counts.
  package static func + (one: RealtimeCounts, other: RealtimeCounts) -> RealtimeCounts {
    var sum = one
    sum.allocations += other.allocations
    sum.frees += other.frees
    sum.locks += other.locks
    if let calls = one.systemCalls, let others = other.systemCalls { sum.systemCalls = calls + others }
    sum.lastSystemCall = other.lastSystemCall ?? one.lastSystemCall
    sum.minorFaults += other.minorFaults
    sum.majorFaults += other.majorFaults
    sum.voluntarySwitches += other.voluntarySwitches
    sum.involuntarySwitches += other.involuntarySwitches
    return sum
  }

  /// Offences against the rules, one phrase each: the heap, locks, the kernel. Page faults and switches are the
  /// system's.
  package var offences: [String] {
    func phrase(_ count: Int, _ one: String, _ many: String) -> String? {
      count == 0 ? nil : count == 1 ? "1 \(one)" : "\(count) \(many)"
    }
    let last = lastSystemCall.map { " (the last is number \($0))" } ?? ""
    return [
      phrase(allocations, "heap allocation", "heap allocations"), phrase(frees, "free", "frees"),
      phrase(locks, "lock", "locks"),
      phrase(systemCalls ?? 0, "system call", "system calls").map { $0 + last },
    ].compactMap { $0 }
  }
}
