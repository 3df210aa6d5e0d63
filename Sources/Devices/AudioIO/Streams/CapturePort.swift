// SPDX-License-Identifier: Apache-2.0

internal import CALSA
internal import CDeviceCalls

/// The capture side of a stream: fetches a device's frames as planar floats.
@safe struct CapturePort: ~Copyable {
  let handle: DeviceHandle
  let setup: DeviceSetup
  let pollCount: Int32
  var converter: CaptureConverter
  private let buffer: PeriodBuffer
  private let mapped: MappedAreas

  init(_ handle: consuming DeviceHandle, _ setup: DeviceSetup, period: Int) throws(DeviceError) {
    var handle = handle
    try handle.setUpWaking(setup)
    let buffer = try PeriodBuffer(of: handle, setup, frames: period)
    unsafe pollCount = max(0, snd_pcm_poll_descriptors_count(handle.pcm))
    converter = CaptureConverter(format: setup.format, channels: setup.channels)
    self.buffer = buffer
    mapped = MappedAreas(channels: setup.channels)
    self.setup = setup
    self.handle = handle
  }

  /// Fetches up to `most` frames into the rows from `start` on; returns how many, 0 where there is nothing yet, or a
  /// negative error number.
  @_noLocks mutating func read(
    into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, at start: Int, most: Int
  ) -> Int {
    let pcm = unsafe handle.pcm
    if setup.access.isMapped {
      var offset: UInt = 0
      let shown = unsafe mapped.show(pcm, most, &offset)
      guard shown > 0 else { return shown }
      let frames = min(shown, most)
      unsafe converter.convert(mapped.samples, frames: frames, into: rows, at: start)
      return unsafe CDeviceCommit(pcm, offset, frames)
    }
    let frames = unsafe CDeviceRead(pcm, setup.access.isPlanar, buffer.rows(from: 0), most)
    if frames > 0 { unsafe converter.convert(buffer.samples, frames: frames, into: rows, at: start) }
    return frames
  }
}
