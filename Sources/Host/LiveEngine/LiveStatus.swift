// SPDX-License-Identifier: Apache-2.0

package import AudioIO

/// How sound that is played live is doing, at the end of a period.
package struct LiveStatus: Sendable {
  /// Frames that were executed, up to the end of the fade.
  package var position = 0
  package var account: StreamAccount
  /// Parts per million by which a device's clock is fast; no number while that is not known.
  package var captureDrift = Double.nan
  package var playbackDrift = Double.nan
  /// Samples at either end of the range that came in, and beyond it that went out.
  package var clippedIn = 0
  package var clippedOut = 0
  /// Samples that were no finite number, and became silence.
  package var nonFiniteIn = 0
  package var nonFiniteOut = 0
  /// Samples that asked for delays outside of their ranges.
  package var outsideDelays = 0

  @_noLocks init(_ account: StreamAccount) { self.account = account }
}
