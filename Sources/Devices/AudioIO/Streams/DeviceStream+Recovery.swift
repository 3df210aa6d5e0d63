// SPDX-License-Identifier: Apache-2.0

internal import CDeviceCalls
internal import Glibc
internal import RealtimeCore

/// How often a stream may begin again within a second, and without having moved in both directions, before it gives up.
/// The second is for what goes wrong slowly: a device that stands still fails only a few times a second.
private let mostStartsInSecond = 10
private let mostVainStarts = 3
/// How often a device is asked to resume, 10 ms apart, before it is prepared anew.
private let mostResumes = 100

extension DeviceStream {
  /// Starts the directions that there are: emptied, prepared, playback filled with silence but for a period.
  @_noLocks mutating func begin() {
    unsafe _ = CDeviceDrop(source)
    if !isLinked { unsafe _ = CDeviceDrop(sink) }
    guard check(unsafe CDevicePrepare(sink), .playback), check(unsafe CDevicePrepare(source), .capture) else {
      return
    }
    guard check(Int32(truncatingIfNeeded: playback?.fill(latency) ?? 0), .playback) else { return }
    guard check(unsafe CDeviceStart(source), .capture) else { return }
    // Of linked devices the one starts with the other.
    let isStarted = unsafe CDeviceCondition(sink) == CDeviceRuns
    guard isStarted || check(unsafe CDeviceStart(sink), .playback) else { return }
    let now = CDeviceNow()
    endBreak(at: now)
    captureClock.start(at: now)
    playbackClock.start(at: now)
    course.isRunning = true
    course.handed = 0
    course.fetched = 0
    course.captured = DevicePlace(0, at: now)
    course.played = DevicePlace(0, at: now)
    course.moved = now
    if course.lastMoved == 0 { course.lastMoved = now }
    course.lateLooks = 0
  }

  /// Checks the states of both devices; true where something had to be done about one.
  @_noLocks mutating func overcomeConditions() -> Bool {
    let conditions = unsafe (CDeviceCondition(source), CDeviceCondition(sink))
    if let direction = gone(conditions.0, conditions.1) {
      conclude(.lost(direction))
    } else if conditions.0 == CDeviceSuspended || conditions.1 == CDeviceSuspended {
      resume()
    } else if conditions.0 == CDeviceXrun {
      restart(.overrun)
    } else if conditions.1 == CDeviceXrun {
      restart(.underrun)
    } else {
      return false
    }
    return true
  }

  /// The direction whose device is gone, where one is. Of linked ones both say so, and one is there all the same.
  @_noLocks private func gone(_ capture: CDeviceState, _ playback: CDeviceState) -> DeviceDirection? {
    guard capture == CDeviceGone || playback == CDeviceGone else { return nil }
    let isThere = unsafe (CDeviceIsThere(source), CDeviceIsThere(sink))
    if isThere.0 != isThere.1 { return isThere.0 ? .playback : .capture }
    return capture == CDeviceGone ? .capture : .playback
  }

  /// Recovers from an error of a call, where that is possible.
  @_noLocks mutating func overcome(_ code: Int, _ direction: DeviceDirection) {
    // The condition says more than the number.
    if overcomeConditions() { return }
    switch Int32(truncatingIfNeeded: -code) {
    case EPIPE:
      switch direction {
      case .capture: restart(.overrun)
      case .playback: restart(.underrun)
      }
    case ESTRPIPE: resume()
    case ENODEV, ENXIO, ENOENT: conclude(.lost(direction))
    case EBADFD, EIO: restart(.fault)
    case _: conclude(.failed(direction, code: Int32(truncatingIfNeeded: code)))
    }
  }

  /// Frames have not moved for too long.
  @_noLocks mutating func stall() {
    guard !overcomeConditions() else { return }
    restart(.stall)
  }

  /// Lets suspended devices go on, or be prepared anew; both begin again, so that they are as far apart as before.
  @_noLocks private mutating func resume() {
    var tries = 0
    while tries < mostResumes {
      tries += 1
      let waits = unsafe (isResuming(source), isResuming(sink))
      guard waits.0 || waits.1 else { break }
      CDevicePause(10)
    }
    restart(.suspension)
  }

  /// Asks a device to resume; true where it has not done so yet. One that cannot at all says so at once.
  @_noLocks private func isResuming(_ pcm: OpaquePointer?) -> Bool {
    guard unsafe CDeviceCondition(pcm) == CDeviceSuspended else { return false }
    let code = unsafe CDeviceResume(pcm)
    return code == -EAGAIN || (unsafe code == 0 && CDeviceCondition(pcm) == CDeviceSuspended)
  }

  /// Begins again after something went wrong, unless that happens too often.
  @_noLocks private mutating func restart(_ cause: StreamAccount.Cause) {
    switch cause {
    case .overrun: countXruns(overrun: true, underrun: false)
    case .underrun: countXruns(overrun: false, underrun: true)
    case .suspension, .stall, .fault: account.count(cause)
    }
    // Frames that the device holds, and has not played, are dropped with it; behind an underrun there are none.
    let room = unsafe CDeviceAvailable(sink)
    let held = room >= 0 ? max(0, buffer - room) : 0
    account.framesDropped += course.pending + min(course.handed, held)
    course.kept = unsafe source == nil ? latency + course.handed - held : course.fetched
    course.isBroken = true
    course.pending = 0
    playback?.drop()
    course.isRunning = false
    let now = CDeviceNow()
    if now - course.second > 1_000_000_000 {
      course.second = now
      course.startsInSecond = 0
    }
    course.startsInSecond += 1
    countVainStart()
    if course.startsInSecond > mostStartsInSecond {
      conclude(.unstable)
    } else if course.vainStarts > mostVainStarts {
      switch cause {
      case .stall: conclude(.silent)
      // Periods that take longer than they last are no sign of a device that is dead; none at all are one.
      case .overrun, .underrun, .suspension, .fault:
        conclude(account.periods == course.periodsBeforeVain ? .silent : .unstable)
      }
    } else {
      begin()
    }
  }

  /// Whether a call of `begin` went well; where it did not, that is counted or is the end.
  @_noLocks private mutating func check(_ code: Int32, _ direction: DeviceDirection) -> Bool {
    guard code < 0 else { return true }
    let gone = unsafe gone(CDeviceCondition(source), CDeviceCondition(sink))
    if let direction = gone ?? (code == -ENODEV ? direction : nil) {
      conclude(.lost(direction))
      return false
    }
    countVainStart()
    // A server that has ended breaks the pipe to it.
    if course.vainStarts > mostVainStarts {
      conclude(code == -EPIPE ? .silent : .failed(direction, code: code))
    }
    return false
  }

  @_noLocks private mutating func countVainStart() {
    if course.vainStarts == 0 { course.periodsBeforeVain = account.periods }
    course.vainStarts += 1
  }

  @_noLocks private mutating func conclude(_ end: StreamEnd) {
    self.end = end
    let now = CDeviceNow()
    ending = StreamEnding(noticed: now, after: course.lastMoved == 0 ? 0 : now - course.lastMoved)
    endBreak(at: now)
    course.isOver = true
    course.isRunning = false
  }
}
