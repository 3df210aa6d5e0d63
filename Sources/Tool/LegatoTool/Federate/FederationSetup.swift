// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Foundation
internal import GraphIR
internal import Legato
internal import LegatoFederated
internal import LegatoTraining

/// The setup that a device and a simulation have in common: the model, the data in two parts, and where results go.
struct FederationSetup {
  let setup: TrainingSetup
  let training: Subset
  let held: Subset?
  let optimizer: Optimizer
  let epochs: Int
  let seed: UInt64
  private let report: String?
  private let places: ModelPlaces?
  let privacy: UpdatePrivacy?

  init(_ arguments: Arguments) throws {
    let rule = try arguments.choice(
      .optimizer, [("sgd", Optimizer.Rule.sgd()), ("adamw", .adamW())])
    let standard = if case .adamW? = rule { 0.003 } else { 0.1 }
    optimizer = Optimizer(
      rule ?? .sgd(), rate: try arguments.number(.learningRate, in: 1e-9...1000) ?? standard,
      largestNorm: try arguments.number(.clip, in: 1e-9...1e9))
    epochs = try arguments.integer(.epochs, in: 1...1_000_000) ?? 1
    seed = UInt64(try arguments.integer(.seed, in: 0...Int.max) ?? 1)
    report = arguments.value(of: .roundReport)
    privacy = try Self.privacy(arguments.value(of: .privacy))
    places = try arguments.value(of: .output).map { try ModelPlaces(output: $0) }
    setup = try TrainingSetup(arguments, validate: 0.1)
    training = setup.training
    held = setup.held.count > 0 ? setup.held : nil
    let outputs = [places?.model, places?.weights, report == "-" ? nil : report].compactMap(\.self)
    for place in outputs { try Destination.check(place, against: setup.sources) }
    try Destination.tryOut(outputs, replacing: arguments.has(.force))
  }

  /// "1:0.8"
  private static func privacy(_ text: String?) throws -> UpdatePrivacy? {
    guard let text else { return nil }
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
    guard numbers.count == 2, numbers.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      throw Failure.usage("--privacy takes a norm and a noise above 0, such as 1:0.8, not \(quoted(text))")
    }
    return try UpdatePrivacy(norm: numbers[0], noise: numbers[1])
  }

  func trainer() throws -> Trainer { try setup.trainer(optimizer: optimizer, learning: training) }

  /// Writes the model as the trainer has it, where `--output` says so.
  func write(_ trainer: Trainer) throws {
    guard let places else { return }
    // What stood there before the run was asked for by --force; after that it is the run's own.
    try FilesTogether(
      places.files(of: trainer, extents: setup.extents), replaceExisting: true,
      pending: Interruption.pending
    ).commit()
  }

  /// Says what was written.
  func tell(_ rounds: Int, _ console: Console) {
    guard let places, rounds > 0 else { return }
    console.notice("\(places.model): what \(counted(rounds, "round")) came to")
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
