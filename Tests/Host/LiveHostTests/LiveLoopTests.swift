// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Legato
import LiveEngine
import LiveEquipment
import LiveHost
import RealtimeCore
import RealtimeWatch
import Synchronization
import TestEquipment
import Testing
import VirtualCards

/// The loop's work between the calls of the device takes nothing from the heap, no lock, and never enters the kernel
/// but to wait for the device.
@Suite(.enabled(if: Sanitizer.isAbsent)) struct LiveLoopTests {
  /// 40 periods, and those in which the device plays out.
  private static let frames = 40 * 1024
  private static let periods = 44

  private static let pulledCable = "pulled cable"
  private static let faults: [String: ScriptedFault] = [
    "xrun of capture": .capture(at: 9000, .xrun), "xrun of playback": .playback(at: 20_000, .xrun),
    "suspension": .both(at: 9000, .suspend(failures: 0)),
    pulledCable: .capture(at: 20_000, .unplug(absences: nil)),
  ]

  private func stream(_ fault: String?) throws -> DeviceStream {
    let settings = fault.flatMap { Self.faults[$0] }.map { CardSettings($0) }
    return try stream(on: VirtualCard(settings ?? CardSettings()))
  }

  private func stream(on card: VirtualCard) throws -> DeviceStream {
    var request = DeviceRequest(rate: 48000, channels: 2)
    request.period = 1024
    var capture = try DeviceHandle(opening: card.name, .capture)
    let captureSetup = try capture.setUp(request)
    var playback = try DeviceHandle(opening: card.name, .playback)
    let playbackSetup = try playback.setUp(request)
    return try DeviceStream(
      capture: capture, captureSetup, playback: playback, playbackSetup, dither: .none)
  }

  /// One program after another plays, while a parameter is turned and the devices have their bad days.
  @Test(
    .enabled(if: !RealtimeWatch.hasSanitizer, "the sanitizer would end the process where the loop waits"),
    arguments: [nil] + faults.keys.sorted().map { String?($0) })
  func addsNothingToTheDevice(fault: String?) throws {
    let parameters = ["gain": "{ \"default\": 1, \"minimum\": 0, \"maximum\": 2 }"]
    let programs = try ["delay(y, 100)", "delay(y, 90)"].map {
      try LiveModels.program(["y": "x * gain + 0.5 * \($0)"], parameters: parameters)
    }
    func live(_ program: Program) throws -> LiveProgram {
      try LiveProgram(program, contexts: 2, inputs: [0, 1], outputs: [0, 1], block: 1024)
    }
    let (old, edited) = (try live(programs[0]), try live(programs[1]))
    let mailbox = ProgramMailbox(channels: 2)
    let board = LiveBoard(inputs: 2, outputs: 2)
    var loop = LiveLoop(
      try stream(fault), LiveProcessor(old, from: mailbox, rate: 48_000), board: board, frames: Self.frames)
    mailbox.post(edited)
    // Turns the parameter meanwhile.
    let isOver = Atomic(false)
    let gain = edited.parameters[0]
    let turner = try AudioThread(named: "turner") {
      var value: Float = 0
      while !isOver.load(ordering: .relaxed) {
        gain.set(value)
        value = value < 2 ? value + 0.01 : 0
      }
    }
    let (own, deviceCalls) = RealtimeWatch.countsApartFromDevices { loop.run() }
    isOver.store(true, ordering: .relaxed)
    turner.join()
    #expect(own.offences == [])
    let account = board.status.account
    if fault == Self.pulledCable {
      #expect(loop.stream.end == .lost(.capture))
    } else {
      #expect(loop.stream.end == nil && board.status.position == Self.frames)
      #expect(account.periods == Self.periods)
    }
    #expect(
      account.overruns + account.underruns + account.suspensions
        == (fault == nil || fault == Self.pulledCable ? 0 : 1))
    #expect(deviceCalls > 4 * account.periods)
    #expect(mailbox.collect() === old)
  }

  /// The same while files stand in for what is heard and take what is played, programs take each other's place, and
  /// one of them is bypassed for some of the time.
  @Test(
    .enabled(if: !RealtimeWatch.hasSanitizer, "the sanitizer would end the process where the loop waits"))
  func filesAndSwapsAddNothing() throws {
    let programs = try ["0.5 * x + 0.5 * delay(y, 1000)", "0.5 * x + 0.25 * delay(y, 1000)"].map {
      try LiveModels.program(["y": $0], hasBypass: true)
    }
    func live(_ program: Program) throws -> LiveProgram {
      try LiveProgram(
        program, contexts: 2, inputs: [0, 1], outputs: [0, 1], block: 1024, bypass: "bypass")
    }
    let played = try [live(programs[0]), live(programs[1]), live(programs[0])]
    let mailbox = ProgramMailbox(channels: 2)
    let (feed, take) = (
      try SampleRing(channels: 2, capacity: 2 * Self.frames),
      try SampleRing(channels: 2, capacity: 2 * Self.frames)
    )
    let sound = PlanarBuffer(channels: 2, capacity: Self.frames)
    for (frame, sample) in LiveModels.noise(Self.frames).enumerated() {
      for channel in 0..<2 { sound[channel, frame] = sample }
    }
    withExtendedLifetime(sound) { _ = unsafe feed.writer.write(sound.rows, from: 0, frames: Self.frames) }
    let board = LiveBoard(inputs: 2, outputs: 2)
    var loop = LiveLoop(
      try stream(nil), LiveProcessor(played[0], from: mailbox, rate: 48_000),
      LiveFiles(feed: feed.reader, recorder: take.writer, recorded: [1, 0]), board: board,
      frames: Self.frames)
    // It rests from the first frame on, as does what takes its place, until somebody lets it be heard.
    @Sendable func bypass(_ value: Float) {
      for each in played { each.parameters.first { $0.name == "bypass" }?.set(value) }
    }
    bypass(1)
    mailbox.post(played[1])
    let isOver = Atomic(false)
    let collected = Atomic(0)
    let controller = try AudioThread(named: "controller") {
      while !isOver.load(ordering: .relaxed) {
        bypass(board.status.position / (8 * 1024) % 2 == 0 ? 1 : 0)
        guard mailbox.collect() != nil else { continue }
        if collected.add(1, ordering: .relaxed).newValue == 1 { mailbox.post(played[2]) }
      }
    }
    let (own, _) = RealtimeWatch.countsApartFromDevices { loop.run() }
    isOver.store(true, ordering: .relaxed)
    controller.join()
    if mailbox.collect() != nil { collected.add(1, ordering: .relaxed) }
    #expect(loop.stream.end == nil && board.status.position == Self.frames)
    #expect(loop.player.processor.position < Int64(Self.frames), "it never rested")
    let swaps = collected.load(ordering: .relaxed)
    #expect(swaps > 0, "nothing was swapped")
    #expect(take.reader.available == Self.frames && feed.reader.available == 0)
    #expect(own.offences == [])
  }

  /// Plays what comes in, by a scripted clock, on a card with these faults.
  private func play(
    _ script: [ScriptedFault], on board: LiveBoard, frames: Int?
  ) throws -> (card: VirtualCard, end: StreamEnd?) {
    var settings = CardSettings()
    (settings.pace, settings.script) = (.slept, script)
    let card = try VirtualCard(settings)
    let live = try LiveProgram(
      LiveModels.program(["y": "x"]), contexts: 2, inputs: [0, 1], outputs: [0, 1], block: 1024)
    let end = try ScriptedClock.run {
      var loop = LiveLoop(try stream(on: card), LiveProcessor(live), board: board, frames: frames)
      loop.run()
      return loop.stream.end
    }
    return (card, end)
  }

  /// The process stands still for half a second: both devices have their xrun, each with its own length.
  @Test func tellsHowLongXrunsWere() throws {
    let board = LiveBoard(inputs: 2, outputs: 2)
    let (card, _) = try play(
      [.capture(at: 20_000, .stall(milliseconds: 500))], on: board, frames: Self.frames)
    func position(_ stream: CardStream, _ action: String) throws -> Int {
      try #require(card.log.last { $0.stream == stream && $0.action == action }?.position)
    }
    let silent = try position(.playback, "start") - position(.playback, "underrun")
    let account = board.status.account
    #expect(board.xruns.map(\.kind) == [.overrun, .underrun])
    #expect(board.xruns.map(\.length) == [account.framesLost, account.framesSilent])
    #expect(silent > 0 && abs(account.framesSilent - silent) <= 1)
  }

  /// The device cannot begin again at once, and somebody has asked for the end: what was lost until then counts.
  @Test func tellsWhatABreakHasCostThatNothingEnds() throws {
    let board = LiveBoard(inputs: 2, outputs: 2)
    board.end()
    let (card, _) = try play([.capture(at: 3000, .refuse(attempts: 1))], on: board, frames: nil)
    let account = board.status.account
    #expect(account.framesIn == 2048 && abs(account.framesLost - (3000 - 2048)) <= 1, "\(account)")
    #expect(board.xruns.map(\.length) == [account.framesLost])
    #expect(try card.log.filter { $0.stream == .capture && $0.action == "start" }.count == 1)
  }

  /// Eleven within a second: the last one is not followed by another start.
  @Test func tellsHowLongTheLastOverrunWas() throws {
    let board = LiveBoard(inputs: 2, outputs: 2)
    let (_, end) = try play((1...30).map { .capture(at: 4000 * $0, .xrun) }, on: board, frames: nil)
    let lengths = board.xruns.map(\.length)
    #expect(end == .unstable && lengths.count == 11)
    #expect(try #require(lengths.last) > 0, "\(lengths)")
    #expect(lengths.reduce(0, +) == board.status.account.framesLost, "\(lengths)")
  }
}
