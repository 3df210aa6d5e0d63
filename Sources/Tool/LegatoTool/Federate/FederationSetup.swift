// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
internal import Legato
internal import LegatoTraining

/// What a device and a simulation have in common: the model, the data in two parts, and where results go.
struct FederationSetup {
  let setup: TrainingSetup
  let training: Subset
  let held: Subset?
  let optimizer: Optimizer
  let epochs: Int
  let seed: UInt64
  private let report: String?
  private let places: ModelPlaces?

  init(_ arguments: Arguments) throws {
    let rule = try arguments.choice(
      .optimizer, [("sgd", Optimizer.Rule.sgd()), ("adamw", .adamW())])
    optimizer = Optimizer(
      rule ?? .sgd(), rate: try arguments.number(.learningRate, in: 1e-9...1000) ?? 0.003,
      largestNorm: try arguments.number(.clip, in: 1e-9...1e9))
    epochs = try arguments.integer(.epochs, in: 1...1_000_000) ?? 1
    seed = UInt64(try arguments.integer(.seed, in: 0...Int.max) ?? 1)
    report = arguments.value(of: .report)
    places = try arguments.value(of: .output).map { try ModelPlaces(output: $0) }
    setup = try TrainingSetup(arguments)
    let parts = setup.data.split(validating: try arguments.number(.validate, in: 0...0.9) ?? 0.1)
    guard parts.training.count > 0 else {
      throw Failure.usage("--validate holds all examples back; there are \(setup.data.count)")
    }
    training = parts.training
    held = parts.validation.count > 0 ? parts.validation : nil
    let outputs = [places?.model, places?.weights].compactMap(\.self)
    for place in outputs { try Destination.check(place, against: setup.model.files) }
    try FilesTogether.check(outputs, replaceExisting: arguments.has(.force))
  }

  func trainer() throws -> Trainer { try setup.trainer(optimizer: optimizer) }

  /// Writes the model as the trainer has it, where `--output` says so.
  func write(_ trainer: Trainer) throws {
    guard let places else { return }
    let (text, weights) = try trainer.export(
      weightsIn: PathText.name(of: places.weights), extents: setup.extents)
    // What stood there before the run was asked for by --force; after that it is the run's own.
    try FilesTogether(
      [
        .init(path: places.model, bytes: Array(text.utf8)), .init(path: places.weights, bytes: weights),
      ], replaceExisting: true, pending: Interruption.pending
    ).commit()
  }

  /// Writes the lines of a report, where `--report` says so.
  func write(_ lines: some Encodable, _ console: Console) throws {
    guard let report else { return }
    let text = try json(lines)
    guard report != "-" else { return try console.print(text) }
    try FilesTogether(
      [.init(path: report, bytes: Array(text.utf8))], replaceExisting: true, pending: Interruption.pending
    ).commit()
  }
}
