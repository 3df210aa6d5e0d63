// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Glibc
internal import GraphIR
internal import LiveEngine
internal import LiveHost
internal import RealtimeCore

/// Watches over a session on the thread that controls it: hands on the request to end, says what befalls the sound, and
/// has it shown.
final class LiveWatch {
  private let session: LiveSession
  private let place: String
  private let rate: Int
  private let period: Int
  private let requests: Int32
  private let display: (any LiveDisplay)?
  private let inputs: [any LiveInput]
  private let recording: LiveRecording?
  private let console: Console
  private var last: LiveReading?
  /// Whether somebody asked for the end.
  private(set) var isToEnd = false

  /// - Parameters:
  ///   - requests: becomes readable when somebody asks for the end.
  ///   - inputs: turn parameters, or ask for the end.
  init(
    _ session: LiveSession, _ devices: LiveDevices, period: Int, requests: Int32,
    _ display: (any LiveDisplay)?, _ inputs: [any LiveInput], _ recording: LiveRecording?, _ console: Console
  ) {
    self.session = session
    (place, rate) = (devices.place, devices.rate)
    self.period = period
    self.requests = requests
    self.display = display
    self.inputs = inputs
    self.recording = recording
    self.console = console
  }

  /// Returns when the session has ended.
  func run() throws {
    var next = now
    while true {
      next += display?.interval ?? 1
      while true {
        let left = next - now
        guard left > 0 else { break }
        let sources = inputs.flatMap { input in input.descriptors.map { (input, $0) } }
        var descriptors = [
          pollfd(fd: session.endDescriptor, events: Int16(POLLIN), revents: 0),
          // A request stays readable.
          pollfd(fd: isToEnd ? -1 : requests, events: Int16(POLLIN), revents: 0),
        ]
        for (_, descriptor) in sources where !isToEnd {
          descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
        _ = unsafe poll(&descriptors, nfds_t(descriptors.count), Int32(left * 1000) + 1)
        for ((input, _), ready) in zip(sources, descriptors.dropFirst(2)) where ready.revents != 0 {
          guard !input.take() else { continue }
          end()
        }
        if descriptors[1].revents != 0 { end() }
        if descriptors[0].revents != 0 {
          _ = look()
          return
        }
      }
      // Who was stopped for long does not catch up.
      next = max(next, now - 1)
      for input in inputs { input.look() }
      do {
        let reading = look()
        try display?.show(reading)
      } catch {
        session.board.end()
        throw error
      }
    }
  }

  private func end() {
    isToEnd = true
    session.board.end()
  }

  private func look() -> LiveReading {
    let reading = LiveReading(session.board, after: last, rate: rate, period: period)
    if let line = reading.status.account.trouble(since: last?.status.account ?? StreamAccount()) {
      console.notice("\(place): at \(decimals(reading.seconds)) s: \(line)")
    }
    last = reading
    recording?.look(console)
    return reading
  }

  /// Seconds of a clock that never jumps.
  private var now: Double { Double(MonotonicClock.nanoseconds) * 1e-9 }
}

extension StreamAccount {
  /// What went wrong since an earlier account; nil for nothing.
  func trouble(since last: StreamAccount) -> String? {
    let counts = [
      (overruns - last.overruns, "overrun"), (underruns - last.underruns, "underrun"),
      (suspensions - last.suspensions, "suspension"), (stalls - last.stalls, "stall"),
      (faults - last.faults, "fault"),
    ]
    var parts = counts.filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    if framesLost > last.framesLost { parts.append("\(counted(framesLost - last.framesLost, "frame")) lost") }
    if framesSilent > last.framesSilent {
      parts.append("\(counted(framesSilent - last.framesSilent, "frame")) silent")
    }
    if framesDropped > last.framesDropped {
      parts.append("\(counted(framesDropped - last.framesDropped, "frame")) not played")
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
