// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Glibc
internal import GraphIR
internal import Legato
internal import LegatoTraining
internal import Listening
internal import StepRunning
internal import TerminalDrawing

/// `legato listen`: a model, a source, and where the answers go.
struct ListenRun {
  private let path: String
  private let model: Model
  private let options: Listener.Options
  private let source: ListenSource
  private let arguments: Arguments
  private let kind: RecognitionFormat.Kind
  private let destination: String?
  private let replaceExisting: Bool
  /// The files of what is remembered before the first window and behind the last one.
  private let stateIn, stateOut: String?

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    guard let path = arguments.operands.first, !path.isEmpty else {
      throw Failure.usage("MODEL is missing; see --help")
    }
    self.path = path
    source = try ListenSource(arguments)
    kind = try Self.kind(arguments)
    if kind == .labels, arguments.has(.recording) {
      throw Failure.usage("--format labels is a track of one recording; --recording has several")
    }
    let output = arguments.value(of: .output)
    (destination, replaceExisting) = (output == "-" ? nil : output, arguments.has(.force))
    if output == "" { throw Failure.usage("--output takes a file, or - for the standard output") }
    (stateIn, stateOut) = (arguments.value(of: .stateIn), arguments.value(of: .stateOut))
    if destination == nil, stateOut == nil, replaceExisting {
      throw Failure.usage("--force is of use with --output FILE only")
    }
    if stateIn != nil, arguments.has(.recording) {
      throw Failure.usage("--state-in is for one recording; with each of --recording the model begins anew")
    }
    if let stateOut, !stateOut.hasSuffix(".npz") {
      throw Failure.usage("--state-out takes a file whose name ends in .npz, not \(quoted(stateOut))")
    }
    options = try Self.options(arguments)
    model = try Model(path: path, arguments)
    let results = [destination, stateOut].compactMap(\.self)
    for path in results {
      try Destination.check(path, against: model.files + source.files)
      try TextFile.check(path, replaceExisting: replaceExisting)
    }
    try FilesTogether.checkApart(results)
  }

  private static func kind(_ arguments: Arguments) throws(Failure) -> RecognitionFormat.Kind {
    let kind = try arguments.choice(.format, RecognitionFormat.Kind.allCases.map { ($0.rawValue, $0) })
    guard arguments.has(.json) else { return kind ?? .table }
    guard kind ?? .json == .json else {
      throw .usage("--json and --format \(kind!.rawValue) are two forms; name one")
    }
    return .json
  }

  /// The settings of a listener by the options, but for those that need the model.
  private static func options(_ arguments: Arguments) throws -> Listener.Options {
    var options = Listener.Options()
    options.window = try arguments.integer(.window, in: 1...1 << 24)
    options.hop = try arguments.integer(.hop, in: 1...1 << 24)
    options.rate = try arguments.number(.rate, in: 1e-3...1e6)
    if let text = arguments.value(of: .columns) {
      let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard !names.contains(""), Set(names).count == names.count else {
        throw Failure.usage("--columns takes names between commas, each once, not \(quoted(text))")
      }
      options.columns = names
    }
    options.compiler = try CompilerOptions(arguments, keepsCode: true)
    return options
  }

  func run(_ console: Console) throws {
    var options = options
    options.settings = try model.settings(arguments)
    options.extents = try model.extents(of: [:], known: arguments.bound())
    try nameLabels(&options)
    var listener = try Listener(model, options)
    try restore(&listener)
    let readings = try source.open(arguments, for: listener.form, rate: listener.rate)
    sayWhatListens(listener.form, hop: listener.hop, rate: listener.rate, console)

    Interruption.begin()
    let file = try destination.map { destination throws(AudioFileError) in
      try TextFile(destination, replaceExisting: replaceExisting, pending: Interruption.pending)
    }
    Interruption.beginAsking()
    let (form, hop, rate) = (listener.form, listener.hop, listener.rate)
    let format = RecognitionFormat(kind, labels: listener.labels, window: form.window, hop: hop, rate: rate)
    let judgement = arguments.has(.truth) ? Confusion(classes: listener.labels.count) : nil
    var hearing = Hearing(
      source.name, format, judgement: judgement, file: file.map { ($0, destination!) }, view: view,
      isRateStated: model.sampleRate != nil, console)
    do { try hearing.hear(&listener, readings) } catch let error as ListeningError {
      if hearing.windows > 0 { try keep(listener, console) }
      throw error
    }
    if hearing.windows > 0 { try keep(listener, console) }
    Interruption.endIfAsked()
  }

  /// Lets be remembered what `--state-in` names.
  private func restore(_ listener: inout Listener) throws {
    if stateOut != nil, listener.stateNames.isEmpty {
      throw Failure.usage("--state-out: the model remembers nothing from window to window")
    }
    guard let stateIn else { return }
    let file = try TensorArchive(contentsOf: stateIn)
    guard !file.names.isEmpty else {
      let names = alternatives(listener.stateNames.map(quoted), "and")
      throw Failure.usage(
        "--state-in \(printable(stateIn)): no tensor of the file has a name; "
          + (names.isEmpty ? "the model remembers nothing" : "the model remembers \(names)"))
    }
    var tensors: [String: Tensor] = [:]
    for name in file.names { tensors[name] = try file.tensor(name) }
    do throws(RequestError) { try listener.restore(tensors) } catch {
      throw Failure.usage("--state-in \(printable(stateIn)): \(error.text(calling: Failure.name))")
    }
  }

  /// Writes what is remembered to the file that `--state-out` names.
  private func keep(_ listener: borrowing Listener, _ console: Console) throws {
    guard let stateOut else { return }
    let states = listener.snapshot()
    let tensors = listener.stateNames.compactMap { name in states[name].map { (name: name, tensor: $0) } }
    let bytes = try TensorArchive.npz(tensors, path: stateOut)
    let file = try FilesTogether(
      [.init(path: stateOut, bytes: bytes)], replaceExisting: replaceExisting, pending: Interruption.pending)
    try file.commit()
    let shapes = tensors.map { "\(printable($0.name)) \($0.tensor.shape)" }
    console.notice("\(stateOut): \(shapes.joined(separator: ", "))")
  }

  /// The labels that `--labels` names.
  private func nameLabels(_ options: inout Listener.Options) throws {
    guard let text = arguments.value(of: .labels) else { return }
    let (name, file) = try PortNames(outputsOf: model).parts(text, of: .labels)
    (options.output, options.labels) = (name, try Model.labels(contentsOf: file))
  }

  /// The view, where what goes on is live and a terminal is there for it.
  private var view: Hearing.View? {
    guard source.isLive, !arguments.has(.plain), !arguments.has(.format), !arguments.has(.json),
      arguments.value(of: .output) != "-",
      let terminal = TerminalView({ name in unsafe getenv(name).map { unsafe String(cString: $0) } })
    else { return nil }
    return Hearing.View(terminal: terminal, picture: ListenView(model: model.name, source: source.name))
  }

  private func sayWhatListens(_ form: WindowForm, hop: Int, rate: Double, _ console: Console) {
    func readings(_ count: Int) -> String {
      "\(counted(count, "reading")) (\(shortest(Float(Double(count) / rate))) s)"
    }
    let columns = form.columns.count > 1 ? " of \(form.columnsText)" : ""
    let apart = hop == form.window ? "" : ", \(readings(hop)) apart"
    console.notice("\(path): windows of \(readings(form.window))\(columns)\(apart)")
  }
}
