// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// Interruptions of the sound between two looks: how often it had to begin again, and at which cost.
public struct LiveTrouble: Hashable, Sendable {
  /// Seconds of sound that had gone by.
  public let seconds: Double
  /// How often captured sound was not fetched in time, and sound to play did not come in time.
  public let overruns, underruns: Int
  /// How often the machine slept, a device gave nothing, and a device was in a condition that only beginning again
  /// ends.
  public let suspensions, stalls, faults: Int
  /// Frames that were captured and not fetched; for which nothing was played; and that were made and not played.
  public let framesLost, framesSilent, framesDropped: Int

  /// Nil where nothing went wrong.
  ///
  /// - Parameter last: the account at the look before; nil at the first one.
  init?(_ account: StreamAccount, since last: StreamAccount?, after seconds: Double) {
    let last = last ?? StreamAccount()
    self.seconds = seconds
    (overruns, underruns) = (account.overruns - last.overruns, account.underruns - last.underruns)
    suspensions = account.suspensions - last.suspensions
    (stalls, faults) = (account.stalls - last.stalls, account.faults - last.faults)
    framesLost = account.framesLost - last.framesLost
    framesSilent = account.framesSilent - last.framesSilent
    framesDropped = account.framesDropped - last.framesDropped
    let counts = [
      overruns, underruns, suspensions, stalls, faults, framesLost, framesSilent, framesDropped,
    ]
    if counts.allSatisfy({ $0 <= 0 }) { return nil }
  }
}
