// SPDX-License-Identifier: Apache-2.0

public import RealtimeCore

/// The state of sound that is played live, at the end of a period.
public struct LiveStatus: Sendable {
  /// Frames that were executed, up to the end of the fade.
  public package(set) var position = 0
  /// The account of frames.
  public package(set) var account: StreamAccount
  /// The drift of the capturing device's clock in parts per million; NaN while not known.
  public package(set) var captureDrift = Double.nan
  /// The drift of the playing device's clock in parts per million; NaN while not known.
  public package(set) var playbackDrift = Double.nan
  /// Samples that came in at either end of the range.
  public package(set) var clippedIn = 0
  /// Samples that went out beyond full scale.
  public package(set) var clippedOut = 0
  /// Samples that came in as no finite number, and became silence.
  public package(set) var nonFiniteIn = 0
  /// Samples that went out as no finite number, and became silence.
  public package(set) var nonFiniteOut = 0
  /// How often a program began anew because samples that are not finite went on coming.
  public package(set) var renewals = 0
  /// Samples that asked for delays outside of their ranges.
  public package(set) var outsideDelays = 0

  @_noLocks package init(_ account: StreamAccount) { self.account = account }
}
