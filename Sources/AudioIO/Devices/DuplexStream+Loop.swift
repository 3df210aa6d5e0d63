// SPDX-License-Identifier: Apache-2.0

internal import CDeviceCalls
internal import Glibc

extension DuplexStream {
  /// Goes on until a period has come, at most for the time in which one should.
  @_noLocks package mutating func next() -> Step {
    precondition(course.filled < period, "finish follows a period")
    while !course.isOver {
      if !course.isRunning {
        begin()
        guard course.isRunning else { return course.isOver ? .ended : .nothing }
      }
      if overcomeConditions() { return course.isOver ? .ended : .nothing }
      if course.pending > 0 {
        let count = unsafe playback.write(outputRows, from: period - course.pending)
        if count > 0 {
          hand(count)
        } else if count < 0 && !Self.isBusy(count) {
          overcome(count, .playback)
          return course.isOver ? .ended : .nothing
        } else if !wait(for: .playback) {
          return course.isOver ? .ended : .nothing
        }
        continue
      }
      let available = look()
      if available < 0 {
        overcome(available, .capture)
        return course.isOver ? .ended : .nothing
      }
      guard available >= period - course.filled else {
        if !wait(for: .capture) { return course.isOver ? .ended : .nothing }
        continue
      }
      let count = unsafe capture.read(into: inputRows, at: course.filled, most: period - course.filled)
      if count > 0 {
        course.filled += count
        course.fetched += count
        account.framesIn += count
        move()
        if course.filled == period { return receive() }
      } else if count < 0 && !Self.isBusy(count) {
        overcome(count, .capture)
        return course.isOver ? .ended : .nothing
      } else if !wait(for: .capture) {
        return course.isOver ? .ended : .nothing
      }
    }
    return .ended
  }

  /// Hands the outputs over; what the device has no room for yet goes with the next call of `next`.
  @_noLocks package mutating func finish() {
    precondition(course.filled == period, "a period comes before finish")
    let busy = CDeviceNow() - course.came
    account.busy += busy
    account.longestBusy = max(account.longestBusy, busy)
    if busy > nanoseconds(ofFrames: period) { account.latePeriods += 1 }
    course.filled = 0
    course.pending = period
    let count = unsafe playback.write(outputRows, from: 0)
    // An error shows again in `next`, which overcomes it.
    guard count > 0 else { return }
    hand(count)
  }

  /// A whole period is there.
  @_noLocks private mutating func receive() -> Step {
    let now = CDeviceNow()
    if course.came > 0 { account.longestGap = max(account.longestGap, now - course.came) }
    course.came = now
    account.periods += 1
    let room = unsafe CDeviceAvailable(playback.handle.pcm)
    guard room >= 0 else { return .period }
    let fill = max(0, playback.setup.buffer - room)
    account.fill = fill
    account.leastFill = min(account.leastFill, fill)
    // What it was given and does not hold any more, it has played.
    _ = playbackClock.look(position: latency + course.handed - fill, at: CDeviceNow())
    return .period
  }

  /// The frames that can be fetched, or a negative error number; notes how far the device is.
  @_noLocks private mutating func look() -> Int {
    let available = unsafe CDeviceAvailable(capture.handle.pcm)
    guard available >= 0 else { return available }
    course.position = course.fetched + available
    course.asked = CDeviceNow()
    let vanished = captureClock.look(position: course.position, at: course.asked)
    if vanished > 0 { account.lose(vanished) }
    return available
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

  @_noLocks private mutating func move() { course.moved = CDeviceNow() }

  /// Waits until a direction may be ready; false where the time has run out or the wait failed, and that is dealt with.
  @_noLocks private mutating func wait(for direction: DeviceDirection) -> Bool {
    // Some devices tell where they are by their own, longer periods.
    let limit = 2 * nanoseconds(ofFrames: max(period, playback.setup.period)) + 100_000_000
    let left = limit - (CDeviceNow() - course.moved)
    guard left > 0 else {
      stall()
      return false
    }
    let milliseconds = Int32(truncatingIfNeeded: min(left / 1_000_000 + 1, 60_000))
    let (source, sink) = unsafe (capture.handle.pcm, playback.handle.pcm)
    let code =
      switch direction {
      case .capture:
        unsafe CDeviceWait(source, capture.pollCount, sink, playback.pollCount, descriptors, milliseconds)
      case .playback:
        unsafe CDeviceWait(sink, playback.pollCount, source, capture.pollCount, descriptors, milliseconds)
      }
    guard code < 0 else { return true }
    overcome(Int(code), direction)
    return false
  }

  @_noLocks func nanoseconds(ofFrames frames: Int) -> Int64 { Int64(frames) * 1_000_000_000 / Int64(rate) }

  /// Whether an error only says that there is nothing to do yet.
  @_noLocks private static func isBusy(_ code: Int) -> Bool { code == Int(-EAGAIN) || code == Int(-EINTR) }
}
