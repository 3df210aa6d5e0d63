// SPDX-License-Identifier: Apache-2.0

/// How far a device had come since it was started, when it was last asked.
struct DevicePlace {
  var frames = 0
  /// In nanoseconds; 0 before the device was ever started.
  var asked: Int64 = 0

  @_noLocks init() {}
  @_noLocks init(_ frames: Int, at asked: Int64) { (self.frames, self.asked) = (frames, asked) }
}
