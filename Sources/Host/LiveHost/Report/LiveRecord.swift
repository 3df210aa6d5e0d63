// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
public import LiveEngine
public import RealtimeCore

/// The sum of what was played: in one session, or in several where devices were lost and came back.
public struct LiveRecord: Sendable {
  /// How often the devices were open and played.
  public private(set) var sessions = 0
  /// Frames that were executed.
  public private(set) var frames = 0
  /// The account of frames.
  public private(set) var account = StreamAccount()
  /// The first xruns, 64 at most, at frames of the whole run.
  public private(set) var xruns: [Xrun] = []
  /// Samples that came in at either end of the range.
  public private(set) var clippedIn = 0
  /// Samples that went out beyond full scale.
  public private(set) var clippedOut = 0
  /// Samples that came in as no finite number, and became silence.
  public private(set) var nonFiniteIn = 0
  /// Samples that went out as no finite number, and became silence.
  public private(set) var nonFiniteOut = 0
  /// How often a program began anew because samples that are not finite went on coming.
  public private(set) var renewals = 0
  /// Samples that asked for delays outside of their ranges.
  public private(set) var outsideDelays = 0
  /// Parts per million by which the capturing device's clock is fast, as the last session told that could.
  public private(set) var captureDrift: Double?
  /// Parts per million by which the playing device's clock is fast, as the last session told that could.
  public private(set) var playbackDrift: Double?
  /// Seconds from when frames moved last until it was noticed that the devices had ended a session; nil where they
  /// ended none.
  public private(set) var noticedAfter: Double?
  /// Seconds from then until the devices were closed.
  public private(set) var closedAfter: Double?

  mutating func add(_ status: LiveStatus, _ found: [Xrun]) {
    sessions += 1
    for var xrun in found where xruns.count < Xrun.most {
      xrun.position += frames
      xruns.append(xrun)
    }
    frames += status.position
    account.add(status.account)
    clippedIn += status.clippedIn
    clippedOut += status.clippedOut
    nonFiniteIn += status.nonFiniteIn
    nonFiniteOut += status.nonFiniteOut
    outsideDelays += status.outsideDelays
    renewals += status.renewals
    if !status.captureDrift.isNaN { captureDrift = status.captureDrift }
    if !status.playbackDrift.isNaN { playbackDrift = status.playbackDrift }
  }

  /// Notes how the devices ended a session, where they did.
  mutating func add(_ ending: StreamEnding?, closedAfter: Int64) {
    guard let ending else { return }
    noticedAfter = Double(ending.noticedAfter) * 1e-9
    self.closedAfter = Double(closedAfter) * 1e-9
  }

  /// The share of the sound's time that periods took; 1 is all of it.
  ///
  /// - Parameter rate: Frames per second.
  public func load(rate: Int) -> Double {
    frames > 0 ? Double(account.busy) * 1e-9 * Double(rate) / Double(frames) : 0
  }
}
