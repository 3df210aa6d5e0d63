// SPDX-License-Identifier: Apache-2.0

internal import CALSA
internal import CDeviceCalls
internal import Glibc
package import RealtimeCore

/// A stream from a device through a program to a device, a period at a time.
///
///     capture ─▶ inputs ─▶ whoever owns the stream ─▶ outputs ─▶ playback
///
///     while true {
///       switch stream.next() {
///       case .period: …execute(frames: stream.period, inputs: stream.inputs, outputs: stream.outputs); stream.finish()
///       case .nothing: …look whether it is to end
///       case .ended: return stream.end
///       }
///     }
///
/// Either side may be missing. Without playback nothing becomes of the outputs; without capture a period comes whenever
/// there is room to play it, and whoever owns the stream fills the inputs.
///
/// It begins by itself: playback is filled with silence first, but for one period, which is the latency of the way. It
/// recovers from faults of the devices where that is possible, a bounded number of times, and accounts for every frame.
/// It reserves all that it needs when it is made: `next` and `finish` neither allocate nor lock, and enter the kernel
/// only through the devices' calls and to look at the clock.
@safe package struct DeviceStream: ~Copyable {
  package enum Step: Sendable {
    /// A period stands in the inputs; the outputs are to be filled, and `finish` is to be called.
    case period
    /// Nothing came within the time in which something should, or the stream had to begin again.
    case nothing
    /// The stream is over; `end` says why.
    case ended
  }

  /// The frames between two calls of `finish`.
  package let period: Int
  package let rate: Int
  /// Frames of silence that are played before the first period; none where nothing plays.
  package let latency: Int
  /// A row for each channel that comes in, and that goes out, valid as long as the stream.
  package let inputs: UnsafePointer<UnsafePointer<Float>?>
  package let outputs: UnsafePointer<UnsafeMutablePointer<Float>?>
  /// The same rows, for who fills the inputs or passes the outputs on.
  package let inputRows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>
  package let outputRows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>

  package internal(set) var account = StreamAccount()
  package internal(set) var end: StreamEnd?
  package internal(set) var ending: StreamEnding?

  /// Nil where a side is missing, of which all calls go well.
  let source: OpaquePointer?
  let sink: OpaquePointer?
  var capture: CapturePort?
  var playback: PlaybackPort?
  let sourceCount: Int32
  let sinkCount: Int32
  let isLinked: Bool
  /// Frames in playback's buffer, and in capture's.
  let buffer: Int
  let captureBuffer: Int
  /// Frames between two interrupts of the slower side.
  let longestPeriod: Int
  private let inputBuffer: PlanarBuffer?
  private let outputBuffer: PlanarBuffer?
  let descriptors: UnsafeMutablePointer<pollfd>
  var course = StreamCourse()
  var captureClock: DeviceClock
  var playbackClock: DeviceClock

  /// From one device to another, or back to the same.
  ///
  /// - Parameters:
  ///   - capture: a device and what it was set up with; its period is the stream's.
  ///   - playback: the same; its buffer has to hold two of these periods, its rate has to be the same.
  package init(
    capture: consuming DeviceHandle, _ captureSetup: DeviceSetup, playback: consuming DeviceHandle,
    _ playbackSetup: DeviceSetup, dither: Dither
  ) throws(DeviceError) {
    precondition(captureSetup.rate == playbackSetup.rate, "both devices run at one rate")
    guard playbackSetup.buffer >= 2 * captureSetup.period else {
      throw DeviceError(
        playback.device, .playback,
        .cannot(
          "the buffer of \(playbackSetup.buffer) frames does not hold two periods of \(captureSetup.period), which "
            + "the capturing device has; ask for a smaller period"))
    }
    let period = captureSetup.period
    try self.init(
      CapturePort(capture, captureSetup, period: period),
      PlaybackPort(playback, playbackSetup, period: period, dither: dither),
      inputs: captureSetup.channels, outputs: playbackSetup.channels, captureSetup, playbackSetup)
  }

  /// From a device to whoever owns the stream.
  ///
  /// - Parameter outputs: how many channels there is room for that nobody plays.
  package init(
    capture: consuming DeviceHandle, _ setup: DeviceSetup, outputs: Int
  ) throws(DeviceError) {
    try self.init(
      CapturePort(capture, setup, period: setup.period), nil, inputs: setup.channels, outputs: outputs, setup,
      nil)
  }

  /// From whoever owns the stream to a device.
  ///
  /// - Parameter inputs: how many channels there is room for that nobody captures.
  package init(
    playback: consuming DeviceHandle, _ setup: DeviceSetup, inputs: Int, dither: Dither
  ) throws(DeviceError) {
    try self.init(
      nil, PlaybackPort(playback, setup, period: setup.period, dither: dither), inputs: inputs,
      outputs: setup.channels, setup, setup)
  }

  /// - Parameters:
  ///   - pace: what the side that paces the stream was set up with.
  ///   - played: what playback was set up with; nil where nothing plays.
  private init(
    _ capture: consuming CapturePort?, _ playback: consuming PlaybackPort?, inputs: Int, outputs: Int,
    _ pace: DeviceSetup, _ played: DeviceSetup?
  ) throws(DeviceError) {
    let device = playback?.handle.device ?? capture?.handle.device ?? ""
    let (inputBuffer, outputBuffer) = (
      try Self.rows(inputs, pace, of: device), try Self.rows(outputs, pace, of: device)
    )
    (self.inputBuffer, self.outputBuffer) = (inputBuffer, outputBuffer)
    let source = unsafe capture?.handle.pcm
    let sink = unsafe playback?.handle.pcm
    sourceCount = capture?.pollCount ?? 0
    sinkCount = playback?.pollCount ?? 0
    // Two devices of one card can be linked; those of two cards, and most plugins, start one after the other.
    if let source = unsafe source, let sink = unsafe sink {
      isLinked = unsafe snd_pcm_link(source, sink) >= 0
    } else {
      isLinked = false
    }
    unsafe self.source = source
    unsafe self.sink = sink
    period = pace.period
    rate = pace.rate
    buffer = played?.buffer ?? 0
    captureBuffer = pace.buffer
    latency = played.map { $0.buffer - pace.period } ?? 0
    longestPeriod = max(pace.period, played?.period ?? 0)
    let none = unsafe UnsafeBufferPointer<UnsafeMutablePointer<Float>>(start: nil, count: 0)
    unsafe inputRows = inputBuffer?.rows ?? none
    unsafe outputRows = outputBuffer?.rows ?? none
    let inputTable = UnsafeMutablePointer<UnsafePointer<Float>?>.allocate(capacity: inputs)
    let outputTable = UnsafeMutablePointer<UnsafeMutablePointer<Float>?>.allocate(capacity: outputs)
    for channel in 0..<inputs {
      unsafe (inputTable + channel).initialize(to: UnsafePointer(inputRows[channel]))
    }
    for channel in 0..<outputs { unsafe (outputTable + channel).initialize(to: outputRows[channel]) }
    unsafe self.inputs = UnsafePointer(inputTable)
    unsafe self.outputs = UnsafePointer(outputTable)
    let count = Int(sourceCount + sinkCount)
    unsafe descriptors = .allocate(capacity: count)
    unsafe descriptors.initialize(repeating: pollfd(), count: count)
    captureClock = DeviceClock(rate: pace.rate, period: pace.period)
    playbackClock = DeviceClock(rate: pace.rate, period: longestPeriod)
    self.capture = capture
    self.playback = playback
  }

  /// Room for a period; nil where there are no channels.
  private static func rows(
    _ channels: Int, _ pace: DeviceSetup, of device: String
  ) throws(DeviceError) -> PlanarBuffer? {
    guard channels > 0 else { return nil }
    do throws(ContextError) {
      return try PlanarBuffer(reserving: channels, capacity: pace.period)
    } catch {
      throw DeviceError(device, nil, pace, error)
    }
  }

  deinit {
    unsafe _ = CDeviceDrop(source)
    unsafe _ = CDeviceDrop(sink)
    unsafe descriptors.deallocate()
    unsafe inputs.deallocate()
    unsafe outputs.deallocate()
  }

  /// Whether the devices are to begin again, so that it is not known yet what the break has cost.
  package var isBroken: Bool { @_noLocks get { course.isBroken } }

  /// The drift of a direction's clock in parts per million; nil for the first two seconds after its start, and where
  /// the direction is missing.
  @_noLocks package func drift(of direction: DeviceDirection) -> Double? {
    switch direction {
    case .capture: captureClock.drift
    case .playback: playbackClock.drift
    }
  }

  /// The tally of samples of one input channel.
  @_noLocks package func tally(ofInput channel: Int) -> SampleTally {
    switch capture {
    case .some(let port): port.converter.tally(ofChannel: channel)
    case .none: SampleTally()
    }
  }
  @_noLocks package func tally(ofOutput channel: Int) -> SampleTally {
    switch playback {
    case .some(let port): port.converter.tally(ofChannel: channel)
    case .none: SampleTally()
    }
  }
}
