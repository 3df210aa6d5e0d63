// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import LiveEngine
internal import RealtimeCore

/// The report of live play, which encodes itself as `legato live --report` writes it.
///
///     { "model": "models/bitcrusher.json", "rate": 48000, "period": 256, "latency": 768,
///       "frames": 480000, "framesLost": 512, "overruns": 1, "underruns": 0, …,
///       "xruns": [{ "direction": "capture", "position": 60160, "length": 512 }],
///       "capture": { "device": "hw:0", "format": "S32", … }, "playback": { … } }
public struct LiveReport: Sendable {
  /// The model's file, or its name.
  public var model: String
  /// Frames per second.
  public let rate: Int
  /// The devices, as messages call them.
  public let place: String
  /// The period and the latencies of the devices and the model, in frames; nil where no device was opened.
  public let period, latency, modelLatency: Int?
  /// Nil where nothing was opened, and where nothing is captured.
  public let capture, playback: Device?
  /// The record of the run.
  public let record: LiveRecord
  /// Nil where no file took the place of a device, or none was begun.
  public internal(set) var input: InputFile?
  /// Nil where nothing was recorded.
  public internal(set) var recording: RecordingFile?
  /// How often MIDI events came faster than they were taken, and were lost; nil without controllers.
  public let eventsLost: Int?
  /// The error that ended the run, if one did; set by whoever ran it.
  public var error: String?

  init(_ player: LivePlayer, recording summary: Recorder.Summary?) {
    let (devices, record) = (player.devices, player.record)
    model = player.model.name
    rate = devices.rate
    place = devices.place
    period = (devices.captureSetup ?? devices.playbackSetup)?.period
    latency = devices.latency
    modelLatency = (player.control?.program ?? devices.routing?.program)?.layout.latency
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
    self.record = record
    input = player.input.map { input in
      InputFile(
        file: input.description.path, missing: input.feed?.missing ?? 0,
        nonFinite: input.feed?.nonFiniteSamples ?? 0, failure: input.feed?.failure.map { .file($0) })
    }
    recording = summary.map {
      RecordingFile(
        file: $0.path, frames: $0.frames, framesLost: $0.framesLost, clipped: $0.clippedSamples,
        nonFinite: $0.nonFiniteSamples, isKept: $0.isKept, failure: $0.failure.map { .file($0) })
    }
    eventsLost = player.port?.losses
  }

  /// One direction of a device, as it was opened.
  public struct Device: Encodable, Sendable {
    /// Its name, the format of its samples, and how they get there.
    public let device, format, access: String
    /// Channels; frames of a period and of the buffer; samples at full scale, and that were no finite number.
    public let channels, period, buffer, clipped, nonFinite: Int
    /// Parts per million by which its clock is fast; nil while that is not known.
    public let drift: Double?

    init(_ name: String, _ setup: DeviceSetup, clipped: Int, nonFinite: Int, drift: Double?) {
      device = name
      (format, access) = (setup.format.name, setup.access.name)
      (channels, period, buffer) = (setup.channels, setup.period, setup.buffer)
      (self.clipped, self.nonFinite) = (clipped, nonFinite)
      self.drift = drift
    }
  }

  /// The file in the place of a capturing device.
  public struct InputFile: Sendable {
    public internal(set) var file: String
    /// Frames that came too late, and were silent.
    public let missing: Int
    /// Samples that were no finite number, and became silence.
    public let nonFinite: Int
    /// The error that ended reading before the end.
    public let failure: LiveError?
  }

  /// The file that took what was played.
  public struct RecordingFile: Sendable {
    public internal(set) var file: String
    /// Frames in the file, and frames that are not.
    public let frames, framesLost: Int
    /// Samples beyond full scale, and that were no finite number and became silence.
    public let clipped, nonFinite: Int
    /// Whether the file is in its place.
    public let isKept: Bool
    /// The error for which it ends too early, or there is none.
    public let failure: LiveError?
  }

  /// The same with another form of the files' names, as where they are printed.
  package func naming(_ form: (String) -> String) -> LiveReport {
    var report = self
    report.model = form(model)
    if let file = report.input?.file { report.input?.file = form(file) }
    if let file = report.recording?.file { report.recording?.file = form(file) }
    return report
  }
}

extension LiveReport: Encodable {
  public func encode(to encoder: any Encoder) throws { try Contents(self).encode(to: encoder) }

  private struct Contents: Encodable {
    let model: String
    let rate: Int
    let period, latency, modelLatency: Int?
    let capture, playback: Device?
    let sessions, frames, framesIn, framesOut, framesLost, longestLoss, framesDropped, framesSilent: Int
    let xruns: [XrunRow]
    let overruns, underruns, suspensions, stalls, faults, periods, latePeriods, outsideDelays, renewals: Int
    /// Of the time that the sound lasts.
    let load: Double
    /// Seconds.
    let longestPeriod, longestGap: Double
    let leastFill: Int?
    /// Seconds.
    let noticedAfter, closedAfter: Double?
    let input: InputRow?
    let midi: MIDIRow?
    let recording: RecordingRow?
    let error: String?

    init(_ report: LiveReport) {
      let (record, account) = (report.record, report.record.account)
      (model, rate, error) = (report.model, report.rate, report.error)
      (period, latency, modelLatency) = (report.period, report.latency, report.modelLatency)
      (capture, playback) = (report.capture, report.playback)
      (sessions, frames) = (record.sessions, record.frames)
      (framesIn, framesOut) = (account.framesIn, account.framesOut)
      (framesLost, longestLoss) = (account.framesLost, account.longestLoss)
      (framesDropped, framesSilent) = (account.framesDropped, account.framesSilent)
      xruns = record.xruns.map(XrunRow.init)
      (overruns, underruns) = (account.overruns, account.underruns)
      (suspensions, stalls, faults) = (account.suspensions, account.stalls, account.faults)
      (periods, latePeriods) = (account.periods, account.latePeriods)
      (outsideDelays, renewals) = (record.outsideDelays, record.renewals)
      load = record.load(rate: report.rate)
      longestPeriod = Double(account.longestBusy) * 1e-9
      longestGap = Double(account.longestGap) * 1e-9
      leastFill = account.leastFill == .max ? nil : account.leastFill
      (noticedAfter, closedAfter) = (record.noticedAfter, record.closedAfter)
      input = report.input.map { InputRow(file: $0.file, missing: $0.missing) }
      midi = report.eventsLost.map { MIDIRow(eventsLost: $0) }
      recording = report.recording.map(RecordingRow.init)
    }
  }

  /// An xrun, in frames.
  private struct XrunRow: Encodable {
    let direction: String
    let position, length: Int

    init(_ xrun: Xrun) {
      let direction: DeviceDirection =
        switch xrun.kind {
        case .overrun: .capture
        case .underrun: .playback
        }
      (self.direction, position, length) = (direction.rawValue, xrun.position, xrun.length)
    }
  }

  private struct MIDIRow: Encodable {
    let eventsLost: Int
  }

  private struct InputRow: Encodable {
    let file: String
    let missing: Int
  }

  private struct RecordingRow: Encodable {
    let file: String
    let frames, framesLost, clipped, nonFinite: Int
    let isKept: Bool

    init(_ file: RecordingFile) {
      (self.file, frames, framesLost) = (file.file, file.frames, file.framesLost)
      (clipped, nonFinite, isKept) = (file.clipped, file.nonFinite, file.isKept)
    }
  }
}
