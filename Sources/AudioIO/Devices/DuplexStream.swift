// SPDX-License-Identifier: Apache-2.0

internal import CALSA
internal import CDeviceCalls
internal import Glibc

/// Sound that goes from one device through a program to another, or back to the same, a period at a time.
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
/// It begins by itself: playback is filled with silence first, but for one period, which is the latency of the way.
/// What befalls the devices it overcomes where that is possible, a bounded number of times, and keeps account of every
/// frame. It reserves all that it needs when it is made: `next` and `finish` neither allocate nor lock, and enter the
/// kernel only through the devices' calls and to look at the clock.
@safe package struct DuplexStream: ~Copyable {
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
  /// Frames of silence that are played before what came in first.
  package let latency: Int
  /// A row for each channel of the devices, valid as long as the stream.
  package let inputs: UnsafePointer<UnsafePointer<Float>?>
  package let outputs: UnsafePointer<UnsafeMutablePointer<Float>?>

  package internal(set) var account = StreamAccount()
  package internal(set) var end: StreamEnd?

  var capture: CapturePort
  var playback: PlaybackPort
  let isLinked: Bool
  private let inputBuffer: PlanarBuffer
  private let outputBuffer: PlanarBuffer
  let inputRows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>
  let outputRows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>
  let descriptors: UnsafeMutablePointer<pollfd>
  var course = StreamCourse()
  var captureClock: DeviceClock
  var playbackClock: DeviceClock

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
    let source = try CapturePort(capture, captureSetup, period: captureSetup.period)
    let sink = try PlaybackPort(playback, playbackSetup, period: captureSetup.period, dither: dither)
    // Two devices of one card can be; those of two cards, and most plugins, start one after the other.
    isLinked = unsafe snd_pcm_link(source.handle.pcm, sink.handle.pcm) >= 0
    period = captureSetup.period
    rate = captureSetup.rate
    latency = playbackSetup.buffer - captureSetup.period
    inputBuffer = PlanarBuffer(channels: captureSetup.channels, capacity: captureSetup.period)
    outputBuffer = PlanarBuffer(channels: playbackSetup.channels, capacity: captureSetup.period)
    unsafe inputRows = inputBuffer.rows
    unsafe outputRows = outputBuffer.rows
    let inputs = UnsafeMutablePointer<UnsafePointer<Float>?>.allocate(capacity: captureSetup.channels)
    let outputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>?>.allocate(
      capacity: playbackSetup.channels)
    for channel in 0..<captureSetup.channels {
      unsafe (inputs + channel).initialize(to: UnsafePointer(inputRows[channel]))
    }
    for channel in 0..<playbackSetup.channels {
      unsafe (outputs + channel).initialize(to: outputRows[channel])
    }
    unsafe self.inputs = UnsafePointer(inputs)
    unsafe self.outputs = UnsafePointer(outputs)
    let count = Int(source.pollCount + sink.pollCount)
    unsafe descriptors = .allocate(capacity: count)
    unsafe descriptors.initialize(repeating: pollfd(), count: count)
    captureClock = DeviceClock(rate: captureSetup.rate, period: captureSetup.period)
    playbackClock = DeviceClock(rate: captureSetup.rate, period: playbackSetup.period)
    self.capture = source
    self.playback = sink
  }

  deinit {
    unsafe _ = CDeviceDrop(capture.handle.pcm)
    unsafe _ = CDeviceDrop(playback.handle.pcm)
    unsafe descriptors.deallocate()
    unsafe inputs.deallocate()
    unsafe outputs.deallocate()
  }

  /// How much faster than it says a direction's clock is, in parts per million; nil for the first two seconds after it
  /// was started.
  @_noLocks package func drift(of direction: DeviceDirection) -> Double? {
    switch direction {
    case .capture: captureClock.drift
    case .playback: playbackClock.drift
    }
  }

  /// What was met in a channel on its way in, and on its way out.
  @_noLocks package func tally(ofInput channel: Int) -> SampleTally {
    capture.converter.tally(ofChannel: channel)
  }
  @_noLocks package func tally(ofOutput channel: Int) -> SampleTally {
    playback.converter.tally(ofChannel: channel)
  }
}

/// Where a stream is; times in nanoseconds.
struct StreamCourse {
  var isRunning = false
  var isOver = false
  /// Frames of the period that came in so far.
  var filled = 0
  /// Frames of the outputs that the device has not taken yet.
  var pending = 0
  /// Frames fetched since the device was started.
  var fetched = 0
  /// Frames that the device had captured since it was started, when it was last asked, and when that was.
  var position = 0
  var asked: Int64 = 0
  /// When frames last moved.
  var moved: Int64 = 0
  /// When the last period came.
  var came: Int64 = 0
  /// Frames that the device took since it was started.
  var handed = 0
  /// How often it began again since both directions moved.
  var vainStarts = 0
  /// A second in which it began again, and how often.
  var second: Int64 = 0
  var startsInSecond = 0

  @_noLocks init() {}
}
