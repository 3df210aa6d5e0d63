// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato
internal import LiveEngine
internal import Synchronization

/// The way of an edited model into the place of the one that plays, on the thread that controls.
///
///     edited ─▶ ModelWatch: compiled ─▶ turned to where the parameters stand ─▶ mailbox ─▶ audio thread
///                           broken   ─▶ told, and what played plays on              ◀── the old one, freed here
final class LiveReload: LiveInput {
  /// A model that was edited, and its program for the open devices.
  struct Replacement: Sendable {
    let routing: LiveRouting
    let program: LiveProgram
  }

  /// The program that plays, and what was turned of those before it, for both threads.
  private final class Playing: Sendable {
    private let state: Mutex<(program: LiveProgram, values: TurnedValues)>

    init(_ program: LiveProgram) { state = Mutex((program, TurnedValues())) }

    var program: LiveProgram {
      get { state.withLock { $0.program } }
      set { state.withLock { $0.program = newValue } }
    }

    /// Where parameters stand.
    var values: TurnedValues {
      state.withLock { state in
        state.values.note(state.program)
        return state.values
      }
    }
  }

  private let watch: ModelWatch<Replacement>
  private let mailbox: ProgramMailbox
  private let control: LiveControl
  private let tell: (LiveEvent) -> Void
  private let playing: Playing

  /// Begins to watch; nil where the model cannot change, as from a pipe, or the system lets nothing be watched.
  ///
  /// - Parameters:
  ///   - files: the model's own first.
  ///   - contents: what stood in them when they were read.
  ///   - read: reads the model anew.
  ///   - tell: takes what there is to tell.
  init?(
    _ files: [String], _ contents: FileContents, _ binding: LiveBinding, playing: LiveProgram,
    _ mailbox: ProgramMailbox, _ control: LiveControl, read: @escaping @Sendable () throws -> Model,
    tell: @escaping (LiveEvent) -> Void
  ) {
    let standing = Playing(playing)
    let watch = ModelWatch<Replacement>(files, contents) {
      let model = try read()
      let (routing, program) = try binding.program(model, values: standing.values.values)
      return (Replacement(routing: routing, program: program), model.files)
    }
    guard let watch else {
      if let file = files.first, FileContents.isOrdinary(file) {
        tell(
          .notice(
            "\(file): the system lets no more files be watched; it plays on as it is when it is edited"))
      }
      return nil
    }
    (self.watch, self.mailbox, self.control, self.tell) = (watch, mailbox, control, tell)
    self.playing = standing
  }

  var descriptors: [Int32] { [watch.descriptor] }

  func take() {
    for news in watch.take() {
      switch news {
      case .made(let replacement): play(replacement)
      case .broken(let error): tell(.broken(error))
      case .missing: tell(.missing)
      case .restored: tell(.restored)
      }
    }
  }

  private func play(_ replacement: Replacement) {
    let program = replacement.program
    playing.values.turn(program)
    mailbox.collect()
    mailbox.post(program)
    control.replace(replacement.routing.model, program)
    let turned = Dictionary(uniqueKeysWithValues: program.parameters.map { ($0.name, $0.value) })
    tell(
      .reloaded(
        LiveEvent.Reload(
          latencyBefore: playing.program.program.layout.latency, latency: program.program.layout.latency,
          warnings: replacement.routing.compilation.warnings(settingParameters: turned))))
    playing.program = program
  }
}
