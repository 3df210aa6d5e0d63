// SPDX-License-Identifier: Apache-2.0

import AudioIO
import RealtimeCore
import Testing
import VirtualCards

/// Whatever befalls a device, and however its clock drifts: what came in and what is told as lost are all that its
/// clock counted, to within a period. The clocks are scripted, so that nothing is left to the machine.
@Suite("Devices: the account of every frame")
struct StreamAccountTests {
  enum Mishap: CaseIterable {
    case none
    /// The process stands still for half a second.
    case stopped
    case suspended
    case suspendedForGood
    case overrun, underrun

    func faults(_ stream: CardStream) -> [ScriptedFault] {
      func fault(_ kind: ScriptedFault.Kind) -> [ScriptedFault] {
        stream == .capture ? [.capture(at: 6000, kind)] : [.playback(at: 6000, kind)]
      }
      return switch self {
      case .none: []
      case .stopped: fault(.stall(milliseconds: 500))
      case .suspended: fault(.suspend(failures: 3))
      case .suspendedForGood: fault(.suspend(failures: nil))
      case .overrun: stream == .capture ? fault(.xrun) : []
      case .underrun: stream == .playback ? fault(.xrun) : []
      }
    }

    /// How often the stream begins.
    var starts: Int { self == .none ? 1 : 2 }
  }

  private static let drifts = [0, 500, -500]
  private static let period = 256
  /// 2.2 seconds: enough to tell a drift, and two clocks are not a period apart yet.
  private static let periods = 420

  private func settings(_ faults: [ScriptedFault], drift: Int) -> CardSettings {
    var settings = CardSettings { $0.drift = drift }
    (settings.pace, settings.script) = (.slept, faults)
    return settings
  }

  /// The frames that a stream's clock had counted when it was stopped last.
  private func position(_ card: VirtualCard, _ stream: CardStream) throws -> Int {
    try #require(try card.log.last { $0.stream == stream && $0.action == "stop" }?.position)
  }

  private func expect(_ drift: Double?, near expected: Int) throws {
    let drift = try #require(drift)
    #expect(abs(drift - Double(expected)) < 10, "\(drift)")
  }

  @Test("from one card to another, whose clock drifts the other way", arguments: Mishap.allCases, drifts)
  func bothWays(_ mishap: Mishap, _ drift: Int) throws {
    let isOfPlayback = mishap == .underrun
    let microphone = try VirtualCard(settings(isOfPlayback ? [] : mishap.faults(.capture), drift: drift))
    let speaker = try VirtualCard(settings(isOfPlayback ? mishap.faults(.playback) : [], drift: -drift))
    let run = try ScriptedClock.run {
      try LoopedCard(microphone, playing: speaker, period: Self.period, periods: Self.periods)
    }
    let account = run.account
    #expect(run.end == nil && account.periods == Self.periods)
    #expect(try microphone.log.filter { $0.action == "start" }.count == mishap.starts)
    let rest = try position(microphone, .capture) - account.framesIn - account.framesLost
    #expect(abs(rest) < Self.period, "\(account) with \(rest) more")
    #expect((account.framesLost > 0) == (mishap != .none && mishap != .underrun))
    if mishap == .stopped {
      #expect((500_000_000..<520_000_000).contains(account.longestGap), "\(account)")
    }
    // Frames that were handed over, silence at each start included, were played or are told as dropped.
    let played = try speaker.playedRuns.reduce(0) { $0 + $1.count }
    let given = mishap.starts * run.latency + account.framesOut
    let left = given - account.framesDropped - played
    // One buffer is full of it. The script's underrun throws another one away, which a true one finds empty.
    let most = (isOfPlayback ? 8 : 4) * Self.period
    #expect((0...most).contains(left), "\(account) with \(left) left")
    try expect(run.drifts[0], near: drift)
    try expect(run.drifts[1], near: -drift)
  }

