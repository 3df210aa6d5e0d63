// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Glibc
internal import GraphIR
public import Legato
internal import LiveEngine
internal import RealtimeCore

/// A player of a model on sound devices, while its parameters are turned and its files are edited.
///
///     let player = try LivePlayer(LiveModel(contentsOf: "models/echo.json"), LiveRequest(device: "hw:0"))
///     player.onEvent = { print($0) }
///     try player.start()
///     player.control?.set("feedback", to: 0.4)
///     while player.state != .ended {
///       try player.wait(atMost: 0.1)
///       if let reading = player.look() { show(reading.outputPeaks) }
///     }
///     let report = player.close()
///
/// The sound has a thread of its own, which never waits for this one:
///
///     open ─▶ begin ─▶ playing ─┬─ stop(), or the input's end ─▶ fade ─▶ ended
///                        ▲      └─ devices lost ─┬─ they are waited for ─▶ waiting ─╮
///                        ╰──────────────────────┼──────────────────────────────────╯
///                                                ╰─ otherwise: an error, ended
///
/// A player belongs to one thread at a time, which calls `wait` now and then: controllers, edits and lost devices are
/// looked after there. It prints nothing, and installs no handlers of signals; while a file is written, who uses it
/// ignores SIGXFSZ, or lets the process end by it.
public final class LivePlayer {
  /// The model that plays, with a bypass where that can be.
  public var model: Model { control?.model ?? source.model }
  /// How far a player has come.
  public enum State: Hashable, Sendable {
    /// Nothing plays yet.
    case idle
    case playing
    /// The devices are lost, and are waited for.
    case waiting
    case ended
  }

  /// Is told what happens, on the thread that calls the player.
  public var onEvent: ((LiveEvent) -> Void)?
  /// A descriptor that becomes readable, and stays so, when somebody asks for the end, as from a signal's handler; -1
  /// for none.
  public var stopDescriptor: Int32 = -1
  public private(set) var state = State.idle
  /// Whether somebody has asked for the end.
  public private(set) var isAskedToEnd = false
  /// The control of the parameters; nil before the devices are open.
  public private(set) var control: LiveControl?
  /// Whether the audio thread has real-time priority, as far as the system grants it.
  public private(set) var hasPriority = false
  /// Whether the process is kept in memory, as far as the system grants that.
  public private(set) var isMemoryLocked = false
  /// Frames per second.
  public var rate: Int { devices.rate }
  /// The devices, as messages call them.
  public var place: String { devices.place }
  /// How many contexts of the program run side by side, each on channels of its own.
  public var contexts: Int { devices.routing?.contexts ?? 1 }
  /// The latency of playback in frames: the devices' and the model's; nil before the devices were open.
  public var latency: Int? {
    devices.latency.map { $0 + (control?.program.layout.latency ?? 0) }
  }

  let request: LiveRequest
  let devices: LiveDevices
  let input: LiveInputFile?
  private let source: LiveModel
  private let map: MIDIMap
  private(set) var port: MIDIPort?
  private(set) var recorder: Recorder?
  private(set) var record = LiveRecord()
  private var midi: MIDIControl?
  private var reload: LiveReload?
  private var playing: LiveProgram?
  private var mailbox: ProgramMailbox?
  private var files = LiveFiles()
  private var stream: DeviceStream?
  private var processor: LiveProcessor?
  private var session: LiveSession?
  private var period = 0
  private var last: LiveReading?
  private var hasToldOfRecording = false
  /// The line that was told of devices that are waited for.
  private var told: String?
  private var retry = ContinuousClock.now

  /// The longest time that it waits at once, in seconds: the system counts milliseconds in 32 bits.
  private static let longestWait = 3600.0
  /// More frames than anything plays.
  private static let mostFrames = 0x1p53

  /// Prepares to play: nothing is opened yet, but for the input file.
  ///
  /// - Throws: `LiveError` where the request does not fit the model, or the input file cannot be read.
  public init(_ model: LiveModel, _ request: LiveRequest = LiveRequest()) throws(LiveError) {
    (source, self.request) = (model, request)
    (map, input, devices) = try LiveError.wrapping {
      try request.check(for: model.model)
      var map = MIDIMap(model.model)
      try map.add(request.controllers?.map ?? [], of: model.model)
      let input = try request.input.map { try LiveInputFile($0) }
      return (map, input, try LiveDevices(request, model.model, reading: input?.description))
    }
  }

  /// Opens the devices and begins to play.
  ///
  /// - Throws: `LiveError`, as `open` and `begin`.
  public func start() throws(LiveError) {
    if try open() { try begin() }
  }

