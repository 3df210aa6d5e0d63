// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import Glibc
internal import GraphIR
internal import Legato
internal import LiveDrawing
internal import LiveHost
internal import Synchronization
internal import TerminalDrawing

/// Shows a run on the terminal, and turns its parameters by keys.
///
/// It draws twenty times a second, and as soon as a key was pressed; a terminal that is slow to take a picture misses
/// the next ones.
final class TerminalDisplay: LiveDisplay {
  let interval = 0.05
  private let control: LiveControl
  private let console: Console
  private let diversion: MessageDiversion
  private let player: LivePlayer
  private let traits: TerminalTraits

  private var controls = ViewControls()
  private var decoder = KeyDecoder()
  private var sawKey = false
  private var message = ""
  private var shown: Screen?
  private var output = TerminalOutput()
  private var levels = ViewLevels()
  private var preview: SinePreview?
  private var previewed: Int?
  private var reading: LiveReading?

  /// Takes the terminal, until `close`; nil where it cannot be had.
  init?(
    _ player: LivePlayer, _ control: LiveControl, _ traits: TerminalTraits, _ diversion: MessageDiversion,
    _ console: Console
  ) {
    guard TerminalState.enter() else { return nil }
    self.control = control
    self.console = console
    self.diversion = diversion
    self.player = player
    self.traits = traits
    diversion.show = { [weak self] line in self?.say(line) }
  }

  /// Gives the terminal back, and writes the messages that came meanwhile.
  func close() {
    TerminalState.leave()
    for line in diversion.end() { console.error(line) }
  }

  /// Shows a message at the bottom, until another one comes.
  func say(_ line: String) {
    message = line
    if reading != nil { draw() }
  }

  /// A controller was learnt.
  func endLearning(_ line: String) {
    controls.endLearning()
    say(line)
  }

  // MARK: keys

  /// Become readable when keys were pressed.
  let descriptors = [STDIN_FILENO]

  /// Takes the keys that were pressed; returns whether the sound goes on.
  func take() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
    // Readable, and nothing to read: the terminal is gone.
    guard count > 0 else { return count < 0 && (errno == EINTR || errno == EAGAIN) }
    sawKey = true
    var goesOn = true
    for key in decoder.feed(bytes.prefix(count)) where goesOn { goesOn = press(key) }
    if goesOn { draw() }
    return goesOn
  }

  /// Returns whether the sound goes on.
  private func press(_ key: Key) -> Bool {
    let rows = rows
    controls.note(preset: control.preset)
    let name = rows.indices.contains(controls.selected) ? rows[controls.selected].knob.name : ""
    let action = controls.press(
      key, rows: rows, presets: control.model.presets.count,
      proposing: control.ownPreset(ofModelWith: name) ?? "")
    guard let action else { return true }
    switch action {
    case .turn(let index, let value): control.set(rows[index].knob.name, to: value)
    case .enter(let index, let text):
      message = ""
      do throws(RequestError) {
        try control.set(rows[index].knob.name, typed: text)
      } catch {
        message = error.description
      }
    case .preset(let index): control.choose(preset: index)
    case .save(let index, let name):
      do throws(LiveError) {
        let file = try control.save(preset: name, ofModelWith: rows[index].knob.name)
        message = "\(file): the preset \(quoted(name)) is saved"
      } catch {
        message = Failure(error).lines(of: "live").last ?? ""
      }
    case .bypass:
      if control.isBypassed == nil {
        message = "this model has no bypass: its outputs are not like its inputs"
      }
      control.toggleBypass()
    case .resetPeaks: levels.reset()
    case .learn(let index): learn(index.map { rows[$0].knob.name })
    case .quit: return false
    }
    return true
  }

  private func learn(_ name: String?) {
    guard control.canLearn else {
      controls.endLearning()
      message = "to learn a controller, start with --midi"
      return
    }
    control.learn(name)
    message = name.map { "move the controller that is to turn \($0); Esc leaves it as it is" } ?? ""
  }

  /// The rows of parameters; the bypass has a place of its own.
  private var rows: [ViewContents.Row] {
    control.knobs.filter { $0.name != LiveControl.bypass }.map { knob in
      ViewContents.Row(
        knob: knob, value: control.value(of: knob), controller: control.controllers[knob.name] ?? "")
    }
  }

  // MARK: pictures

  func show(_ reading: LiveReading) throws(Failure) {
    self.reading = reading
    levels.note(reading, after: interval)
    // What did not follow an escape by now does not belong to it.
    if !sawKey, let key = decoder.pause() { _ = press(key) }
    sawKey = false
    draw()
  }

  private func draw() {
    if TerminalState.isStale.exchange(false, ordering: .relaxed) { (shown, output) = (nil, TerminalOutput()) }
    guard output.isClear() else { return }
    let size = TerminalState.size
    let drawn = ViewDrawing.screen(
      contents, columns: size.columns, rows: size.rows, traits.hasUnicode ? .unicode : .plain)
    let screen = traits.hasColor ? drawn : drawn.withoutColor
    output.send(TerminalSequences.whole(ScreenDifference.bytes(from: shown, to: screen)))
    shown = screen
  }

  private var contents: ViewContents {
    var contents = ViewContents(name: control.model.name)
    contents.rows = rows
    contents.selected = min(controls.selected, max(0, contents.rows.count - 1))
    contents.entry = controls.entry
    contents.nameEntry = controls.nameEntry
    contents.presets = control.model.presets.map(\.name)
    contents.preset = control.preset
    contents.isBypassed = control.isBypassed
    contents.message = message
    contents.showsHelp = controls.showsHelp
    (contents.inputs, contents.outputs) = (levels.inputs, levels.outputs)
    if let reading {
      contents.device = "\(player.place)  \(reading.rate) Hz"
      contents.status = levels.status(
        reading, latency: Double(player.latency ?? 0) / Double(reading.rate))
      if controls.showsWave, !controls.showsHelp { contents.wave = wave(rate: reading.rate) }
    }
    return contents
  }

  /// The sine through what plays.
  private func wave(rate: Int) -> ViewContents.Wave? {
    if previewed != control.generation {
      preview = SinePreview(control.program, rate: rate)
      previewed = control.generation
    }
    guard let preview else { return nil }
    preview.set(control.knobs.map { ($0.name, control.value(of: $0)) })
    preview.advance(atMost: .milliseconds(2))
    return ViewContents.Wave(
      input: preview.input, output: preview.output, hertz: preview.hertz, isSettled: preview.isSettled)
  }
}