  /// Playback has three periods when the process begins to stand still, and capture room for nearly four.
  @Test(
    "an underrun is as long as playback had nothing to play, to the frame", arguments: [18, 100, 500], drifts)
  func silence(_ milliseconds: Int, _ drift: Int) throws {
    let stall = [ScriptedFault.capture(at: 6000, .stall(milliseconds: milliseconds))]
    let microphone = try VirtualCard(settings(stall, drift: drift))
    let speaker = try VirtualCard(settings([], drift: -drift))
    let run = try ScriptedClock.run {
      try LoopedCard(microphone, playing: speaker, period: Self.period, periods: Self.periods)
    }
    let account = run.account
    #expect(account.underruns == 1 && account.overruns == (milliseconds == 18 ? 0 : 1))
    let rest = try position(microphone, .capture) - account.framesIn - account.framesLost
    #expect(abs(rest) < Self.period, "\(account) with \(rest) more")
    try expect(account.framesSilent, on: speaker, milliseconds)
  }

  @Test("the same of playback alone, where it is what was lost", arguments: [100, 500], drifts)
  func silenceOfPlayback(_ milliseconds: Int, _ drift: Int) throws {
    let card = try VirtualCard(
      settings([.playback(at: 6000, .stall(milliseconds: milliseconds))], drift: drift))
    let run = try ScriptedClock.run {
      try OneWayCard(card, .playback, period: Self.period, periods: Self.periods)
    }
    #expect(run.account.underruns == 1 && run.account.framesSilent == run.account.framesLost)
    try expect(run.account.framesSilent, on: card, milliseconds)
  }

  /// Each time it begins again the process stands still before a second period was handed over, with 924 frames to
  /// play.
  @Test("an underrun that is the end counts, too")
  func silenceAtTheEnd() throws {
    let stalls = (0..<4).map { ScriptedFault.playback(at: 600 + 19_300 * $0, .stall(milliseconds: 400)) }
    let card = try VirtualCard(settings(stalls, drift: 0))
    let run = try ScriptedClock.run {
      try OneWayCard(card, .playback, period: Self.period, periods: Self.periods)
    }
    #expect(run.end == .unstable && run.account.underruns == 4)
    #expect(run.account.framesSilent > 4 * (19_200 - 1024), "\(run.account)")
  }

  /// The frames that the clock counted between the underrun and the next start. It is not known yet how far that clock
  /// is off.
  private func expect(_ silent: Int, on card: VirtualCard, _ milliseconds: Int) throws {
    let log = try card.log.filter { $0.stream == .playback }
    let empty = try #require(log.first { $0.action == "underrun" }?.position)
    let begun = try #require(log.last { $0.action == "start" }?.position)
    let most = 1 + 500e-6 * Double(milliseconds + 20) * 48
    #expect(begun > empty && abs(Double(silent - (begun - empty))) <= most, "\(silent) of \(begun - empty)")
  }

  @Test("capture alone", arguments: Mishap.allCases.filter { $0 != .underrun }, drifts)
  func capture(_ mishap: Mishap, _ drift: Int) throws {
    let card = try VirtualCard(settings(mishap.faults(.capture), drift: drift))
    let run = try ScriptedClock.run {
      try OneWayCard(card, .capture, period: Self.period, periods: Self.periods)
    }
    let account = run.account
    #expect(run.end == nil && account.periods == Self.periods)
    #expect(try card.log.filter { $0.action == "start" }.count == mishap.starts)
    let rest = try position(card, .capture) - account.framesIn - account.framesLost
    #expect(abs(rest) < Self.period, "\(account) with \(rest) more")
    #expect((account.framesLost > 0) == (mishap != .none))
    try expect(run.drifts[0], near: drift)
  }

  @Test("playback alone", arguments: Mishap.allCases.filter { $0 != .overrun }, drifts)
  func playback(_ mishap: Mishap, _ drift: Int) throws {
    let card = try VirtualCard(settings(mishap.faults(.playback), drift: drift))
    let run = try ScriptedClock.run {
      try OneWayCard(card, .playback, period: Self.period, periods: Self.periods)
    }
    let account = run.account
    #expect(run.end == nil && account.periods == Self.periods)
    #expect(try card.log.filter { $0.action == "start" }.count == mishap.starts)
    // Silence at each start is played, too.
    let played = try card.playedRuns.reduce(0) { $0 + $1.count }
    let rest = try position(card, .playback) - played - account.framesLost
    #expect(abs(rest) < Self.period, "\(account) with \(rest) more")
    #expect((account.framesLost > 0) == (mishap == .stopped))
    try expect(run.drifts[1], near: drift)
  }
}
