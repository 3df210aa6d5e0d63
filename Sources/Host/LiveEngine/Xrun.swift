// SPDX-License-Identifier: Apache-2.0

/// A gap in the sound: what came in was not fetched in time, or what was to be played did not come in time.
public struct Xrun: Equatable, Sendable {
  /// The direction that a gap is in.
  public enum Kind: String, Equatable, Sendable {
    /// Captured frames were not fetched in time.
    case overrun
    /// Frames to play did not come in time.
    case underrun
  }

  public let kind: Kind
  /// Frames of the sound that had gone by.
  public package(set) var position: Int
  /// The frames that were lost by an overrun; of an underrun, those for which playback had nothing to play.
  public let length: Int

  /// The most that a session and a run note: the first ones.
  package static var most: Int { @_noLocks get { 64 } }

  @_noLocks package init(_ kind: Kind, at position: Int, length: Int) {
    (self.kind, self.position, self.length) = (kind, position, length)
  }
}
