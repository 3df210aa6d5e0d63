// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import ChartDrawing
internal import Foundation
internal import GraphIR
internal import LearningPictures
internal import Legato
internal import LegatoTraining

/// `legato train`: epochs with a line each, a checkpoint, and the model that was learned.
struct TrainingRun {
  private let setup: TrainingSetup
  private let epochs: Int
  private let seed: UInt64
  private let share: Double
  private let patience: Int?
  private let augmenting: Model?
  private let initializes, replacesLayer, skipsNotFinite: Bool
  private let curves: String?
  private let checkpoint: String?
  private let resumes: Bool
  private let report: String?
  private let output: LearnedModelPlace?
  private let replaces: Bool

  /// Of fewer updates in an epoch it is said how there are more.
  private static let fewUpdates = 4

  init(_ arguments: Arguments) throws {
    _ = try arguments.operands("MODEL")
    let share = try arguments.number(.validate, in: 0...0.9)
    let epochs = try arguments.integer(.epochs, in: 1...1_000_000)
    let patience = try arguments.integer(.patience, in: 1...1_000_000)
    initializes = arguments.has(.initialize)
    replacesLayer = arguments.has(.replace)
    skipsNotFinite = arguments.has(.skipNotFinite)
    seed = UInt64(try arguments.integer(.seed, in: 0...Int.max) ?? 1)
    checkpoint = arguments.value(of: .checkpoint)
    resumes = arguments.has(.goOn)
    report = arguments.value(of: .report)
    curves = arguments.value(of: .curves)
    guard curves?.hasSuffix(".svg") ?? true else {
      throw Failure.usage("--plot: pictures are SVG; name a file that ends in .svg")
    }
    guard checkpoint?.hasSuffix(".safetensors") ?? true else {
      throw Failure.usage(
        "--checkpoint takes a file whose name ends in .safetensors, such as run.safetensors")
    }
    replaces = arguments.has(.force)
    guard !resumes || checkpoint != nil else {
      throw Failure.usage("--resume goes on where --checkpoint FILE says; it is missing")
    }
    output = try arguments.value(of: .output).map { try LearnedModelPlace($0) }
    guard output != nil || checkpoint != nil else {
      throw Failure.usage("--output is missing: the model file that is written, such as trained.json")
    }
    setup = try TrainingSetup(arguments)
    let plan = TrainingPlan(of: setup.model)
    self.share = share ?? plan.validate
    self.epochs = epochs ?? plan.epochs
    self.patience = patience ?? plan.patience
    augmenting = try arguments.value(of: .augment).map { try Model(contentsOf: $0) }
    let places = results + [checkpoint].compactMap(\.self)
    for place in places {
      try Destination.check(place, against: setup.sources + (augmenting?.files ?? []))
    }
    try FilesTogether.checkApart(places)
    // Of a run that goes on, its checkpoint says which files are its own.
    if !resumes { try Destination.tryOut(places, replacing: replaces) }
  }

  /// The files that come of the run.
  private var results: [String] {
    (output?.paths ?? []) + [curves, report == "-" ? nil : report].compactMap(\.self)
  }

  /// The best epoch until now.
  private struct Best {
    var loss = Double.infinity
    var epoch = 0
    /// The weights as they were then; nil where no epoch is whole yet.
    var weights: [String: Tensor]?
    /// The confusion of a classifier then, over the examples that were held back.
    var confusion: Confusion?
  }

