// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import ChartDrawing
internal import CommandLineInterface
internal import Foundation
internal import GraphIR
internal import LearningPictures
internal import Legato
internal import LegatoTraining

/// `legato train`: epochs with a line each, and the files of what was learned.
struct TrainingRun {
  private let setup: TrainingSetup
  private let options: TrainingSession.Options
  private let curves, report: String?
  private let output: LearnedModelPlace?
  private let replaces: Bool

  /// Of fewer updates in an epoch it is said how there are more.
  private static let fewUpdates = 4

  init(_ arguments: Arguments) throws {
    _ = try arguments.operands("MODEL")
    var options = TrainingSession.Options()
    options.initializes = arguments.has(.initialize)
    options.skipsNotFinite = arguments.has(.skipNotFinite)
    options.checkpoint = arguments.value(of: .checkpoint)
    options.resumes = arguments.has(.goOn)
    options.pending = Interruption.pending
    report = arguments.value(of: .report)
    curves = arguments.value(of: .curves)
    guard curves?.hasSuffix(".svg") ?? true else {
      throw Failure.usage("--plot: pictures are SVG; name a file that ends in .svg")
    }
    guard options.checkpoint?.hasSuffix(".safetensors") ?? true else {
      throw Failure.usage(
        "--checkpoint takes a file whose name ends in .safetensors, such as run.safetensors")
    }
    replaces = arguments.has(.force)
    guard !options.resumes || options.checkpoint != nil else {
      throw Failure.usage("--resume goes on where --checkpoint FILE says; it is missing")
    }
    output = try arguments.value(of: .output).map { try LearnedModelPlace($0) }
    guard output != nil || options.checkpoint != nil else {
      throw Failure.usage("--output is missing: the model file that is written, such as trained.json")
    }
    setup = try TrainingSetup(arguments)
    options.augmentation = try arguments.value(of: .augment).map { try Model(contentsOf: $0) }
    options.results = (output?.paths ?? []) + [curves, report == "-" ? nil : report].compactMap(\.self)
    self.options = options
    for place in places {
      try Destination.check(place, against: setup.sources + (options.augmentation?.files ?? []))
    }
    try FilesTogether.checkApart(places)
    if let checkpoint = options.checkpoint, options.resumes,
      !FileManager.default.fileExists(atPath: checkpoint)
    {
      throw Failure.failed(
        "--resume: \(quoted(checkpoint)) does not exist; without --resume a run begins, and writes it")
    }
    // Of a run that goes on, its checkpoint says which files are its own.
    if !options.resumes { try Destination.tryOut(places, replacing: replaces) }
  }

  /// The files that the run writes.
  private var places: [String] { options.results + [options.checkpoint].compactMap(\.self) }

  func run(_ console: Console) throws {
    let session = try TrainingSession(setup, options)
    if case .onnx? = output { _ = try session.trainer.onnx() }
    if let checkpoint = options.checkpoint, options.resumes {
      try Destination.tryOut(options.results.filter { !session.owns($0) }, replacing: replaces)
      try Destination.tryOut(options.results.filter(session.owns) + [checkpoint], replacing: true)
    }
    sayWhatIsLearned(session, console)
    Interruption.begin()
    Interruption.beginAsking()
    defer { console.endProgress() }
    Leftovers.remove(of: places, in: Set(places.map(PathText.folder)))
    let result = Result { try learn(session, console) }
    console.endProgress()
    let hasFailed = (try? result.get()) == nil
    // Results go to their files, whatever ended the run, and that is told where they cannot be written, too. A run that has not
    // begun has none.
    let files = Result {
      if !hasFailed || session.position != .start { try write(session, hasFailed: hasFailed, console) }
    }
    let end: TrainingSession.End
    do { end = try result.get() } catch TrainingError.notFinite(let step) {
      throw notFinite(session, step: step)
    }
    try files.get()
    guard case .stopped = end else { return }
    Interruption.endIfAsked {
      let remedy = options.checkpoint == nil ? "with --checkpoint FILE a run can go on" : "--resume goes on"
      console.error(
        "train: interrupted in epoch \(session.position.epoch) of \(setup.plan.epochs); \(remedy)")
    }
  }

  private func learn(_ session: TrainingSession, _ console: Console) throws -> TrainingSession.End {
    if let checkpoint = options.checkpoint, !session.isOver, session.position.epoch > setup.plan.epochs {
      let count = counted(session.position.epoch - 1, "epoch")
      console.notice("\(checkpoint): its \(count) are over; more --epochs go on")
    }
    let end = try session.run { event in
      switch event {
      case .judged(let scores): console.notice("as it was: held back: \(Self.text(scores))")
      case .batch(let now, let left):
        console.progress(
          "epoch \(now.position.epoch) of \(setup.plan.epochs): batch \(now.position.batch) of \(now.batches), "
            + "\(Self.text(now.scores)), \(Self.duration(left)) left")
      case .epoch(let now):
        let validation = now.validation ?? [:]
        console.endProgress()
        console.notice(
          "epoch \(now.position.epoch): \(Self.text(now.scores))"
            + (validation.isEmpty ? "" : "; held back: \(Self.text(validation))")
            + (now.skipped == 0
              ? "" : "; batches skipped, of no finite loss or gradient: \(now.skipped)"))
      }
      return Interruption.isAsked ? .stop : .goOn
    }
    guard case .noBetter = end else { return end }
    console.endProgress()
    let patience = setup.plan.patience ?? 0
    console.notice(
      (session.best.epoch == 0 ? "what was there before" : "epoch \(session.best.epoch)")
        + " was the best, and "
        + (patience == 1
          ? "the epoch behind it was not better" : "none of the \(patience) behind it was better")
        + ": ended")
    return end
  }

