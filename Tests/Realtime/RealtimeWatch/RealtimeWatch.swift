// SPDX-License-Identifier: Apache-2.0

internal import CRealtimeWatch

/// Watches what the calling thread does to the heap, to locks and in the kernel.
///
///     allocator, locks     functions of this program that stand before the C library's
///     system calls         the kernel makes a signal of each
///     faults, switches     the kernel's own account of the thread
///
/// Where the RealtimeSanitizer is linked, the thread is in its real-time context meanwhile, and the process ends with a
/// report, exit code 43, at the first offence.
///
/// Not seen: locks that a program makes of atomics, as long as they do not wait.
package enum RealtimeWatch {
  /// Whether this kernel can count system calls: Linux 5.11 or later on x86-64.
  package static let seesSystemCalls = realtime_watch_sees_system_calls()

  /// Whether the RealtimeSanitizer is linked.
  package static var hasSanitizer: Bool { realtime_sanitizer_is_linked() }

  /// The counts of this thread during the body.
  ///
  /// The body must not watch, fork, nor end the thread, and no other signal's handler may run on it meanwhile.
  package static func counts(_ body: () throws -> Void) rethrows -> RealtimeCounts {
    let sees = seesSystemCalls
    realtime_watch_begin()
    do { try body() } catch {
      _ = realtime_watch_end()
      throw error
    }
    return RealtimeCounts(realtime_watch_end(), seesSystemCalls: sees)
  }

  /// The counts of this thread during the body without the calls of sound devices, and the number of these.
  ///
  /// What a device's driver or plugin does in such a call is its own. Where a loop over periods waits for descriptors
  /// or looks at the clock, it enters the kernel as it has to: that is no system call of its own either.
  package static func countsApartFromDevices(
    _ body: () throws -> Void
  ) rethrows -> (own: RealtimeCounts, deviceCalls: Int) {
    realtime_watch_set_devices_apart(true)
    defer { realtime_watch_set_devices_apart(false) }
    let own = try counts(body)
    return (own, Int(realtime_watch_device_calls()))
  }
}

extension RealtimeCounts {
  init(_ counts: realtime_counts, seesSystemCalls: Bool) {
    self.init(
      allocations: Int(counts.allocations), frees: Int(counts.frees), locks: Int(counts.locks),
      systemCalls: seesSystemCalls ? Int(counts.system_calls) : nil,
      lastSystemCall: counts.system_calls > 0 ? Int(counts.last_system_call) : nil,
      minorFaults: Int(counts.minor_faults), majorFaults: Int(counts.major_faults),
      voluntarySwitches: Int(counts.voluntary_switches), involuntarySwitches: Int(counts.involuntary_switches)
    )
  }
}
