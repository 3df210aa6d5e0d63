// SPDX-License-Identifier: Apache-2.0

internal import CDeviceCalls

/// The clock by which devices are held to account, for who is not on the audio thread: it never jumps.
package enum MonotonicClock {
  /// Since some moment before; a signal handler may ask for it, too.
  package static var nanoseconds: Int64 { CDeviceNow() }
}
