// SPDX-License-Identifier: Apache-2.0

internal import CDeviceCalls
internal import Glibc
internal import RealtimeCore

extension DeviceStream {
  /// The outcome of a part of a period.
  private enum Progress {
    case goesOn
    /// A whole period stands in the inputs.
    case period
    /// Something had to be done about a device, or too much time has passed.
    case interrupted
  }

  /// Goes on until a period has come, at most for the time in which one should.
  @_noLocks package mutating func next() -> Step {
    precondition(course.filled < period, "finish follows a period")
    while !course.isOver {
      if !course.isRunning { begin() }
      guard course.isRunning, !overcomeConditions() else { break }
      switch advance() {
      case .goesOn: continue
      case .period: return receive()
      case .interrupted: return course.isOver ? .ended : .nothing
      }
    }
    return course.isOver ? .ended : .nothing
  }

  /// Hands the outputs over; what the device has no room for yet goes with the next call of `next`.
  @_noLocks package mutating func finish() {
    precondition(course.filled == period, "a period comes before finish")
    let busy = CDeviceNow() - course.came
    account.busy += busy
    account.longestBusy = max(account.longestBusy, busy)
    if busy > nanoseconds(ofFrames: period) { account.latePeriods += 1 }
    course.filled = 0
    guard let count = unsafe playback?.write(outputRows, from: 0) else { return }
    course.pending = period
    // An error shows again in `next`, which overcomes it.
    if count > 0 { hand(count) }
  }

  /// Plays pending outputs first, then fetches inputs, which can wait.
  @_noLocks private mutating func advance() -> Progress {
    if course.pending > 0 { return play() }
    return unsafe source == nil ? awaitRoom() : fetch()
  }

  /// Hands over what is left of the outputs.
  @_noLocks private mutating func play() -> Progress {
    let count = unsafe playback?.write(outputRows, from: period - course.pending) ?? 0
    if count > 0 {
      hand(count)
      return .goesOn
    }
    return goOn(after: count, .playback)
  }

  /// Fetches what there is of a period, once it is all there.
  @_noLocks private mutating func fetch() -> Progress {
    let missing = period - course.filled
    let available = unsafe CDeviceAvailable(source)
    guard available >= 0 else { return goOn(after: available, .capture) }
    look(position: course.fetched + available)
    guard available >= missing else { return goOn(after: 0, .capture) }
    let count = unsafe capture?.read(into: inputRows, at: course.filled, most: missing) ?? 0
    guard count > 0 else { return goOn(after: count, .capture) }
    course.filled += count
    course.fetched += count
    account.framesIn += count
    // Without playback, nothing else tells that the device is well.
    if unsafe sink == nil && course.fetched >= 2 * period { course.vainStarts = 0 }
    move()
    return course.filled == period ? .period : .goesOn
  }

  /// Waits for room to play a period, where nothing captures.
  @_noLocks private mutating func awaitRoom() -> Progress {
    let room = unsafe CDeviceAvailable(sink)
    guard room >= 0 else { return goOn(after: room, .playback) }
    look(position: played(room: room))
    guard room >= period else { return goOn(after: 0, .playback) }
    course.filled = period
    return .period
  }

  /// After a call that moved nothing: overcomes its error, or waits where it only said that there is nothing to do yet.
  @_noLocks private mutating func goOn(after count: Int, _ direction: DeviceDirection) -> Progress {
    if count < 0 && count != Int(-EAGAIN) && count != Int(-EINTR) {
      overcome(count, direction)
      return .interrupted
    }
    return wait(for: direction) ? .goesOn : .interrupted
  }

  /// A whole period is there.
  @_noLocks private mutating func receive() -> Step {
    let now = CDeviceNow()
    if course.came > 0 { account.longestGap = max(account.longestGap, now - course.came) }
    course.came = now
    account.periods += 1
    guard unsafe sink != nil else { return .period }
    let room = unsafe CDeviceAvailable(sink)
    guard room >= 0 else { return .period }
    account.fill = max(0, buffer - room)
    account.leastFill = min(account.leastFill, account.fill)
    if unsafe source != nil {
      course.played = DevicePlace(played(room: room), at: CDeviceNow())
      _ = playbackClock.look(position: course.played.frames, at: course.played.asked)
    }
    return .period
  }

  /// The frames that playback has played since it was started: what it was given and does not hold any more.
  @_noLocks func played(room: Int) -> Int { latency + course.handed - max(0, buffer - room) }

  /// Notes how far the device is that paces the stream.
  @_noLocks private mutating func look(position: Int) {
    let place = DevicePlace(position, at: CDeviceNow())
    var vanished = 0
    if unsafe source == nil {
      course.played = place
      vanished = playbackClock.look(position: position, at: place.asked)
    } else {
      course.captured = place
      vanished = captureClock.look(position: position, at: place.asked)
    }
    if vanished > 0 { account.lose(vanished) }
  }

  /// The device took so many frames.
  @_noLocks private mutating func hand(_ count: Int) {
    course.pending -= count
    course.handed += count
    account.framesOut += count
    // There was room for one period beside the silence: for a second one both directions have moved.
    if course.handed >= 2 * period { course.vainStarts = 0 }
    move()
  }

  @_noLocks private mutating func move() {
    course.moved = CDeviceNow()
    course.lastMoved = course.moved
    course.lateLooks = 0
  }

  /// Waits until a direction may be ready; false where the time has run out or the wait failed, and that is dealt with.
  @_noLocks private mutating func wait(for direction: DeviceDirection) -> Bool {
    // Some devices tell where they are by their own, longer periods.
    let limit = 2 * nanoseconds(ofFrames: max(period, longestPeriod)) + 100_000_000
    let left = max(0, limit - (CDeviceNow() - course.moved))
    if left == 0 {
      // Who was held up itself looks again before the device is to blame.
      course.lateLooks += 1
      guard course.lateLooks <= Self.mostLateLooks else {
        stall()
        return false
      }
    }
    let milliseconds = Int32(truncatingIfNeeded: min(left / 1_000_000 + 1, 60_000))
    let code =
      switch direction {
      case .capture: unsafe CDeviceWait(source, sourceCount, sink, sinkCount, descriptors, milliseconds)
      case .playback: unsafe CDeviceWait(sink, sinkCount, source, sourceCount, descriptors, milliseconds)
      }
    if code == Int32(CDeviceOtherGone.rawValue) {
      overcome(Int(-ENODEV), direction.other)
    } else if code < 0 {
      overcome(Int(code), direction)
    } else {
      return true
    }
    return false
  }

  /// A wait may end for what is not awaited, so that one look is too few.
  private static var mostLateLooks: Int { @_noLocks get { 5 } }

  @_noLocks func nanoseconds(ofFrames frames: Int) -> Int64 { Int64(frames) * 1_000_000_000 / Int64(rate) }
}
