// SPDX-License-Identifier: Apache-2.0

/// What became of every frame of a stream, and how near it came to losing some.
///
///     framesIn + framesLost = what the device captured, to within a period
///     without capture: played, silence at each start included, + framesLost = what the device could have played
package struct StreamAccount: Equatable, Sendable {
  /// Why a stream had to begin again.
  package enum Cause: Equatable, Sendable {
    /// Captured sound was not fetched in time.
    case overrun
    /// Sound to play did not come in time.
    case underrun
    /// The machine slept.
    case suspension
    /// The device gave nothing for two periods and 100 ms.
    case stall
    /// The device was in a condition that only beginning again ends.
    case fault
  }

  package var framesIn = 0
  package var framesOut = 0
  /// Frames that were captured, or would have been, while nobody fetched them, until it began again or was over;
  /// without capture, those that would have been played while there were none.
  package var framesLost = 0
  /// The most that were lost at once.
  package var longestLoss = 0
  /// Frames that were made and not played, as the stream had to begin again.
  package var framesDropped = 0
  /// Frames that playback could have played while it had nothing to play: from when its buffer ran empty, in an
  /// underrun, until it began again or was over. Where the device tells its position by whole periods, that is within
  /// one of them.
  package var framesSilent = 0
  package var overruns = 0
  package var underruns = 0
  package var suspensions = 0
  package var stalls = 0
  package var faults = 0
  package var periods = 0
  /// The frames that were left to play when the last period had come, and the fewest that ever were; 0 and `Int.max`
  /// where nothing plays.
  package var fill = 0
  package var leastFill = Int.max
  /// The longest time between two periods, in nanoseconds.
  package var longestGap: Int64 = 0
  /// The time spent on periods between the calls of the device, in all and at most, in nanoseconds.
  package var busy: Int64 = 0
  package var longestBusy: Int64 = 0
  /// Periods that took longer than they last.
  package var latePeriods = 0

  @_noLocks package init() {}

  @_noLocks mutating func count(_ cause: Cause) {
    switch cause {
    case .overrun: overruns += 1
    case .underrun: underruns += 1
    case .suspension: suspensions += 1
    case .stall: stalls += 1
    case .fault: faults += 1
    }
  }

  @_noLocks mutating func lose(_ frames: Int) {
    framesLost += frames
    longestLoss = max(longestLoss, frames)
  }
}