  /// The reason why a run ended that met a loss which is no finite number.
  private func notFinite(_ session: TrainingSession, step: Int) -> Failure {
    let (training, batch) = (setup.training, session.trainer.examplesOfBatch)
    // The loss of one may be finite, and what comes of its gradient, or of its change before, not.
    let culprit = try? session.trainer.judgement(of: Subset(of: training, batch)).firstNotFinite
    let examples = batch.map { training.place(of: $0) }.sorted()
    return .failed(
      "\(TrainingError.notFinite(step: step)); "
        + (options.skipsNotFinite
          ? "no batch of the epoch has one" : "--skip-not-finite goes on without such batches")
        + (culprit.map { "; the loss of example \(training.place(of: batch[$0])) is no finite number" }
          ?? "; examples \(listed(examples.map(String.init))) are in this one"))
  }

  // MARK: What is said beforehand

  private func sayWhatIsLearned(_ session: TrainingSession, _ console: Console) {
    let (trainer, training, held) = (session.trainer, setup.training, setup.held)
    func say(_ line: String) { console.notice("\(setup.path): \(line)") }
    for note in setup.notes { console.notice(note) }
    if let files = setup.data as? LabelledFiles {
      let learned = Set((0..<training.count).map { files.label(of: training.place(of: $0)) })
      let judged = Set((0..<held.count).map { files.label(of: held.place(of: $0)) })
      for label in judged.subtracting(learned).sorted() {
        say(
          "nothing of \(quoted(files.labels[label])) is learned from: all of it is held back; more files, or a smaller "
            + "--validate, leave some")
      }
    }
    say(
      "\(counted(training.count, "example")) to learn from"
        + (held.count > 0 ? ", \(held.count) held back" : "")
        + ", \(setup.batchText(trainer)); a step takes \(Self.size(trainer.memory)); what learns: "
        + "\(listed(trainer.learned)); what is made small: " + printable(setup.lossText, limit: 100))
    let updates = trainer.updates(of: training.count)
    if setup.isBatchOpen, updates < Self.fewUpdates, trainer.task.batch > 1 {
      say(
        "weights follow \(updates == 1 ? "once" : "\(updates) times") in an epoch: a smaller --batch, or more --epochs, "
          + "lets them come further")
    }
    let schedule = setup.optimizer.schedule
    if let rest = (1...setup.plan.epochs).first(where: { schedule.factor(step: ($0 - 1) * updates + 1) == 0 })
    {
      say(
        "the schedule lets the rate be 0 from epoch \(rest) on: it counts updates, of which an epoch has \(updates)"
      )
    }
    if !trainer.unlearnable.isEmpty {
      say(
        "what does not learn: \(listed(trainer.unlearnable)): no output depends on it, or what computes is made of it "
          + "beforehand")
    }
    if session.position == .start, trainer.hasOnlyBlankLayers {
      say(
        "the weights of its layers are all 0, from which layers that are behind each other learn nothing: --initialize "
          + "begins with random ones")
    }
    if !session.keptWeights.isEmpty {
      console.notice("--initialize: \(listed(session.keptWeights)) as they are: no layer's weights")
    }
  }

  // MARK: What was learned

  /// The model, the table of classes, the picture and the report.
  private func write(_ session: TrainingSession, hasFailed: Bool, _ console: Console) throws {
    let isThere = try session.restoreBest()
    if isThere, let output {
      let files = try output.files(of: session.trainer, extents: setup.extents)
      try put(files)
      console.notice(
        "\(files.map(\.path).joined(separator: ", ")): "
          + (session.best.epoch == 0
            ? "as it was, since no epoch was better" : "what was learned by epoch \(session.best.epoch)")
          + ", loss " + Self.figure(session.best.loss))
    } else if let output, !hasFailed {
      console.notice("\(output.paths[0]): not written: no epoch is whole that has a finite loss")
    }
    let classes = session.best.confusion.map { ConfusionReport($0, labels: setup.labels) }
    if let classes {
      for line in classes.text(console).split(separator: "\n") { console.notice(String(line)) }
    }
    let report = TrainingReport(
      epochs: session.epochs, best: session.best.epoch, loss: setup.task.loss, confusion: classes)
    if let curves {
      let title = printable(setup.model.name) + ", learning"
      let chart = LearningCurves(title, [.init("", report)]).chart
      try put([.init(path: curves, bytes: Array(chart.svg.utf8))])
    }
    guard let place = self.report else { return }
    let text = try json(report)
    guard place != "-" else { return try console.print(text) }
    try put([.init(path: place, bytes: Array(text.utf8))])
  }

  /// Writes files, which the run has a right to.
  private func put(_ files: [FilesTogether.File]) throws(AudioFileError) {
    try FilesTogether(files, replaceExisting: true, pending: Interruption.pending).commit()
  }

  // MARK: Words

  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite else { return "?" }
    let whole = Int(seconds.rounded())
    return whole < 90
      ? "\(whole) s" : whole < 5400 ? "\((whole + 30) / 60) min" : "\((whole + 1800) / 3600) h"
  }

  /// Such as "12.50 MiB".
  static func size(_ bytes: Int) -> String {
    bytes < 1 << 20 ? "\(decimals(Double(bytes) / 1024)) KiB" : "\(decimals(Double(bytes) / 1_048_576)) MiB"
  }

  /// The loss, then the metrics by their names.
  static func text(_ scores: [String: Double], separator: String = ", ") -> String {
    scores.sorted { ($0.key == "loss" ? "" : $0.key) < ($1.key == "loss" ? "" : $1.key) }
      .map { "\($0.key) \(figure($0.value))" }.joined(separator: separator)
  }

  private static func figure(_ number: Double) -> String { LegatoTraining.figure(number, digits: 4) }
}
