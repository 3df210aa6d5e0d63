// SPDX-License-Identifier: Apache-2.0

internal import CDeviceCalls
internal import Glibc

/// Which directions an xrun befell, and for how long nothing was played.
///
///     last look          buffer empty        begun again
///     ───┬────────────────────┬┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┬─────▶ playback's clock
///        ├── left to play ────┤                  │
///        ├────── frames of the clock since ──────┤
///                             ├──── silent ──────┤ = frames since - left to play
///
/// The clock is the device's as it was estimated, the nominal one before that is known. A device that tells its
/// position by whole periods was up to one of them further at the last look: by so much the silence may be longer than
/// is told.
extension DeviceStream {
  /// Counts an xrun of one direction, or of both, where the other one has had its own meanwhile.
  ///
  /// - Parameters:
  ///   - overrun, underrun: what is known to have been.
  @_noLocks mutating func countXruns(overrun: Bool, underrun: Bool) {
    let counts = unsafe (CDeviceAvailable(source), CDeviceAvailable(sink))
    var isFull = overrun || counts.0 == Int(-EPIPE)
    var isDry = underrun || counts.1 == Int(-EPIPE)
    if isLinked && isFull && isDry {
      // The one that came to its end has stopped the other.
      let now = CDeviceNow()
      isDry = leftToPlay(at: now) <= leftToCapture(at: now)
      isFull = !isDry
    }
    if isFull { account.count(.overrun) }
    if isDry { account.count(.underrun) }
    course.isDry = course.isDry || isDry
  }

  /// Counts for how long playback, which begins again or is over, has had nothing to play.
  @_noLocks mutating func endSilence(at now: Int64) {
    guard course.isDry else { return }
    account.framesSilent += max(0, -leftToPlay(at: now))
    course.isDry = false
  }

  /// Frames that playback has left to play; below zero it has had none for so many.
  @_noLocks private func leftToPlay(at now: Int64) -> Int {
    latency + course.handed - course.played.frames - playbackClock.frames(in: now - course.played.asked)
  }

  /// Frames for which capture has room.
  @_noLocks private func leftToCapture(at now: Int64) -> Int {
    captureBuffer + course.fetched - course.captured.frames
      - captureClock.frames(in: now - course.captured.asked)
  }
}
