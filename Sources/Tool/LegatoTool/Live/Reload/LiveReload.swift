// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato
internal import LiveEngine

extension Option {
  static let noReload = Option("no-reload", "plays on as it is when the model's files are edited")
}

/// Lets an edited model take the place of the one that plays, on the thread that controls.
///
///     edited ─▶ ModelWatch: compiled ─▶ turned to where the parameters stand ─▶ mailbox ─▶ audio thread
///                           broken   ─▶ said, and what played plays on              ◀── the old one, freed here
final class LiveReload: LiveInput {
  /// A model that was edited, and its program for the open devices.
  struct Replacement: Sendable {
    let routing: LiveRouting
    let program: LiveProgram
  }

  private let watch: ModelWatch<Replacement>
  private let mailbox: ProgramMailbox
  private let control: LiveControl
  private let console: Console
  private let file: String
  private var playing: LiveProgram
  private var values = TurnedValues()

  /// Begins to watch; nil where the model cannot change, as from a pipe, or the system lets nothing be watched.
  ///
  /// - Parameters:
  ///   - files: the model's own first.
  ///   - contents: what stood in them when they were read.
  ///   - read: reads the model anew.
  init?(
    _ files: [String], _ contents: FileContents, _ binding: LiveBinding, playing: LiveProgram,
    _ mailbox: ProgramMailbox, _ control: LiveControl, _ console: Console,
    read: @escaping @Sendable () throws -> Model
  ) {
    let watch = ModelWatch<Replacement>(files, contents) {
      let model = try read()
      let (routing, program) = try binding.program(model)
      return (Replacement(routing: routing, program: program), model.files)
    }
    guard let watch else {
      if FileContents.isOrdinary(files[0]) {
        console.notice(
          "\(files[0]): the system lets no more files be watched; it plays on as it is when it is edited")
      }
      return nil
    }
    (self.watch, self.mailbox, self.control, self.console) = (watch, mailbox, control, console)
    self.playing = playing
    file = files[0]
  }

  var descriptors: [Int32] { [watch.descriptor] }

  func take() -> Bool {
    for news in watch.take() {
      switch news {
      case .made(let replacement): play(replacement)
      case .broken(let lines):
        // What is wrong comes last: the view shows the last line.
        console.notice("\(file): what was read before plays on")
        for line in lines { console.error(line) }
      case .missing: console.notice("\(file): no such file any more; what was read before plays on")
      case .restored: console.notice("\(file): is what plays")
      }
    }
    return true
  }

  func look() { mailbox.collect() }

  private func play(_ replacement: Replacement) {
    let program = replacement.program
    values.note(playing)
    values.turn(program)
    mailbox.collect()
    mailbox.post(program)
    control.replace(replacement.routing.model, program)
    let turned = Dictionary(uniqueKeysWithValues: program.parameters.map { ($0.name, $0.value) })
    for line in replacement.routing.compilation.warnings(settingParameters: turned) { console.notice(line) }
    let (before, after) = (playing.program.layout.latency, program.program.layout.latency)
    let change =
      before == after ? "" : "; the model is late by \(counted(after, "frame")), not \(before) any more"
    console.notice("\(file): reloaded\(change)")
    playing = program
  }
}
