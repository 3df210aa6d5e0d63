// SPDX-License-Identifier: Apache-2.0

/// The course of a stream so far; times in nanoseconds.
struct StreamCourse {
  var isRunning = false
  var isOver = false
  /// Frames of the period that came in so far.
  var filled = 0
  /// Frames of the outputs that the device has not taken yet.
  var pending = 0
  /// Frames fetched since the device was started.
  var fetched = 0
  /// The places up to which it was captured, and played.
  var captured = DevicePlace()
  var played = DevicePlace()
  /// Frames of the pacing device's, and of those since, that were fetched or played when it had to begin again.
  var kept = 0
  /// Whether it is to begin again and has not yet.
  var isBroken = false
  /// Whether playback ran out of frames and has not begun again.
  var isDry = false
  /// The time at which frames moved, or the devices were begun, last.
  var moved: Int64 = 0
  /// The time at which frames moved last, or the devices were begun first; 0 before.
  var lastMoved: Int64 = 0
  /// Looks since it is too long ago that frames moved.
  var lateLooks = 0
  /// The time at which the last period came.
  var came: Int64 = 0
  /// Frames that the device took since it was started.
  var handed = 0
  /// Starts since both directions moved.
  var vainStarts = 0
  /// The periods that had come when it did so first.
  var periodsBeforeVain = 0
  /// A second in which it began again, and how often.
  var second: Int64 = 0
  var startsInSecond = 0

  @_noLocks init() {}
}

/// The frames that a device had come since it was started, when it was last asked.
struct DevicePlace {
  var frames = 0
  /// In nanoseconds; 0 before the device was ever started.
  var asked: Int64 = 0

  @_noLocks init() {}
  @_noLocks init(_ frames: Int, at asked: Int64) { (self.frames, self.asked) = (frames, asked) }
}
