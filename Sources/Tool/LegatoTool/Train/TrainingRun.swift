// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
internal import Legato
internal import LegatoTraining
internal import Synchronization

/// `legato train`: epochs with a line each, a checkpoint, and the model that was learned.
struct TrainingRun {
  private let setup: TrainingSetup
  private let optimizer: Optimizer
  private let epochs: Int
  private let seed: UInt64
  private let share: Double
  private let checkpoint: String?
  private let resumes: Bool
  private let report: String?
  private let places: ModelPlaces?
  private let replaces: Bool

  init(_ arguments: Arguments) throws {
    optimizer = Optimizer(
      .adamW(), rate: try arguments.number(.learningRate, in: 1e-9...1000) ?? 0.003,
      largestNorm: try arguments.number(.clip, in: 1e-9...1e9))
    share = try arguments.number(.validate, in: 0...0.9) ?? 0.1
    epochs = try arguments.integer(.epochs, in: 1...1_000_000) ?? 100
    seed = UInt64(try arguments.integer(.seed, in: 0...Int.max) ?? 1)
    checkpoint = arguments.value(of: .checkpoint)
    resumes = arguments.has(.goOn)
    report = arguments.value(of: .report)
    replaces = arguments.has(.force)
    guard !resumes || checkpoint != nil else {
      throw Failure.usage("--resume goes on where --checkpoint FILE says; it is missing")
    }
    places = try arguments.value(of: .output).map { try ModelPlaces(output: $0) }
    guard places != nil || checkpoint != nil else {
      throw Failure.usage("--output is missing: the model file that is written, such as trained.json")
    }
    setup = try TrainingSetup(arguments)
    let outputs = [places?.model, places?.weights, checkpoint].compactMap(\.self)
    for place in outputs { try Destination.check(place, against: setup.model.files) }
    // Nobody learns all night for a file that cannot be written.
    try FilesTogether.check(outputs, replaceExisting: replaces || resumes)
  }

  /// A line of the report.
  private struct Epoch: Encodable {
    let epoch: Int
    let scores: [String: Double]
    let validation: [String: Double]
    let seconds: Double
  }

  func run(_ console: Console) throws {
    let (training, held) = setup.data.split(validating: share)
    let trainer = try setup.trainer(optimizer: optimizer)
    var start = Trainer.Position.start
    var best = Best()
    if resumes, let checkpoint {
      let known = try trainer.resume(from: checkpoint)
      guard known["seed"] == String(seed) else {
        throw Failure.usage("--resume: the run in \(checkpoint) has --seed \(known["seed"] ?? "of its own")")
      }
      start = Trainer.Position(
        epoch: Int(known["epoch"] ?? "") ?? 1, batch: Int(known["batch"] ?? "") ?? 0)
      best.loss = Double(known["best"] ?? "") ?? .infinity
    }
    console.notice(
      "\(setup.path): \(counted(training.count, "example")) to learn from"
        + (held.count > 0 ? ", \(held.count) held back" : "") + ", in batches of \(setup.task.batch)")
    Interruption.begin()
    _ = Interruption.beginAsking()
    defer { console.endProgress() }
    let clock = ContinuousClock()
    let (begin, firstEpoch) = (clock.now, start.epoch)
    var epochBegin = begin
    var lines: [Epoch] = []
    var last = start
    try trainer.fit(
      training, epochs: epochs, from: start, seed: seed, validation: held.count > 0 ? held : nil
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
      if let loss = (validation.isEmpty ? progress.scores : validation)["loss"], loss < best.loss {
        best = Best(
          loss: loss, epoch: last.epoch, files: try places.map { try files(of: trainer, at: $0) })
      }
      last = Trainer.Position(epoch: last.epoch + 1, batch: 0)
      try save(trainer, at: last, best.loss)
      return isStopped ? .stop : .goOn
    }
    console.endProgress()
    let isWhole = last.epoch > epochs
    if !isWhole { try save(trainer, at: last, best.loss) }
    if let places { try write(best, of: trainer, to: places, console) }
    if let report { try write(json(lines), to: report, console) }
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
    var files: ModelFiles?
  }

  /// Writes the weights of the best epoch; those at hand where none is whole yet. Where one of the run before was better,
  /// its files stay.
  private func write(
    _ best: Best, of trainer: Trainer, to places: ModelPlaces, _ console: Console
  ) throws {
    let names = "\(places.model), \(places.weights)"
    if best.files == nil, best.loss < .infinity, FileManager.default.fileExists(atPath: places.model) {
      return console.notice("\(names): as they were, with a loss of \(Self.figure(best.loss))")
    }
    let files = try best.files ?? files(of: trainer, at: places)
    try FilesTogether(
      files.all, replaceExisting: replaces || resumes, pending: Interruption.pending
    ).commit()
    console.notice(
      best.epoch == 0
        ? "\(names): the weights as they are"
        : "\(names): the weights of epoch \(best.epoch), loss \(Self.figure(best.loss))")
  }

  private func save(_ trainer: Trainer, at position: Trainer.Position, _ best: Double) throws {
    guard let checkpoint else { return }
    let bytes = try trainer.checkpoint(properties: [
      "epoch": String(position.epoch), "batch": String(position.batch), "seed": String(seed),
      "best": String(best),
    ])
    try FilesTogether(
      [.init(path: checkpoint, bytes: bytes)], replaceExisting: true, pending: Interruption.pending
    ).commit()
  }

  /// The files of a model that was learned.
  private struct ModelFiles {
    let all: [FilesTogether.File]
  }

  private func files(of trainer: Trainer, at places: ModelPlaces) throws -> ModelFiles {
    let (text, weights) = try trainer.export(
      weightsIn: PathText.name(of: places.weights), extents: setup.extents)
    return ModelFiles(all: [
      .init(path: places.model, bytes: Array(text.utf8)), .init(path: places.weights, bytes: weights),
    ])
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

  private static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite else { return "?" }
    let whole = Int(seconds.rounded())
    return whole < 90
      ? "\(whole) s" : whole < 5400 ? "\((whole + 30) / 60) min" : "\((whole + 1800) / 3600) h"
  }

  /// The loss, then the metrics by their names.
  static func text(_ scores: [String: Double], separator: String = ", ") -> String {
    scores.sorted { ($0.key == "loss" ? "" : $0.key) < ($1.key == "loss" ? "" : $1.key) }
      .map { "\($0.key) \(figure($0.value))" }.joined(separator: separator)
  }

  /// Four significant digits.
  private static func figure(_ number: Double) -> String { String(format: "%.4g", number) }
}
