// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato
internal import LiveEngine
internal import RealtimeCore

/// What came of a run, as JSON, where `--report` says.
///
///     { "model": "models/bitcrusher.json", "rate": 48000, "period": 256, "latency": 768,
///       "frames": 480000, "framesLost": 512, "overruns": 1, "underruns": 0, …,
///       "xruns": [{ "direction": "capture", "position": 60160, "length": 512 }],
///       "capture": { "device": "hw:0", "format": "S32", … }, "playback": { … } }
struct LiveReport {
  /// Nil for the standard output.
  private let path: String?
  private let model: String
  private let replaces: Bool

  /// Nil where nobody asked for one. Throws where it could not be written in the end.
  init?(_ arguments: Arguments, model: String, used: [String]) throws {
    guard let name = arguments.value(of: .report) else { return nil }
    guard !name.isEmpty else { throw Failure.usage("--report is empty; name a file") }
    path = name == "-" ? nil : name
    self.model = model
    replaces = arguments.has(.force)
    guard let path else {
      guard !arguments.has(.plain) else {
        throw Failure.usage(
          "--report - and --plain both write to the standard output; name a file for the report")
      }
      return
    }
    try Destination.check(path, against: used)
    try TextFile.check(path, replaceExisting: replaces)
  }

  /// Whether it goes where results go.
  var isPrinted: Bool { path == nil }

  /// - Parameter eventsLost: how often MIDI events were; nil without MIDI.
  func write(
    _ record: LiveRecord, _ devices: LiveDevices, _ feed: LiveFeed?, _ recording: LiveRecording?,
    eventsLost: Int?, _ failure: (any Error)?, _ console: Console
  ) throws {
    let text = try json(
      Contents(record, devices, feed, recording, model: model, eventsLost: eventsLost, failure))
    guard let path else { return try console.print(text) }
    try TextFile.write(text, to: path, replaceExisting: replaces, pending: Interruption.pending)
  }

  private struct Contents: Encodable {
    let model: String
    let rate: Int
    /// Nil where no device was opened.
    let period, latency, modelLatency: Int?
    let capture, playback: Device?
    let sessions, frames, framesIn, framesOut, framesLost, longestLoss, framesDropped: Int
    /// For which playback had nothing to play.
    let framesSilent: Int
    let xruns: [XrunRow]
    let overruns, underruns, suspensions, stalls, faults, periods, latePeriods, outsideDelays: Int
    /// Of the time that the sound lasts.
    let load: Double
    /// Seconds.
    let longestPeriod, longestGap: Double
    let leastFill: Int?
    /// Seconds from when frames moved last until it was noticed that the devices had ended a session, and from then
    /// until they were closed; nil where they ended none.
    let noticedAfter, closedAfter: Double?
    let input: Input?
    let midi: MIDI?
    let recording: Recording?
    let error: String?

    init(
      _ record: LiveRecord, _ devices: LiveDevices, _ feed: LiveFeed?, _ recording: LiveRecording?,
      model: String, eventsLost: Int?, _ failure: (any Error)?
    ) {
      let account = record.account
      self.model = printablePath(model)
      rate = devices.rate
      period = (devices.captureSetup ?? devices.playbackSetup)?.period
      latency = devices.latency
      modelLatency = devices.routing?.program.layout.latency
      capture = devices.captureSetup.map {
        Device(
          devices.captureName, $0, clipped: record.clippedIn, nonFinite: record.nonFiniteIn,
          drift: record.captureDrift)
      }
      playback = devices.playbackSetup.map {
        Device(
          devices.playbackName, $0, clipped: record.clippedOut, nonFinite: record.nonFiniteOut,
          drift: record.playbackDrift)
      }
      (sessions, frames) = (record.sessions, record.frames)
      (framesIn, framesOut) = (account.framesIn, account.framesOut)
      (framesLost, longestLoss, framesDropped) = (
        account.framesLost, account.longestLoss, account.framesDropped
      )
      framesSilent = account.framesSilent
      xruns = record.xruns.map {
        XrunRow(direction: $0.direction, position: $0.position, length: $0.length)
      }
      (overruns, underruns) = (account.overruns, account.underruns)
      (suspensions, stalls, faults) = (account.suspensions, account.stalls, account.faults)
      (periods, latePeriods) = (account.periods, account.latePeriods)
      outsideDelays = record.outsideDelays
      load = record.load(rate: devices.rate)
      longestPeriod = Double(account.longestBusy) * 1e-9
      longestGap = Double(account.longestGap) * 1e-9
      leastFill = account.leastFill == .max ? nil : account.leastFill
      (noticedAfter, closedAfter) = (record.noticedAfter, record.closedAfter)
      input = feed.map { Input(file: printablePath($0.description.path), missing: $0.feed?.missing ?? 0) }
      midi = eventsLost.map { MIDI(eventsLost: $0) }
      self.recording = recording?.summary.map {
        Recording(
          file: printablePath($0.path), frames: $0.frames, framesLost: $0.framesLost,
          clipped: $0.clippedSamples, nonFinite: $0.nonFiniteSamples, isKept: $0.isKept)
      }
      error = failure.map { Failure($0).lines(of: "live").joined(separator: "\n") }
    }
  }

  /// An xrun, in frames.
  private struct XrunRow: Encodable {
    let direction: String
    let position, length: Int
  }

  private struct MIDI: Encodable {
    /// How often the system threw events away.
    let eventsLost: Int
  }

  private struct Input: Encodable {
    let file: String
    /// Frames that came too late.
    let missing: Int
  }

  private struct Recording: Encodable {
    let file: String
    let frames, framesLost, clipped, nonFinite: Int
    let isKept: Bool
  }

  private struct Device: Encodable {
    let device, format, access: String
    let channels, period, buffer, clipped, nonFinite: Int
    /// Parts per million by which its clock is fast.
    let drift: Double?

    init(_ name: String, _ setup: DeviceSetup, clipped: Int, nonFinite: Int, drift: Double?) {
      device = name
      (format, access) = (setup.format.name, setup.access.name)
      (channels, period, buffer) = (setup.channels, setup.period, setup.buffer)
      (self.clipped, self.nonFinite) = (clipped, nonFinite)
      self.drift = drift
    }
  }
}

extension Xrun {
  /// As devices are called that have one.
  fileprivate var direction: String {
    switch kind {
    case .overrun: DeviceDirection.capture.rawValue
    case .underrun: DeviceDirection.playback.rawValue
    }
  }
}
