// SPDX-License-Identifier: Apache-2.0

/// The progress of a stream; times in nanoseconds.
struct StreamCourse {
  var isRunning = false
  var isOver = false
  /// Frames of the period that came in so far.
  var filled = 0
  /// Frames of the outputs that the device has not taken yet.
  var pending = 0
  /// Frames fetched since the device was started.
  var fetched = 0
  /// The places of capture and playback in the stream.
  var captured = DevicePlace()
  var played = DevicePlace()
  /// Frames of the pacing device's, and of those since, that were fetched or played when it had to begin again.
  var kept = 0
  /// Whether it is to begin again and has not yet.
  var isBroken = false
  /// Whether playback ran out of frames and has not begun again.
  var isDry = false
  /// The last time that frames moved or the devices were begun.
  var moved: Int64 = 0
  /// The last time that frames moved, or that the devices were begun first; 0 before.
  var lastMoved: Int64 = 0
  /// How often it looked since it is too long ago that frames moved.
  var lateLooks = 0
  /// The time of the last period.
  var came: Int64 = 0
  /// Frames that the device took since it was started.
  var handed = 0
  /// How often it began again since both directions moved.
  var vainStarts = 0
  /// The periods that had come when it did so first.
  var periodsBeforeVain = 0
  /// A second in which it began again, and how often.
  var second: Int64 = 0
  var startsInSecond = 0

  @_noLocks init() {}
}
