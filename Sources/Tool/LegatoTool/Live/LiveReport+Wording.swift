// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR
internal import LiveEngine
internal import LiveHost
internal import RealtimeCore

/// The summary of a run in a few lines.
extension LiveReport {
  /// Says what was played; nothing where nothing was.
  func say(_ console: Console) {
    if record.sessions > 0 {
      for line in lines { console.notice("\(place): \(line)") }
    }
    if let eventsLost, eventsLost > 0 {
      console.notice(
        "midi: events came faster than they were taken, and were lost \(counted(eventsLost, "time"))")
    }
  }

  private var lines: [String] {
    let account = record.account
    var lines = [
      "\(counted(record.frames, "frame")) (\(seconds(record.frames)) s), "
        + "\(counted(account.overruns, "overrun")), \(counted(account.underruns, "underrun")), "
        + "\(counted(account.framesLost, "frame")) lost"
        + (account.framesLost > 0 ? ", at most \(account.longestLoss) at once" : "")
        + (account.framesSilent > 0 ? ", \(account.framesSilent) silent" : "")
        + (account.framesDropped > 0 ? ", \(account.framesDropped) not played" : "")
    ]
    if !record.xruns.isEmpty { lines.append(firstXruns) }
    let others = [
      (account.suspensions, "suspension"), (account.stalls, "stall"), (account.faults, "fault"),
      (account.latePeriods, "late period"),
    ].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    if !others.isEmpty { lines.append(others.joined(separator: ", ")) }
    guard account.periods > 0 else { return lines }
    return lines + [timing] + samples
  }

  /// The first xruns: `overrun at 1.25 s of 512 frames, 3 more`.
  private var firstXruns: String {
    // More than that nobody reads.
    var parts = record.xruns.prefix(8).map { xrun in
      "\(xrun.kind.rawValue) at \(seconds(xrun.position)) s of \(counted(xrun.length, "frame"))"
    }
    let more = record.account.overruns + record.account.underruns - parts.count
    if more > 0 { parts.append("\(more) more") }
    return parts.joined(separator: ", ")
  }

  private var timing: String {
    func milliseconds(_ nanoseconds: Int64) -> String { decimals(Double(nanoseconds) * 1e-6) + " ms" }
    let account = record.account
    let drifts = [("capture", record.captureDrift), ("playback", record.playbackDrift)].compactMap {
      name, drift in
      drift.map { "\(name) \($0 < 0 ? "" : "+")\(Int($0.rounded())) ppm" }
    }
    return
      "load \(decimals(record.load(rate: rate) * 100)) %, a period took \(milliseconds(account.longestBusy)) at most; "
      + "periods came \(milliseconds(account.longestGap)) apart at most, with "
      + "\(counted(account.leastFill == .max ? 0 : account.leastFill, "frame")) left to play at least"
      + (drifts.isEmpty ? "" : "; clocks: " + drifts.joined(separator: ", "))
  }

  private var samples: [String] {
    [
      (record.clippedIn, "came in at full scale"),
      (record.clippedOut, "went out beyond full scale, held there"),
      (record.nonFiniteIn, "came in infinite or not a number, made silent"),
      (record.nonFiniteOut, "went out infinite or not a number, made silent"),
      (record.outsideDelays, "asked for delays outside of what the model keeps, and got the nearest"),
    ].filter { $0.0 > 0 }.map { "\(counted($0.0, "sample")) \($0.1)" }
      + (record.renewals == 0
        ? []
        : [
          "began anew \(counted(record.renewals, "time")), as infinite samples went on coming out of the model"
        ])
  }

  private func seconds(_ frames: Int) -> String { decimals(Double(frames) / Double(rate)) }

  /// Says what was missing of the input file; throws what was wrong with it.
  func sayInput(_ console: Console) throws {
    guard let input else { return }
    if input.missing > 0 {
      console.notice("\(input.file): \(counted(input.missing, "frame")) came too late, and were silent")
    }
    if input.nonFinite > 0 {
      console.notice(
        "\(input.file): \(counted(input.nonFinite, "sample")) infinite or not a number, made silent")
    }
    if let failure = input.failure { throw failure }
  }

  /// Says what became of the recording; throws where it is not all that was played.
  ///
  /// - Parameter isSaid: whether it was said already why it could not be written on.
  func sayRecording(_ isSaid: Bool, _ console: Console) throws {
    guard let recording else { return }
    let file = recording.file
    if recording.isKept {
      console.notice(
        "\(file): \(counted(recording.frames, "frame")) (\(seconds(recording.frames)) s) recorded")
    }
    if recording.clipped > 0 {
      console.notice("\(file): \(counted(recording.clipped, "sample")) beyond full scale clipped")
    }
    if recording.nonFinite > 0 {
      console.notice(
        "\(file): \(counted(recording.nonFinite, "sample")) infinite or not a number, made silent")
    }
    if case .file(let failure) = recording.failure {
      let what = recording.isKept ? "the recording is not whole" : "nothing was recorded"
      throw Failure.faults([isSaid ? "\(file): \(what)" : "\(file): \(what): \(failure.problem.sentence)"])
    }
    if recording.framesLost > 0 {
      console.notice("\(file): \(counted(recording.framesLost, "frame")) lost, as the disk was too slow")
    }
  }
}
