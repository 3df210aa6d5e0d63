// SPDX-License-Identifier: Apache-2.0

internal import CALSA
internal import CDeviceCalls

/// The playback side of a stream: hands planar floats to a device.
@safe struct PlaybackPort: ~Copyable {
  let handle: DeviceHandle
  let setup: DeviceSetup
  let pollCount: Int32
  var converter: PlaybackConverter
  private let buffer: PeriodBuffer
  private let silence: PeriodBuffer
  private let period: Int
  private let mapped: MappedAreas
  /// Whether the buffer holds the period that is being written.
  private var isConverted = false

  init(
    _ handle: consuming DeviceHandle, _ setup: DeviceSetup, period: Int, dither: Dither
  ) throws(DeviceError) {
    var handle = handle
    try handle.setUpWaking(setup)
    let buffer = try PeriodBuffer(of: handle, setup, frames: period)
    let silence = try PeriodBuffer(of: handle, setup, frames: period)
    unsafe pollCount = max(0, snd_pcm_poll_descriptors_count(handle.pcm))
    converter = PlaybackConverter(format: setup.format, channels: setup.channels, dither: dither)
    self.buffer = buffer
    self.silence = silence
    mapped = MappedAreas(channels: setup.channels)
    self.period = period
    self.setup = setup
    self.handle = handle
  }

  /// Hands over what the rows of a period hold from `start` on; returns how many frames, 0 where there is no room yet,
  /// or a negative error number. It begins with `start` 0, and goes on from where it came to.
  @_noLocks mutating func write(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, from start: Int
  ) -> Int {
    let pcm = unsafe handle.pcm
    if setup.access.isMapped {
      let room = unsafe CDeviceAvailable(pcm)
      guard room > 0 else { return room }
      var offset: UInt = 0
      let shown = unsafe mapped.show(pcm, period - start, &offset)
      guard shown > 0 else { return shown }
      let frames = min(shown, period - start)
      unsafe converter.convert(rows, from: start, frames: frames, into: mapped.samples)
      return unsafe CDeviceCommit(pcm, offset, frames)
    }
    // Each sample is converted once: noise that is drawn twice would not be the file's.
    if start == 0 && !isConverted {
      unsafe converter.convert(rows, from: 0, frames: period, into: buffer.samples)
      isConverted = true
    }
    let frames = unsafe CDeviceWrite(
      pcm, setup.access.isPlanar, false, buffer.rows(from: start), period - start)
    if frames > 0 && start + frames == period { isConverted = false }
    return frames
  }

  /// Lets the next write begin another period.
  @_noLocks mutating func drop() { isConverted = false }

  /// Fills a device that stands with so many frames of silence; 0, or a negative error number.
  @_noLocks mutating func fill(_ frames: Int) -> Int {
    let pcm = unsafe handle.pcm
    let access = setup.access
    var left = frames
    while left > 0 {
      let count = unsafe CDeviceWrite(
        pcm, access.isPlanar, access.isMapped, silence.rows(from: 0), min(left, period))
      guard count > 0 else { return count }
      left -= count
    }
    return 0
  }
}
