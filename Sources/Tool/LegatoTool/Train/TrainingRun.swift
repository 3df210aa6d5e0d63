// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import ChartDrawing
internal import Foundation
internal import GraphIR
internal import Legato
internal import LegatoTraining
internal import Synchronization

/// `legato train`: epochs with a line each, a checkpoint, and the model that was learned.
struct TrainingRun {
  private let setup: TrainingSetup
  private let epochs: Int
  private let seed: UInt64
  private let share: Double
  private let patience: Int?
  private let augmentation: String?
  private let curves: String?
  private let checkpoint: String?
  private let resumes: Bool
  private let report: String?
  private let places: ModelPlaces?
  private let replaces: Bool

  init(_ arguments: Arguments) throws {
    let share = try arguments.number(.validate, in: 0...0.9)
    let epochs = try arguments.integer(.epochs, in: 1...1_000_000)
    let patience = try arguments.integer(.patience, in: 1...1_000_000)
    augmentation = arguments.value(of: .augment)
    seed = UInt64(try arguments.integer(.seed, in: 0...Int.max) ?? 1)
    checkpoint = arguments.value(of: .checkpoint)
    resumes = arguments.has(.goOn)
    report = arguments.value(of: .report)
    curves = arguments.value(of: .curves)
    guard curves?.hasSuffix(".svg") ?? true else {
      throw Failure.usage("--plot: pictures are SVG; name a file that ends in .svg")
    }
    replaces = arguments.has(.force)
    guard !resumes || checkpoint != nil else {
      throw Failure.usage("--resume goes on where --checkpoint FILE says; it is missing")
    }
    places = try arguments.value(of: .output).map { try ModelPlaces(output: $0) }
    guard places != nil || checkpoint != nil else {
      throw Failure.usage("--output is missing: the model file that is written, such as trained.json")
    }
    setup = try TrainingSetup(arguments)
    let plan = TrainingPlan(of: setup.model)
    self.share = share ?? plan.validate
    self.epochs = epochs ?? plan.epochs
    self.patience = patience ?? plan.patience
    let outputs = [places?.model, places?.weights, checkpoint, curves].compactMap(\.self)
    for place in outputs { try Destination.check(place, against: setup.model.files) }
    // Nobody learns all night for a file that cannot be written.
    try FilesTogether.check(outputs, replaceExisting: replaces || resumes)
  }

  /// A line of the report.
  struct Epoch: Encodable {
    let epoch: Int
    let scores: [String: Double]
    let validation: [String: Double]
    let seconds: Double
  }

  /// What is told of a run.
  private struct Report: Encodable {
    let epochs: [Epoch]
    let best: Int
    let confusion: ConfusionReport?
  }

