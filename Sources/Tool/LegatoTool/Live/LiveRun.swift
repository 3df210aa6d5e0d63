// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Glibc
internal import GraphIR
internal import Legato
internal import LegatoTraining
internal import LiveHost
internal import TerminalDrawing

/// `legato live MODEL`: a player with what is said and shown of it, until somebody or something ends it.
final class LiveRun {
  private let player: LivePlayer
  /// The model's own file.
  private let file: String
  private let isPlain: Bool
  private let report: LiveReportFile?
  private let learning: LiveLearning?
  private let diversion = MessageDiversion()
  private var terminal: TerminalDisplay?
  private var hasRecordingFailed = false
  private var hasBegun = false

  init(_ arguments: Arguments) throws {
    learning = try LiveLearning(arguments)
    let path = try arguments.operands("MODEL")[0]
    var request = try LiveRequest(arguments)
    request.compiler = try CompilerOptions(arguments, keepsCode: true)
    let moved = request.controllers?.addresses ?? []
    var source = try LiveModel { try Model(path: path, arguments, moved: moved) }
    let model = source.model
    try model.checkNetwork()
    if model.inputs.isEmpty, let option = [Option.capture, .inputs].first(where: arguments.has) {
      throw Failure.usage("\(quoted(model.name)) has no input; leave --\(option.name) out")
    }
    request.settings = try model.settings(arguments)
    request.preset = arguments.values(of: .preset).last.flatMap { address in
      guard case .name(let name) = model.preset(addressed: address) else { return nil }
      return name
    }
    request.input = try LiveRequest.InputFile(arguments, model)
    let learned = learning.map { [$0.places.model, $0.places.weights] } ?? []
    let sources = model.files + learned + (learning?.sources ?? []) + (request.input.map { [$0.path] } ?? [])
    request.recording = try LiveRequest.RecordingFile(arguments, against: sources)
    guard request.recording != nil || arguments.has(.report) || learning != nil || !arguments.has(.force)
    else {
      throw Failure.usage("--force goes with --record FILE, --report FILE or --data")
    }
    let used = sources + (request.recording.map { [$0.path] } ?? [])
    (file, isPlain) = (learned.first ?? model.files[0], arguments.has(.plain))
    let file = file
    report = try LiveReportFile(arguments, model: learned.first ?? path, used: used)
    do {
      if let learning {
        // All else is right: what learns has files of its own from here on.
        try learning.write()
        source = try LiveModel { try Model(path: file, arguments, moved: moved) }
      }
      player = try LivePlayer(source, request)
    } catch {
      learning?.takeBack()
      throw error
    }
  }

  func run(_ console: Console) throws {
    Interruption.begin()
    var console = console
    console.diversion = diversion
    for note in learning?.notes ?? [] { console.notice(note) }
    var failure: (any Error)?
    do {
      try play(console)
    } catch {
      failure = error
    }
    if !hasBegun { learning?.takeBack() }
    terminal?.close()
    let summary = player.close()
    summary.say(console)
    for finish in [
      { try summary.sayInput(console) },
      { try self.learning?.end() },
      { try summary.sayRecording(self.hasRecordingFailed, console) },
      { try self.report?.write(summary, failure, console) },
    ] {
      do {
        try finish()
      } catch {
        // What came first says more; both are said.
        if failure == nil { failure = error } else { say(error, console) }
      }
    }
    if let failure { throw failure }
    Interruption.endIfAsked()
  }

  private func play(_ console: Console) throws {
    player.stopDescriptor = Interruption.beginAsking()
    player.onEvent = { [weak self] in self?.say($0, console) }
    guard try player.open(), let control = player.control else { return }
    sayWhatPlays(control, console)
    let display = display(of: control, console)
    try player.begin()
    hasBegun = true
    if let learning {
      try learning.begin()
      console.notice("\(file): learns: \(learning.beginning)")
    }
    sayWhatIsMissing(console)
    var next = now
    while player.state != .ended {
      next += display?.interval ?? 1
      while player.state != .ended {
        let left = next - now
        guard left > 0 else { break }
        let ready = try player.wait(atMost: left, orReadable: terminal?.descriptors ?? [])
        if !ready.isEmpty, terminal?.take() == false { player.stop() }
      }
      // Who was stopped for long does not catch up.
      next = max(next, now - 1)
      do {
        if let reading = player.look() { try display?.show(reading) }
        if learning?.takeEnd() == true {
          console.notice("\(file): learns no more, and plays on as it is")
        }
      } catch {
        player.stop()
        throw error
      }
    }
  }

