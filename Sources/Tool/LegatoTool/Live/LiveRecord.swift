// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import LiveEngine
internal import RealtimeCore

/// What came of a run: of one session, or of several where devices were lost and came back.
struct LiveRecord {
  private(set) var sessions = 0
  private(set) var frames = 0
  private(set) var account = StreamAccount()
  /// The first ones, at frames of the whole run.
  private(set) var xruns: [Xrun] = []
  private(set) var clippedIn = 0
  private(set) var clippedOut = 0
  private(set) var nonFiniteIn = 0
  private(set) var nonFiniteOut = 0
  private(set) var outsideDelays = 0
  /// Parts per million, of the last session that told.
  private(set) var captureDrift: Double?
  private(set) var playbackDrift: Double?
  /// Of the last session that the devices ended: seconds from when frames moved last, or the devices were begun first,
  /// until that was noticed, and from then until they were closed.
  private(set) var noticedAfter: Double?
  private(set) var closedAfter: Double?

  /// More than that nobody reads in the summary.
  private static let mostSaid = 8

  mutating func add(_ status: LiveStatus, _ found: [Xrun]) {
    sessions += 1
    for var xrun in found where xruns.count < Xrun.most {
      xrun.position += frames
      xruns.append(xrun)
    }
    frames += status.position
    account.add(status.account)
    clippedIn += status.clippedIn
    clippedOut += status.clippedOut
    nonFiniteIn += status.nonFiniteIn
    nonFiniteOut += status.nonFiniteOut
    outsideDelays += status.outsideDelays
    if !status.captureDrift.isNaN { captureDrift = status.captureDrift }
    if !status.playbackDrift.isNaN { playbackDrift = status.playbackDrift }
  }

  /// Notes how the devices ended a session, where they did.
  mutating func add(_ ending: StreamEnding?, closedAfter: Int64) {
    guard let ending else { return }
    noticedAfter = Double(ending.noticedAfter) * 1e-9
    self.closedAfter = Double(closedAfter) * 1e-9
  }

  /// The share of the sound's time that periods took; 1 is all of it.
  func load(rate: Int) -> Double {
    frames > 0 ? Double(account.busy) * 1e-9 * Double(rate) / Double(frames) : 0
  }

  /// Says it in a few lines; nothing where nothing was played.
  func say(_ place: String, rate: Int, _ console: Console) {
    guard sessions > 0 else { return }
    func milliseconds(_ nanoseconds: Int64) -> String { decimals(Double(nanoseconds) * 1e-6) + " ms" }
    console.notice(
      "\(place): \(counted(frames, "frame")) (\(decimals(Double(frames) / Double(rate))) s), "
        + "\(counted(account.overruns, "overrun")), \(counted(account.underruns, "underrun")), "
        + "\(counted(account.framesLost, "frame")) lost"
        + (account.framesLost > 0 ? ", at most \(account.longestLoss) at once" : "")
        + (account.framesSilent > 0 ? ", \(account.framesSilent) silent" : "")
        + (account.framesDropped > 0 ? ", \(account.framesDropped) not played" : ""))
    if let line = said(rate: rate) { console.notice("\(place): \(line)") }
    let others = [
      (account.suspensions, "suspension"), (account.stalls, "stall"), (account.faults, "fault"),
      (account.latePeriods, "late period"),
    ].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    if !others.isEmpty { console.notice("\(place): \(others.joined(separator: ", "))") }
    guard account.periods > 0 else { return }
    let drifts = [("capture", captureDrift), ("playback", playbackDrift)].compactMap { name, drift in
      drift.map { "\(name) \($0 < 0 ? "" : "+")\(Int($0.rounded())) ppm" }
    }
    console.notice(
      "\(place): load \(decimals(load(rate: rate) * 100)) %, a period took \(milliseconds(account.longestBusy)) at most; "
        + "periods came \(milliseconds(account.longestGap)) apart at most, with "
        + "\(counted(account.leastFill == .max ? 0 : account.leastFill, "frame")) left to play at least"
        + (drifts.isEmpty ? "" : "; clocks: " + drifts.joined(separator: ", ")))
    let samples = [
      (clippedIn, "came in at full scale"), (clippedOut, "went out beyond full scale"),
      (nonFiniteIn, "came in infinite or not a number, made silent"),
      (nonFiniteOut, "went out infinite or not a number, made silent"),
      (outsideDelays, "asked for delays outside of what the model keeps, and got the nearest"),
    ]
    for (count, what) in samples where count > 0 {
      console.notice("\(place): \(counted(count, "sample")) \(what)")
    }
  }
}

extension LiveRecord {
  /// The first xruns, as the summary has them: `overrun at 1.25 s of 512 frames, 3 more`; nil for none.
  private func said(rate: Int) -> String? {
    guard !xruns.isEmpty else { return nil }
    var parts = xruns.prefix(Self.mostSaid).map { xrun in
      let seconds = decimals(Double(xrun.position) / Double(rate))
      return "\(xrun.kind.rawValue) at \(seconds) s of \(counted(xrun.length, "frame"))"
    }
    let more = account.overruns + account.underruns - parts.count
    if more > 0 { parts.append("\(more) more") }
    return parts.joined(separator: ", ")
  }
}