  func run(_ console: Console) throws {
    let (training, held) = setup.data.split(validating: share)
    let trainer = try setup.trainer(learning: training, judging: held)
    var start = Trainer.Position.start
    let augmentation = try augmentation.map { path in
      try Augmentation(
        Model(contentsOf: path), for: trainer, input: setup.model.inputs.first?.name ?? "",
        sampleRate: setup.sampleRate)
    }
    var stopping = EarlyStopping(epochs: patience)
    var best = Best()
    if resumes, let checkpoint {
      let known = try trainer.resume(from: checkpoint)
      guard known["seed"] == String(seed) else {
        throw Failure.usage("--resume: the run in \(checkpoint) has --seed \(known["seed"] ?? "of its own")")
      }
      start = Trainer.Position(
        epoch: Int(known["epoch"] ?? "") ?? 1, batch: Int(known["batch"] ?? "") ?? 0)
      best.loss = Double(known["best"] ?? "") ?? .infinity
      stopping = EarlyStopping(
        epochs: patience, best: best.loss, at: Int(known["bestEpoch"] ?? "") ?? 0)
    }
    console.notice(
      "\(setup.path): \(counted(training.count, "example")) to learn from"
        + (held.count > 0 ? ", \(held.count) held back" : "")
        + ", \(setup.batchText(trainer)); a step takes "
        + Self.size(trainer.memory))
    Interruption.begin()
    _ = Interruption.beginAsking()
    defer { console.endProgress() }
    let clock = ContinuousClock()
    let (begin, firstEpoch) = (clock.now, start.epoch)
    var epochBegin = begin
    var lines: [Epoch] = []
    var last = start
    var isOver = start.epoch > 1 && stopping.isOver(epoch: start.epoch - 1)
    try trainer.fit(
      training, epochs: isOver ? 0 : epochs, from: start, seed: seed,
      validation: held.count > 0 ? held : nil, augmentation: augmentation
    ) { progress in
      last = progress.position
      let isStopped = Interruption.request.load(ordering: .relaxed) != 0
      guard let validation = progress.validation else {
        let done = Double(last.epoch - firstEpoch) + Double(last.batch) / Double(progress.batches)
        let left =
          Self.seconds(clock.now - begin) / max(done, 1e-9) * (Double(epochs - firstEpoch + 1) - done)
        console.progress(
          "epoch \(last.epoch) of \(epochs): batch \(last.batch) of \(progress.batches), "
            + "\(Self.text(progress.scores)), \(Self.duration(left)) left")
        return isStopped ? .stop : .goOn
      }
      let seconds = Self.seconds(clock.now - epochBegin)
      epochBegin = clock.now
      lines.append(
        Epoch(epoch: last.epoch, scores: progress.scores, validation: validation, seconds: seconds))
      console.endProgress()
      console.notice(
        "epoch \(last.epoch): \(Self.text(progress.scores))"
          + (validation.isEmpty ? "" : "; held back: \(Self.text(validation))"))
      let loss = (validation.isEmpty ? progress.scores : validation)["loss"] ?? .infinity
      if loss < best.loss {
        best = Best(
          loss: loss, epoch: last.epoch, files: try places?.files(of: trainer, extents: setup.extents),
          confusion: progress.confusion)
      }
      isOver = stopping.decision(loss: loss, epoch: last.epoch) == .stop
      last = Trainer.Position(epoch: last.epoch + 1, batch: 0)
      try save(trainer, at: last, stopping)
      return isStopped || isOver ? .stop : .goOn
    }
    console.endProgress()
    let isWhole = isOver || last.epoch > epochs
    if isOver {
      console.notice(
        "epoch \(stopping.bestEpoch) was the best, and none of the \(stopping.patience ?? 0) behind it was better: ended"
      )
    }
    if !isWhole { try save(trainer, at: last, stopping) }
    if let places { try write(best, of: trainer, to: places, console) }
    let classes = best.confusion.map { ConfusionReport($0, labels: setup.labels) }
    if let classes {
      for line in classes.text(console).split(separator: "\n") { console.notice(String(line)) }
    }
    if let curves {
      let chart = TrainingCurves(title: "\(setup.model.name), learning", epochs: lines, best: best.epoch)
        .chart
      try write(chart.svg, to: curves, console)
    }
    if let report {
      let told = Report(epochs: lines, best: stopping.bestEpoch, confusion: classes)
      try write(json(told), to: report, console)
    }
    guard isWhole else {
      let remedy = checkpoint == nil ? "with --checkpoint FILE a run can go on" : "--resume goes on"
      throw Failure.failed("interrupted in epoch \(last.epoch) of \(epochs); \(remedy)")
    }
  }

  /// The best epoch until now.
  private struct Best {
    var loss = Double.infinity
    var epoch = 0
    /// Nil where no epoch of this run was the best.
    var files: [FilesTogether.File]?
    /// What a classifier took for what then, of the examples that were held back.
    var confusion: Confusion?
  }

  /// Writes the weights of the best epoch; those at hand where none is whole yet. Where one of the run before was better,
  /// its files stay.
  private func write(
    _ best: Best, of trainer: Trainer, to places: ModelPlaces, _ console: Console
  ) throws {
    if best.files == nil, best.loss < .infinity, FileManager.default.fileExists(atPath: places.model) {
      return console.notice("\(places.model): as it was, with a loss of \(Self.figure(best.loss))")
    }
    let files = try best.files ?? places.files(of: trainer, extents: setup.extents)
    let names = files.map(\.path).joined(separator: ", ")
    try FilesTogether(
      files, replaceExisting: replaces || resumes, pending: Interruption.pending
    ).commit()
    console.notice(
      best.epoch == 0
        ? "\(names): what there was"
        : "\(names): what was learned by epoch \(best.epoch), loss \(Self.figure(best.loss))")
  }

  private func save(_ trainer: Trainer, at position: Trainer.Position, _ stopping: EarlyStopping) throws {
    guard let checkpoint else { return }
    let bytes = try trainer.checkpoint(properties: [
      "epoch": String(position.epoch), "batch": String(position.batch), "seed": String(seed),
      "best": String(stopping.best), "bestEpoch": String(stopping.bestEpoch),
    ])
    try FilesTogether(
      [.init(path: checkpoint, bytes: bytes)], replaceExisting: true, pending: Interruption.pending
    ).commit()
  }

  private func write(_ text: String, to path: String, _ console: Console) throws {
    guard path != "-" else { return try console.print(text) }
    try FilesTogether(
      [.init(path: path, bytes: Array(text.utf8))], replaceExisting: true, pending: Interruption.pending
    ).commit()
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
  private static func size(_ bytes: Int) -> String {
    bytes < 1 << 20 ? "\(decimals(Double(bytes) / 1024)) KiB" : "\(decimals(Double(bytes) / 1_048_576)) MiB"
  }

  /// The loss, then the metrics by their names.
  static func text(_ scores: [String: Double], separator: String = ", ") -> String {
    scores.sorted { ($0.key == "loss" ? "" : $0.key) < ($1.key == "loss" ? "" : $1.key) }
      .map { "\($0.key) \(figure($0.value))" }.joined(separator: separator)
  }

  private static func figure(_ number: Double) -> String { LegatoTraining.figure(number, digits: 4) }
}