  /// Seconds of a clock that never jumps.
  private var now: Double { Double(MonotonicClock.nanoseconds) * 1e-9 }

  /// The display of the run: a view on a terminal, lines on one without cursor addressing or where they are asked for.
  private func display(of control: LiveControl, _ console: Console) -> (any LiveDisplay)? {
    guard !console.isQuiet else { return nil }
    if isPlain { return PlainDisplay(console) }
    guard TerminalState.isAtHand else { return nil }
    let traits = TerminalTraits { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
    // A report that is printed stands alone.
    guard traits.hasPlaces else { return report?.isPrinted == true ? nil : PlainDisplay(console) }
    terminal = TerminalDisplay(player, control, traits, diversion, console)
    return terminal
  }

  // MARK: Messages

  private func say(_ error: any Error, _ console: Console) {
    for line in Failure(error).lines(of: "live") { console.error(line) }
  }

  private func say(_ event: LiveEvent, _ console: Console) {
    switch event {
    case .notice(let line): console.notice(line)
    case .waiting(let error): console.error("\(error); waiting for it")
    case .lost(let error): say(error, console)
    case .trouble(let trouble):
      console.notice("\(player.place): at \(decimals(trouble.seconds)) s: \(trouble.sentence)")
    case .recordingFailed(let error):
      hasRecordingFailed = true
      console.error("\(error); the sound goes on without it")
    case .reloaded(let reload):
      for line in reload.warnings { console.notice(line) }
      let (before, after) = (reload.latencyBefore, reload.latency)
      let change =
        before == after ? "" : "; the model is late by \(counted(after, "frame")), not \(before) any more"
      console.notice("\(file): \(learning?.takeNews() ?? "reloaded")\(change)")
    case .broken(let error):
      // What is wrong comes last: the view shows the last line.
      console.notice("\(file): what was read before plays on")
      say(error, console)
    case .missing: console.notice("\(file): no such file any more; what was read before plays on")
    case .restored: console.notice("\(file): is what plays")
    case .learnt(let controller, let parameter): terminal?.endLearning("\(controller) turns \(parameter)")
    }
  }

  private func sayWhatPlays(_ control: LiveControl, _ console: Console) {
    let (late, own) = (player.latency ?? 0, control.program.layout.latency)
    let milliseconds = Double(late) / Double(player.rate) * 1000
    let share = own > 0 ? ", \(own) of them the model's" : ""
    let contexts = player.contexts > 1 ? ", \(player.contexts) times side by side" : ""
    console.notice(
      "\(player.place): \(quoted(control.model.name)) plays at \(player.rate) Hz\(contexts), "
        + "late by \(decimals(milliseconds)) ms (\(counted(late, "frame"))\(share))")
    if let note = control.model.noteOnImport { console.notice("\(file): \(note)") }
  }

  private func sayWhatIsMissing(_ console: Console) {
    let names = [
      player.hasPriority ? nil : "priority over other programs",
      player.isMemoryLocked ? nil : "locked memory",
    ].compactMap { $0 }
    guard !names.isEmpty else { return }
    console.notice(
      "live: the system grants the sound no \(alternatives(names)), so that it may break up under load; "
        + "rtprio and memlock in /etc/security/limits.conf grant them")
  }
}

extension LiveTrouble {
  /// The trouble in one line: "1 overrun, 512 frames lost".
  fileprivate var sentence: String {
    let counts = [
      (overruns, "overrun"), (underruns, "underrun"), (suspensions, "suspension"), (stalls, "stall"),
      (faults, "fault"),
    ]
    var parts = counts.filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    if framesLost > 0 { parts.append("\(counted(framesLost, "frame")) lost") }
    if framesSilent > 0 { parts.append("\(counted(framesSilent, "frame")) silent") }
    if framesDropped > 0 { parts.append("\(counted(framesDropped, "frame")) not played") }
    return parts.joined(separator: ", ")
  }
}
