// SPDX-License-Identifier: Apache-2.0

/// The reason why a stream cannot go on.
package enum StreamEnd: Equatable, Sendable {
  /// The device is gone: it was unplugged.
  case lost(DeviceDirection)
  /// The device gives nothing, though it was begun again: its server has ended, or it never started.
  case silent
  /// It had to begin again too often within a second.
  case unstable
  /// A call of the device failed with an error that nothing can be done about.
  case failed(DeviceDirection, code: Int32)
}

/// The end of a stream and the time at which it was noticed, in nanoseconds.
package struct StreamEnding: Equatable, Sendable {
  /// Of the clock that never jumps.
  package let noticed: Int64
  /// Since frames moved last, or the devices were begun first; 0 where they never were.
  package let noticedAfter: Int64

  @_noLocks init(noticed: Int64, after noticedAfter: Int64) {
    (self.noticed, self.noticedAfter) = (noticed, noticedAfter)
  }
}
