// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Glibc
internal import GraphIR
internal import Legato
internal import LiveEngine
internal import LiveHost
internal import NativeCode
internal import Synchronization

/// `legato live MODEL`: from the devices through a program and back, until somebody or something ends it.
///
///     open ─▶ play ─┬─ asked to end ─▶ fade, summary
///      ▲            └─ lost ─┬─ --wait ─▶ wait ─╮
///      ╰─────────────────────┼──────────────────╯
///                            ╰─ otherwise: exit 3
final class LiveRun {
  private let options: LiveOptions
  private let model: Model
  /// What stood in the model's files when it was read.
  private let contents: FileContents
  private let arguments: Arguments
  private let settings: [ParameterSetting]
  private let devices: LiveDevices
  private let feed: LiveFeed?
  private let recording: LiveRecording?
  private let report: LiveReport?
  private let midiOptions: MIDIOptions
  private let map: MIDIMap
  private let diversion = MessageDiversion()
  private var terminal: TerminalDisplay?
  private var port: MIDIPort?
  private var record = LiveRecord()

  init(_ arguments: Arguments) throws {
    let path = try arguments.operands("MODEL")[0]
    options = try LiveOptions(arguments)
    let compiler = try CompilerOptions(arguments, cache: .ofUser())
    midiOptions = try MIDIOptions(arguments)
    self.arguments = arguments
    let moment = FileMoment()
    model = try Model(path: path, arguments, moved: midiOptions.addresses)
    contents = FileContents(of: model.files, readSince: moment)
    guard model.executesStream else {
      throw Failure.failed("\(quoted(model.name)) executes steps; only models of streams, with frames, play")
    }
    if model.inputs.isEmpty, let option = [Option.capture, .inputs].first(where: arguments.has) {
      throw Failure.usage("\(quoted(model.name)) has no input; leave --\(option.name) out")
    }
    settings = try model.settings(arguments)
    map = try midiOptions.map(of: model)
    feed = try LiveFeed(arguments, model)
    devices = try LiveDevices(options, model, compiler, hearing: feed?.description)
    let sources = model.files + (feed.map { [$0.description.path] } ?? [])
    recording = try LiveRecording(arguments, against: sources)
    guard recording != nil || arguments.has(.report) || !arguments.has(.force) else {
      throw Failure.usage("--force goes with --record FILE or --report FILE")
    }
    report = try LiveReport(arguments, model: path, used: sources + (recording.map { [$0.path] } ?? []))
  }

  func run(_ console: Console) throws {
    Interruption.begin()
    var console = console
    console.diversion = diversion
    var failure: (any Error)?
    do {
      try play(console)
    } catch {
      failure = error
    }
    terminal?.close()
    record.say(devices.place, rate: devices.rate, console)
    if let losses = port?.losses, losses > 0 {
      console.notice(
        "midi: events came faster than they were taken, and were lost \(counted(losses, "time"))")
    }
    for finish in [
      { try self.feed?.finish(console) }, { try self.recording?.finish(rate: self.devices.rate, console) },
      {
        try self.report?.write(
          self.record, self.devices, self.feed, self.recording, eventsLost: self.port?.losses, failure,
          console)
      },
    ] {
      do {
        try finish()
      } catch {
        // What came first says more; both are said.
        if failure == nil { failure = error } else { say(error, console) }
      }
    }
    if let failure { throw failure }
    let request = Interruption.request.load(ordering: .relaxed)
    if request != 0 { Interruption.end(by: request) }
  }

  private func play(_ console: Console) throws {
    port = try midiOptions.port(console)
    let isLocked = LockedMemory.lock()
    let requests = Interruption.beginAsking()
    let waiting = DeviceWaiting(options.waits, requests: requests)
    guard var stream = try waiting.open(devices, [], isAgain: false, console) else { return }
    guard let routing = devices.routing else { preconditionFailure("devices that are open have a routing") }
    for line in routing.compilation.warnings(settingParameters: settings.values) { console.notice(line) }
    let program = try LiveProgram(
      routing.program, contexts: routing.contexts, inputs: routing.inputs, outputs: devices.playedRows,
      block: stream.period, bypass: routing.bypass)
    for setting in settings {
      program.parameters.first { $0.name == setting.name }?.set(setting.value)
    }
    try feed?.begin(rate: devices.rate, period: stream.period, console)
    try recording?.begin(channels: devices.played.count, rate: devices.rate, period: stream.period, console)
    let files = LiveFiles(
      feed: feed?.feed?.reader, recorder: recording?.recorder?.writer, recorded: devices.played)
    say(routing, stream.latency, console)
    let control = LiveControl(routing.model, program, preset: preset)
    let display = display(of: control, latency: stream.latency, console)
    let midi = port.map { midiOptions.control(control, map, $0) }
    if let midi { terminal?.learn = { [weak midi] name in midi?.learn(name) } }
    midi?.learnt = { [weak terminal] line in terminal?.endLearning(line) }
    let mailbox = ProgramMailbox(channels: program.channels)
    let reload = reload(program, mailbox, control, block: stream.period, console)
    let all: [(any LiveInput)?] = [terminal, midi, reload]
    let inputs = all.compactMap { $0 }
    var processor = LiveProcessor(program, from: mailbox, rate: devices.rate)
    while true {
      let period = stream.period
      let session = try LiveSession(
        stream, processor, files, inputs: devices.inputChannels, outputs: devices.outputChannels,
        frames: framesLeft)
      if record.sessions == 0 { warn(hasPriority: session.hasPriority, isLocked: isLocked, console) }
      let watch = LiveWatch(
        session, devices, period: period, requests: requests, display, inputs, recording, console)
      var displayed: (any Error)?
      do {
        try watch.run()
      } catch {
        session.board.end()
        displayed = error
      }
      let outcome = session.finish()
      // Whatever ended it, what was played counts.
      record.add(session.board.status, session.board.xruns)
      record.add(outcome.ending, closedAfter: outcome.closedAfter)
      if let displayed { throw displayed }
      // Who asked for the end, as the devices were lost, does not want them back.
      guard let end = outcome.end, !(watch.isToEnd && options.waits) else { return }
      let failure = Failure(end, of: devices)
      guard options.waits, case .absent(let lines) = failure else { throw failure }
      for line in lines { console.error(line) }
      processor = outcome.takeProcessor()
      guard let next = try waiting.open(devices, inputs, isAgain: true, console) else { return }
      stream = next
    }
  }

