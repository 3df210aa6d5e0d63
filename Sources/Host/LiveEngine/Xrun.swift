// SPDX-License-Identifier: Apache-2.0

package import AudioIO

/// A gap in the sound: what came in was not fetched in time, or what was to be played did not come in time.
package struct Xrun: Equatable, Sendable {
  /// Capture for an overrun, playback for an underrun.
  package var direction: DeviceDirection
  /// Frames that had gone by.
  package var position: Int
  /// The frames that were lost by an overrun; of an underrun, those for which playback had nothing to play.
  package var length: Int

  /// How many of them a session and a run note, the first ones: more nobody reads.
  package static var most: Int { @_noLocks get { 64 } }

  @_noLocks package init(_ direction: DeviceDirection, at position: Int, length: Int) {
    (self.direction, self.position, self.length) = (direction, position, length)
  }
}