  func run(_ console: Console) throws {
    let (training, held) = setup.data.split(validating: share)
    let trainer = try setup.trainer(learning: training)
    if case .onnx? = output { _ = try trainer.onnx() }
    let augmentation = try augmenting.map { model in
      try Augmentation(
        model, for: trainer, input: setup.model.inputs.first?.name ?? "", sampleRate: setup.sampleRate)
    }
    let terms = try TrainingTerms(setup, augmentation: augmenting, share: share, seed: seed)
    var (start, tally, lines) = (Trainer.Position.start, Trainer.Tally(), [TrainingReport.Epoch]())
    var (stopping, best) = (EarlyStopping(epochs: patience), Best())
    var kept: [String] = []
    if resumes, let checkpoint {
      guard FileManager.default.fileExists(atPath: checkpoint) else {
        throw Failure.failed(
          "--resume: \(quoted(checkpoint)) does not exist; without --resume a run begins, and writes it")
      }
      let known = try trainer.resume(from: checkpoint)
      let stated = try TrainingCheckpoint(known, checkpoint)
      if let flaw = stated.terms.difference(from: terms) {
        throw Failure.usage("--resume: the run in \(checkpoint) has \(flaw)")
      }
      try Destination.tryOut(results.filter { !stated.owns($0) }, replacing: replaces)
      try Destination.tryOut(results.filter(stated.owns) + [checkpoint], replacing: true)
      (start, tally, lines) = (stated.position, stated.done, stated.epochs)
      best = Best(loss: stated.best ?? .infinity, epoch: stated.bestEpoch, weights: known.best)
      stopping = EarlyStopping(epochs: patience, best: best.loss, at: best.epoch)
    } else if initializes {
      kept = trainer.initializeLayers(seed: seed)
      guard kept.count < trainer.learned.count else {
        throw Failure.usage(
          "--initialize gives layers random weights; none of \(Self.list(kept)) is a layer's")
      }
    }
    for note in setup.notes { console.notice(note) }
    if let files = setup.data as? LabelledFiles {
      let learned = Set((0..<training.count).map { files.label(of: training.place(of: $0)) })
      let judged = Set((0..<held.count).map { files.label(of: held.place(of: $0)) })
      for label in judged.subtracting(learned).sorted() {
        console.notice(
          "\(setup.path): nothing of \(quoted(files.labels[label])) is learned from: all of it is held back; more files, or "
            + "a smaller --validate, leave some")
      }
    }
    console.notice(
      "\(setup.path): \(counted(training.count, "example")) to learn from"
        + (held.count > 0 ? ", \(held.count) held back" : "")
        + ", \(setup.batchText(trainer)); a step takes "
        + "\(Self.size(trainer.memory)); what learns: \(Self.list(trainer.learned)); what is made small: "
        + printable(setup.lossText, limit: 100))
    let updates = trainer.updates(of: training.count)
    if setup.isBatchOpen, updates < Self.fewUpdates, trainer.task.batch > 1 {
      console.notice(
        "\(setup.path): weights follow \(updates == 1 ? "once" : "\(updates) times") in an epoch: a smaller --batch, or more "
          + "--epochs, lets them come further")
    }
    let schedule = setup.optimizer.schedule
    if let rest = (1...epochs).first(where: { schedule.factor(step: ($0 - 1) * updates + 1) == 0 }) {
      console.notice(
        "\(setup.path): the schedule lets the rate be 0 from epoch \(rest) on: it counts updates, of which an epoch has "
          + "\(updates)")
    }
    if !trainer.unlearnable.isEmpty {
      console.notice(
        "\(setup.path): what does not learn: \(Self.list(trainer.unlearnable)): no output depends on it, or what "
          + "computes is made of it beforehand"
      )
    }
    if start == .start, trainer.hasOnlyBlankLayers {
      console.notice(
        "\(setup.path): the weights of its layers are all 0, from which layers that are behind each other learn nothing: --initialize "
          + "begins with random ones")
    }
    if !kept.isEmpty { console.notice("--initialize: \(Self.list(kept)) as they are: no layer's weights") }
    Interruption.begin()
    _ = Interruption.beginAsking()
    defer { console.endProgress() }
    let places = results + [checkpoint].compactMap(\.self)
    Leftovers.remove(of: places, in: Set(places.map(PathText.folder)))
    // A model that is not random is the best until an epoch is better.
    if held.count > 0, start == .start, best.weights == nil, !initializes, !replacesLayer {
      let judged = try trainer.judged(held)
      if let loss = judged.scores["loss"], loss.isFinite {
        console.notice("as it was: held back: \(Self.text(judged.scores))")
        best = Best(loss: loss, epoch: 0, weights: trainer.learnedTensors, confusion: judged.confusion)
        stopping = EarlyStopping(epochs: patience, best: loss)
      }
    }
    let clock = ContinuousClock()
    let (begin, first) = (clock.now, start)
    var (epochBegin, last) = (begin, start)
    var isOver = start.epoch > 1 && stopping.isOver(epoch: start.epoch - 1)
    if !isOver, start.epoch > epochs, let checkpoint {
      console.notice("\(checkpoint): its \(counted(start.epoch - 1, "epoch")) are over; more --epochs go on")
    }
    // When the run was written down last, and how long that took: it grows with the epochs.
    var (saved, saving) = (begin, Duration.zero)
    func save() throws {
      guard let checkpoint else { return }
      let now = clock.now
      defer { (saved, saving) = (clock.now, clock.now - now) }
      let state = TrainingCheckpoint(
        terms: terms, position: last, tally: tally, best: best.loss, bestEpoch: best.epoch,
        epochs: lines, results: results)
      let file = try trainer.checkpoint(properties: state.properties(seed: seed), best: best.weights)
      try put([.init(path: checkpoint, bytes: file.bytes)])
    }
    let result = Result {
      try trainer.fit(
        training, epochs: isOver ? 0 : epochs, from: start, tally: tally, seed: seed,
        validation: held.count > 0 ? held : nil, augmentation: augmentation, skipsNotFinite: skipsNotFinite
      ) { progress in
        (last, tally) = (progress.position, progress.tally)
        guard let validation = progress.validation else {
          let done =
            Double(last.epoch - first.epoch)
            + Double(last.batch - first.batch) / Double(progress.batches)
          let left =
            Self.seconds(clock.now - begin) / max(done, 1e-9)
            * (Double(epochs - last.epoch + 1) - Double(last.batch) / Double(progress.batches))
          console.progress(
            "epoch \(last.epoch) of \(epochs): batch \(last.batch) of \(progress.batches), "
              + "\(Self.text(progress.scores)), \(Self.duration(left)) left")
          return Interruption.isAsked ? .stop : .goOn
        }
        let seconds = Self.seconds(clock.now - epochBegin)
        epochBegin = clock.now
        lines.append(
          TrainingReport.Epoch(
            epoch: last.epoch, scores: finite(progress.scores), validation: finite(validation),
            seconds: seconds))
        console.endProgress()
        console.notice(
          "epoch \(last.epoch): \(Self.text(progress.scores))"
            + (validation.isEmpty ? "" : "; held back: \(Self.text(validation))")
            + (progress.skipped == 0
              ? "" : "; batches skipped, of no finite loss or gradient: \(progress.skipped)")
        )
        let loss = (validation.isEmpty ? progress.scores : validation)["loss"] ?? .infinity
        if loss < best.loss, loss.isFinite {
          best = Best(
            loss: loss, epoch: last.epoch, weights: trainer.learnedTensors, confusion: progress.confusion)
        }
        isOver = stopping.decision(loss: loss, epoch: last.epoch) == .stop
        (last, tally) = (Trainer.Position(epoch: last.epoch + 1, batch: 0), .init())
        // Short epochs are not all written down: at most a twentieth of the time goes into that.
        if isOver || last.epoch > epochs || clock.now - saved >= saving * 20 { try save() }
        return Interruption.isAsked || isOver ? .stop : .goOn
      }
      if !isOver, last.epoch <= epochs { try save() }
    }
    console.endProgress()
    if isOver {
      console.notice(
        (stopping.bestEpoch == 0 ? "what was there before" : "epoch \(stopping.bestEpoch)")
          + " was the best, and "
          + (stopping.patience == 1
            ? "the epoch behind it was not better"
            : "none of the \(stopping.patience ?? 0) behind it was better")
          + ": ended"
      )
    }
    // What there is goes to its files, whatever ended the run, and that is what is told where they cannot be written, too.
    let files = Result {
      if let weights = best.weights, !lines.isEmpty {
        try trainer.replaceWeights(weights)
        // Of an epoch before the run went on the classes are not in the checkpoint.
        if best.confusion == nil, held.count > 0 { best.confusion = try trainer.judged(held).confusion }
        if let output {
          let files = try output.files(of: trainer, extents: setup.extents)
          try put(files)
          console.notice(
            "\(files.map(\.path).joined(separator: ", ")): "
              + (best.epoch == 0
                ? "as it was, since no epoch was better" : "what was learned by epoch \(best.epoch)")
              + ", loss " + Self.figure(best.loss))
        }
      } else if let output, case .success = result {
        console.notice("\(output.paths[0]): not written: no epoch is whole that has a finite loss")
      }
      try tell(lines, best, console)
    }
    do { try result.get() } catch TrainingError.notFinite(let step) {
      let batch = trainer.examplesOfBatch
      // The loss of one may be finite, and what comes of its gradient, or of its change before, not.
      let culprit = try? trainer.judgement(of: Subset(of: training, batch)).firstNotFinite
      let examples = batch.map { training.place(of: $0) }.sorted()
      throw Failure.failed(
        "\(TrainingError.notFinite(step: step)); "
          + (skipsNotFinite
            ? "no batch of the epoch has one" : "--skip-not-finite goes on without such batches")
          + (culprit.map { "; the loss of example \(training.place(of: batch[$0])) is no finite number" }
            ?? "; examples \(Self.list(examples.map(String.init))) are in this one"))
    }
    try files.get()
    guard !isOver, last.epoch <= epochs else { return }
    Interruption.endIfAsked {
      let remedy = checkpoint == nil ? "with --checkpoint FILE a run can go on" : "--resume goes on"
      console.error("train: interrupted in epoch \(last.epoch) of \(epochs); \(remedy)")
    }
  }

  /// The table of classes, the picture and the report.
  private func tell(_ lines: [TrainingReport.Epoch], _ best: Best, _ console: Console) throws {
    let classes = best.confusion.map { ConfusionReport($0, labels: setup.labels) }
    if let classes {
      for line in classes.text(console).split(separator: "\n") { console.notice(String(line)) }
    }
    let report = TrainingReport(
      epochs: lines, best: best.epoch, loss: setup.task.loss, confusion: classes)
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

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

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

  /// Some names, and how many there are more.
  static func list(_ names: [String]) -> String {
    let shown = names.prefix(6).map { printable($0, limit: 40) }.joined(separator: ", ")
    return names.count > 6 ? "\(shown) and \(names.count - 6) more" : shown
  }

  /// The loss, then the metrics by their names.
  static func text(_ scores: [String: Double], separator: String = ", ") -> String {
    scores.sorted { ($0.key == "loss" ? "" : $0.key) < ($1.key == "loss" ? "" : $1.key) }
      .map { "\($0.key) \(figure($0.value))" }.joined(separator: separator)
  }

  private static func figure(_ number: Double) -> String { LegatoTraining.figure(number, digits: 4) }
}
