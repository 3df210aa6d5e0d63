// SPDX-License-Identifier: Apache-2.0

internal import CDeviceCalls
internal import Glibc
internal import RealtimeCore

/// The directions of an xrun, the frames lost in a break, and the time without playback.
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
    let available = unsafe (CDeviceAvailable(source), CDeviceAvailable(sink))
    var isFull = overrun || available.0 == Int(-EPIPE)
    var isDry = underrun || available.1 == Int(-EPIPE)
    if isLinked && isFull && isDry {
      let now = CDeviceNow()
      switch Self.firstToEnd(leftToPlay: leftToPlay(at: now), leftToCapture: leftToCapture(at: now)) {
      case .capture: isDry = false
      case .playback: isFull = false
      }
    }
    if isFull { account.count(.overrun) }
    if isDry { account.count(.underrun) }
    course.isDry = course.isDry || isDry
  }

  /// The one of two linked directions whose xrun stopped the other: the one that had fewer frames left.
  ///
  /// - Parameters:
  ///   - leftToPlay: frames; below zero it has had none for so many.
  ///   - leftToCapture: frames for which there is room; below zero there has been none for so many.
  @_noLocks package static func firstToEnd(leftToPlay: Int, leftToCapture: Int) -> DeviceDirection {
    leftToPlay <= leftToCapture ? .playback : .capture
  }

  /// Counts what a break has cost so far, for who does not let the stream begin again.
  @_noLocks package mutating func settle() { endBreak(at: CDeviceNow()) }

  /// Counts what a break has cost that is over, as the stream begins again or ends.
  @_noLocks mutating func endBreak(at now: Int64) {
    guard course.isBroken else { return }
    course.isBroken = false
    endLoss(at: now)
    endSilence(at: now)
  }

  /// Counts what was captured up to the last look and not fetched, and what would have been since; or played.
  @_noLocks private mutating func endLoss(at now: Int64) {
    let (place, clock) =
      unsafe source == nil ? (course.played, playbackClock) : (course.captured, captureClock)
    account.lose(max(0, place.frames - course.kept + clock.frames(in: now - place.asked)))
  }

  /// Counts for how long playback has had nothing to play, where that was what broke the stream.
  @_noLocks private mutating func endSilence(at now: Int64) {
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