  /// Opens the devices, compiles the model for them, and makes all ready; waits for devices where that is asked for.
  ///
  /// - Returns: False where somebody asked for the end meanwhile.
  /// - Throws: `LiveError` where a device, the model, a file or the controllers cannot be had.
  public func open() throws(LiveError) -> Bool {
    precondition(state == .idle && control == nil, "a player opens its devices once")
    return try LiveError.wrapping { try prepare() }
  }

  /// Begins to play on the devices that are open.
  ///
  /// - Throws: `LiveError` where the system gives no thread.
  public func begin() throws(LiveError) {
    guard state == .idle, let control, let playing, let mailbox else {
      preconditionFailure("a player begins once, on devices that are open")
    }
    if request.reloads, let read = source.read {
      reload = LiveReload(
        source.model.files, source.contents, devices.binding(block: period), playing: playing, mailbox,
        control,
        read: read
      ) { [weak self] in self?.tell($0) }
    }
    try beginSession()
  }

  /// Serves controllers, edits and devices for a time, or until something else has happened.
  ///
  /// - Parameters:
  ///   - seconds: The longest time that it waits, an hour at most; it ends earlier where it has done something, or the
  ///     sound has ended.
  ///   - others: Descriptors that are waited for, too, unless somebody has asked for the end.
  /// - Returns: Those that are readable.
  /// - Throws: `LiveError` where the devices are lost and not waited for; the player has ended then.
  @discardableResult
  public func wait(atMost seconds: Double, orReadable others: [Int32] = []) throws(LiveError) -> [Int32] {
    var left = max(0, seconds)
    switch state {
    case .idle, .ended: return []
    case .playing: break
    case .waiting: left = min(left, max(0, (retry - .now) / .seconds(1)))
    }
    let all: [(any LiveInput)?] = [midi, reload]
    let inputs = all.compactMap { $0 }
    let sources = inputs.flatMap { input in input.descriptors.map { (input: input, descriptor: $0) } }
    let own = [session?.endDescriptor ?? -1, isAskedToEnd ? -1 : stopDescriptor]
    let rest = isAskedToEnd ? [] : sources.map(\.descriptor) + others
    var descriptors = (own + rest).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = unsafe poll(&descriptors, nfds_t(descriptors.count), Int32(min(left, Self.longestWait) * 1000) + 1)
    for (source, ready) in zip(sources, descriptors.dropFirst(2)) where ready.revents != 0 {
      source.input.take()
    }
    if descriptors[1].revents != 0 { stop() }
    if descriptors[0].revents != 0 {
      try endSession()
    } else if state == .waiting {
      if isAskedToEnd { state = .ended } else if .now >= retry { try reopen() }
    }
    return descriptors.dropFirst(2 + sources.count).filter { $0.revents != 0 }.map(\.fd)
  }

  /// How it went since the last look, and how it stands; nil while nothing plays.
  @discardableResult
  public func look() -> LiveReading? {
    guard let session else { return nil }
    mailbox?.collect()
    let reading = LiveReading(session.board, after: last, rate: rate, period: period)
    if let trouble = LiveTrouble(
      reading.status.account, since: last?.status.account, after: reading.seconds)
    {
      tell(.trouble(trouble))
    }
    let renewals = reading.status.renewals
    if renewals > last?.status.renewals ?? 0 {
      tell(
        .notice(
          "\(model.name): infinite samples went on coming out of it; it forgot its past and began anew "
            + (renewals == 1 ? "once" : "\(renewals) times")))
    }
    last = reading
    lookAtRecording()
    return reading
  }

  /// Asks for the end: the sound fades, and `wait` sees that it has ended.
  public func stop() {
    isAskedToEnd = true
    session?.board.end()
    if state == .waiting { state = .ended }
  }

  /// Ends the sound with its fade, closes the devices and completes the recording; called once.
  ///
  /// - Returns: What came of all.
  public func close() -> LiveReport {
    if let session {
      session.board.end()
      _ = finish(session)
    }
    state = .ended
    input?.feed?.end()
    lookAtRecording()
    return LiveReport(self, recording: recorder?.finish())
  }

  // MARK: Opening