  /// What lets the model be edited while it plays; nil where it cannot be, or is not to be.
  private func reload(
    _ program: LiveProgram, _ mailbox: ProgramMailbox, _ control: LiveControl, block: Int, _ console: Console
  ) -> LiveReload? {
    guard !arguments.has(.noReload) else { return nil }
    let (arguments, path, moved) = (arguments, model.files[0], midiOptions.addresses)
    return LiveReload(
      model.files, contents, devices.binding(block: block), playing: program, mailbox, control, console
    ) {
      try Model(path: path, arguments, moved: moved)
    }
  }

  /// What shows how it goes: a view on a terminal, lines on one that has no places or where they are asked for.
  private func display(of control: LiveControl, latency: Int, _ console: Console) -> (any LiveDisplay)? {
    if options.isPlain { return PlainDisplay(console) }
    guard !console.isQuiet, TerminalState.isAtHand else { return nil }
    let traits = TerminalTraits { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
    // A report that is printed stands alone.
    guard traits.hasPlaces else { return report?.isPrinted == true ? nil : PlainDisplay(console) }
    terminal = TerminalDisplay(control, place: devices.place, latency: latency, traits, diversion, console)
    return terminal
  }

  /// The name of the preset that was asked for last.
  private var preset: String? {
    guard let address = arguments.values(of: .preset).last,
      case .name(let name) = model.preset(addressed: address)
    else { return nil }
    return name
  }

  private func say(_ error: any Error, _ console: Console) {
    for line in Failure(error).lines(of: "live") { console.error(line) }
  }

  private var framesLeft: Int? {
    options.seconds.map { max(1, Int(($0 * Double(devices.rate)).rounded()) - record.frames) }
  }

  private func say(_ routing: LiveRouting, _ buffered: Int, _ console: Console) {
    let late = buffered + routing.program.layout.latency
    let milliseconds = Double(late) / Double(devices.rate) * 1000
    let share =
      routing.program.layout.latency > 0 ? ", \(routing.program.layout.latency) of them the model's" : ""
    let contexts = routing.contexts > 1 ? ", \(routing.contexts) times side by side" : ""
    console.notice(
      "\(devices.place): \(quoted(model.name)) plays at \(devices.rate) Hz\(contexts), "
        + "late by \(decimals(milliseconds)) ms (\(counted(late, "frame"))\(share))")
  }

  private func warn(hasPriority: Bool, isLocked: Bool, _ console: Console) {
    let missing = [hasPriority ? nil : "priority over other programs", isLocked ? nil : "locked memory"]
    let names = missing.compactMap { $0 }
    guard !names.isEmpty else { return }
    console.notice(
      "live: the system grants the sound no \(alternatives(names)), so that it may break up under load; "
        + "rtprio and memlock in /etc/security/limits.conf grant them")
  }
}

extension Failure {
  /// Why a stream could not go on.
  fileprivate init(_ end: StreamEnd, of devices: LiveDevices) {
    func name(_ direction: DeviceDirection) -> String {
      switch direction {
      case .capture: devices.captureName
      case .playback: devices.playbackName
      }
    }
    switch end {
    case .lost(let direction):
      self = .absent([DeviceError(name(direction), direction, .lost).description])
    case .silent:
      self = .absent([
        "\(devices.place): nothing came or went any more, though it was begun again: the sound server has ended, or the device never started"
      ])
    case .unstable:
      self = .faults([
        "\(devices.place): the sound had to begin again too often; ask for a longer --period, or more --periods"
      ])
    case .failed(let direction, let code):
      let reason = unsafe String(cString: strerror(-code))
      self = .absent([
        DeviceError(name(direction), direction, .system("the device failed: \(reason)")).description
      ])
    }
  }
}
