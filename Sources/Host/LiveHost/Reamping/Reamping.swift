// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Glibc
internal import GraphIR
internal import LiveEngine
internal import Synchronization

/// A sound that is played on devices while what comes back is recorded, frame for frame.
///
///     sound ─▶ playback ─▶ amplifier ─▶ capture ─▶ recording, a second longer
///
/// A recording with a gap is none: where periods are lost, the run ends with an error that says so.
package final class Reamping {
  /// The devices, as messages call them.
  package let place: String
  /// Notices about the devices, a line each.
  package let notices: [String]
  private let request: LiveRequest
  private let state: ReampState
  private var stream: DeviceStream?

  /// Opens the devices.
  ///
  /// - Parameters:
  ///   - request: the devices and how they are opened; of `inputs` the first is recorded, the first channel where none is
  ///     said; on `outputs` the sound is played, else on the first channel.
  ///   - sound: one channel.
  ///   - rate: frames per second.
  /// - Throws: `LiveError` where a device cannot be had.
  package init(_ request: LiveRequest, of sound: [Float], rate: Int) throws(LiveError) {
    let (input, outputs) = (request.inputs?.first ?? 0, request.outputs ?? [0])
    var lines: [String] = []
    let stream: DeviceStream
    do {
      stream = try Self.stream(request, rate: rate, input: input, outputs: outputs) { lines.append($0) }
    } catch {
      throw LiveError(error)
    }
    (self.request, notices) = (request, lines)
    place =
      request.capture == request.playback ? request.playback : "\(request.capture), \(request.playback)"
    state = ReampState(sound, tail: rate, input: input, outputs: outputs)
    self.stream = consume stream
  }

  private static func stream(
    _ request: LiveRequest, rate: Int, input: Int, outputs: [Int], _ say: (String) -> Void
  ) throws -> DeviceStream {
    let capture = try OpenDevice(request.capture, .capture) { _ in
      request.request(rate: rate, channels: input + 1)
    }
    let playback = try OpenDevice(request.playback, .playback) { _ in
      request.request(rate: rate, channels: (outputs.max() ?? 0) + 1)
    }
    for line in capture.setup.notices + playback.setup.notices { say(line) }
    say(capture.description)
    say(playback.description)
    let (source, sink) = (capture.setup, playback.setup)
    return try DeviceStream(
      capture: capture.handle, source, playback: playback.handle, sink, dither: request.dither)
  }

  /// Plays and records; called once.
  ///
  /// - Parameters:
  ///   - stopDescriptor: becomes readable when somebody asks for the end; -1 for none.
  ///   - progress: is told the seconds that have passed, some times a second.
  /// - Returns: what came back, as long as the sound and a second; nil where somebody asked for the end.
  /// - Throws: `LiveError` where a device is lost, or the recording has a gap.
  package func run(until stopDescriptor: Int32, _ progress: (Double) -> Void) throws(LiveError) -> [Float]? {
    guard let stream = stream.take() else { preconditionFailure("a sound is played once") }
    let rate = Double(stream.rate)
    let thread: AudioThread
    let state = state
    let box = StreamBox(stream)
    do throws(AudioThreadError) {
      thread = try AudioThread(named: "legato audio") { box.play(state) }
    } catch {
      throw LiveError(error)
    }
    var isAsked = false
    while true {
      var descriptors = [
        pollfd(fd: thread.endDescriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isAsked ? -1 : stopDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      _ = unsafe poll(&descriptors, 2, 200)
      if descriptors[1].revents != 0 {
        isAsked = true
        state.stop()
      }
      if descriptors[0].revents != 0 { break }
      progress(Double(state.position) / rate)
    }
    thread.join()
    if isAsked { return nil }
    if let end = box.end {
      throw LiveError(end, capture: request.capture, playback: request.playback, place: place)
    }
    let account = box.account
    let gaps = account.overruns + account.underruns + account.suspensions + account.stalls
    guard gaps == 0, account.framesLost == 0 else {
      throw .unstable(
        RequestError(
          "\(place): the recording has \(counted(max(1, gaps), "gap")); ask for a longer \(.period), or more \(.periods)"
        ))
    }
    return state.recording
  }
}

/// The sound that an audio thread plays, the memory in which it records, and how far it has come.
@safe private final class ReampState: @unchecked Sendable {
  /// The sound, and silence behind it.
  private let sound: PlanarBuffer
  private let recorded: PlanarBuffer
  private let input: Int
  private let outputs: [Int]
  private let frames = Atomic(0)
  private let isAsked = Atomic(false)

  init(_ sound: [Float], tail: Int, input: Int, outputs: [Int]) {
    self.sound = PlanarBuffer(channels: 1, capacity: sound.count + tail)
    recorded = PlanarBuffer(channels: 1, capacity: sound.count + tail)
    for (frame, sample) in sound.enumerated() { self.sound[0, frame] = sample }
    (self.input, self.outputs) = (input, outputs)
  }

  var position: Int { frames.load(ordering: .relaxed) }

  func stop() { isAsked.store(true, ordering: .relaxed) }

  var recording: [Float] {
    unsafe Array(UnsafeBufferPointer(start: recorded.rows[0], count: recorded.capacity))
  }

  /// Records and fills a period; returns whether there is more to do.
  func pass(_ stream: borrowing DeviceStream) -> Bool {
    let position = position
    let count = min(stream.period, sound.capacity - position)
    for channel in 0..<(unsafe stream.outputRows.count) {
      unsafe stream.outputRows[channel].update(repeating: 0, count: stream.period)
    }
    for output in outputs {
      unsafe stream.outputRows[output].update(from: sound.rows[0] + position, count: count)
    }
    unsafe (recorded.rows[0] + position).update(from: stream.inputRows[input], count: count)
    frames.store(position + count, ordering: .relaxed)
    return position + count < sound.capacity && !isAsked.load(ordering: .relaxed)
  }

  var isStopped: Bool { isAsked.load(ordering: .relaxed) }
}

/// The stream on its way to the thread, which is the only one that touches it until it has ended.
private final class StreamBox: @unchecked Sendable {
  private var stream: DeviceStream
  private(set) var account = StreamAccount()
  private(set) var end: StreamEnd?

  init(_ stream: consuming DeviceStream) { self.stream = stream }

  func play(_ state: ReampState) {
    var goesOn = true
    while goesOn {
      switch stream.next() {
      case .period:
        goesOn = state.pass(stream)
        stream.finish()
      case .nothing: goesOn = !state.isStopped
      case .ended:
        end = stream.end
        goesOn = false
      }
    }
    account = stream.account
  }
}
