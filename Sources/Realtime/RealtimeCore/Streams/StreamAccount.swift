// SPDX-License-Identifier: Apache-2.0

/// The account of a stream's frames: what became of each, and how near the stream came to losing some.
///
///     framesIn + framesLost = what the device captured, to within a period
///     without capture: played, silence at each start included, + framesLost = what the device could have played
///
/// Whoever moves the periods writes it; who plays them, and who looks on, reads it.
public struct StreamAccount: Equatable, Sendable {
  /// The reason why a stream had to begin again.
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

  /// Frames that were captured and fetched.
  public package(set) var framesIn = 0
  /// Frames that were handed to playback.
  public package(set) var framesOut = 0
  /// Frames that were captured, or would have been, while nobody fetched them, until it began again or was over;
  /// without capture, those that would have been played while there were none.
  public package(set) var framesLost = 0
  /// The most frames that were lost at once.
  public package(set) var longestLoss = 0
  /// Frames that were made and not played, as the stream had to begin again.
  public package(set) var framesDropped = 0
  /// Frames that playback could have played while it had nothing to play: from when its buffer ran empty, in an
  /// underrun, until it began again or was over. Where the device tells its position by whole periods, that is within
  /// one of them.
  public package(set) var framesSilent = 0
  /// How often captured sound was not fetched in time.
  public package(set) var overruns = 0
  /// How often sound to play did not come in time.
  public package(set) var underruns = 0
  /// How often the machine slept.
  public package(set) var suspensions = 0
  /// How often the device gave nothing for two periods and 100 ms.
  public package(set) var stalls = 0
  /// How often the device was in a condition that only beginning again ends.
  public package(set) var faults = 0
  /// Periods that were executed.
  public package(set) var periods = 0
  /// The frames that were left to play when the last period had come; 0 where nothing plays.
  public package(set) var fill = 0
  /// The fewest frames that ever were left to play; `Int.max` where nothing plays.
  public package(set) var leastFill = Int.max
  /// The longest time between two periods, in nanoseconds.
  public package(set) var longestGap: Int64 = 0
  /// The time spent on periods between the calls of the device, in all, in nanoseconds.
  public package(set) var busy: Int64 = 0
  /// The longest time spent on one period, in nanoseconds.
  public package(set) var longestBusy: Int64 = 0
  /// Periods that took longer than they last.
  public package(set) var latePeriods = 0

  @_noLocks package init() {}

  @_noLocks package mutating func count(_ cause: Cause) {
    switch cause {
    case .overrun: overruns += 1
    case .underrun: underruns += 1
    case .suspension: suspensions += 1
    case .stall: stalls += 1
    case .fault: faults += 1
    }
  }

  @_noLocks package mutating func lose(_ frames: Int) {
    framesLost += frames
    longestLoss = max(longestLoss, frames)
  }

  /// Takes over what another stream met after this one.
  package mutating func add(_ other: StreamAccount) {
    framesIn += other.framesIn
    framesOut += other.framesOut
    framesLost += other.framesLost
    longestLoss = max(longestLoss, other.longestLoss)
    framesSilent += other.framesSilent
    framesDropped += other.framesDropped
    overruns += other.overruns
    underruns += other.underruns
    suspensions += other.suspensions
    stalls += other.stalls
    faults += other.faults
    periods += other.periods
    fill = other.fill
    leastFill = min(leastFill, other.leastFill)
    longestGap = max(longestGap, other.longestGap)
    busy += other.busy
    longestBusy = max(longestBusy, other.longestBusy)
    latePeriods += other.latePeriods
  }
}