  private func prepare() throws -> Bool {
    if let controllers = request.controllers { port = try openPort(controllers) }
    isMemoryLocked = request.locksMemory && LockedMemory.lock()
    guard let stream = try openWhenThere() else {
      state = .ended
      return false
    }
    guard let routing = devices.routing else { preconditionFailure("devices that are open have a routing") }
    for line in routing.compilation.warnings(settingParameters: request.settings.values) {
      tell(.notice(line))
    }
    period = stream.period
    let program = try LiveProgram(
      routing.program, contexts: routing.contexts, inputs: routing.inputs, outputs: devices.playedRows,
      block: period, bypass: routing.bypass)
    for setting in request.settings {
      program.parameters.first { $0.name == setting.name }?.set(setting.value)
    }
    for notice in try input?.begin(rate: rate, period: period) ?? [] { tell(.notice(notice)) }
    if let file = request.recording {
      let recorder = try Recorder(
        path: file.path, channels: devices.played.count, sampleRate: rate, period: period,
        options: file.options,
        pending: request.pending)
      for notice in recorder.notices { tell(.notice(notice)) }
      self.recorder = recorder
    }
    files = LiveFiles(feed: input?.feed?.reader, recorder: recorder?.writer, recorded: devices.played)
    let control = LiveControl(routing.model, program, preset: request.preset)
    if let port {
      midi = MIDIControl(
        control, map, pickup: request.controllers?.waitsForPickup ?? false, descriptors: port.descriptors
      ) { port.next() }
      midi?.learnt = { [weak self] in self?.tell(.learnt(controller: $0, parameter: $1)) }
      control.learner = { [weak midi] in midi?.learn($0) }
    }
    let mailbox = ProgramMailbox(channels: program.channels)
    processor = LiveProcessor(program, from: mailbox, rate: rate)
    (self.control, self.mailbox, playing) = (control, mailbox, program)
    self.stream = consume stream
    return true
  }

  private func openPort(_ controllers: LiveRequest.Controllers) throws(MIDIError) -> MIDIPort {
    let port = try MIDIPort(named: controllers.port)
    for source in controllers.sources { try port.connect(from: source) }
    tell(.notice("midi: controllers turn parameters through port \(port.address), \(controllers.port)"))
    return port
  }

  /// Opens the devices, with a look once a second where one is absent; nil where somebody asks for the end meanwhile.
  private func openWhenThere() throws -> DeviceStream? {
    while true {
      if let stream = try openUnlessAbsent() { return stream }
      var request = pollfd(fd: stopDescriptor, events: Int16(POLLIN), revents: 0)
      while unsafe poll(&request, 1, max(0, Int32((retry - .now) / .milliseconds(1)))) < 0 {}
      if request.revents != 0 { isAskedToEnd = true }
      if isAskedToEnd { return nil }
    }
  }

  /// Opens the devices; nil where one is absent and is waited for.
  private func openUnlessAbsent() throws -> DeviceStream? {
    do {
      return try devices.open { tell(.notice($0)) }
    } catch let error as DeviceError {
      guard request.waitsForDevices, error.mayPass else {
        throw error.mayHaveHint ? try error.hinting(among: DeviceCatalog.entries().map(\.name)) : error
      }
      if told != error.description { tell(.waiting(.device(error))) }
      told = error.description
      retry = .now + .seconds(1)
      return nil
    }
  }

  private func reopen() throws(LiveError) {
    do {
      guard let stream = try openUnlessAbsent() else { return }
      self.stream = consume stream
      try beginSession()
    } catch {
      state = .ended
      throw LiveError(error)
    }
  }

  // MARK: Playing

  private func beginSession() throws(LiveError) {
    guard let stream = stream.take(), let processor = processor.take() else {
      preconditionFailure("a session has a stream and a processor")
    }
    period = stream.period
    let left = request.seconds.map {
      max(1, Int(min(($0 * Double(rate)).rounded(), Self.mostFrames)) - record.frames)
    }
    let session: LiveSession
    do {
      session = try LiveSession(
        stream, processor, files, inputs: devices.inputChannels, outputs: devices.outputChannels, frames: left
      )
    } catch {
      state = .ended
      throw LiveError(error)
    }
    if record.sessions == 0 { hasPriority = session.hasPriority }
    (self.session, last, state) = (session, nil, .playing)
    if isAskedToEnd { session.board.end() }
  }

  /// Follows the end of a session: it was asked for, or devices are lost.
  private func endSession() throws(LiveError) {
    guard let session else { return }
    look()
    let outcome = finish(session)
    state = .ended
    // Who asked for the end, as the devices were lost, does not want them back.
    guard let end = outcome.end, !(isAskedToEnd && request.waitsForDevices) else { return }
    let error = LiveError(end, of: devices)
    guard request.waitsForDevices, error.mayPass else { throw error }
    tell(.lost(error))
    processor = outcome.takeProcessor()
    (told, retry, state) = (nil, .now + .seconds(1), .waiting)
  }

  /// Waits until a session has ended; whatever ended it, what was played counts.
  private func finish(_ session: LiveSession) -> LiveOutcome {
    let outcome = session.finish()
    record.add(session.board.status, session.board.xruns)
    record.add(outcome.ending, closedAfter: outcome.closedAfter)
    self.session = nil
    return outcome
  }

  private func lookAtRecording() {
    guard !hasToldOfRecording, let failure = recorder?.failure else { return }
    hasToldOfRecording = true
    tell(.recordingFailed(.file(failure)))
  }

  private func tell(_ event: LiveEvent) { onEvent?(event) }
}
