// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Foundation
internal import GraphIR
internal import Legato
internal import LegatoTraining
internal import LiveHost
internal import Synchronization

/// The learning of `legato live --data`: the model learns beside the sound, and what it learned plays.
///
///     BackgroundTraining ─▶ learned.json, learned.safetensors ─▶ the player, which watches them
///
/// Only numbers change: the code that was made for the first ones serves all.
final class LiveLearning {
  /// The model that plays, and that is written.
  let places: ModelPlaces
  /// Notes on odd data, a line each.
  let notes: [String]
  /// A sentence about what it learns from.
  let beginning: String
  /// The files of the model and of the data.
  let sources: [String]
  private let training: BackgroundTraining
  private let news: News
  /// The files with what there is before anything was learned.
  private let first: [FilesTogether.File]
  private let replaces: Bool
  /// The files that stood in their places before.
  private let former: [FilesTogether.File]
  /// Whether the files in their places are the run's.
  private var hasWritten = false
  private var hasEnded = false

  /// A sentence about what was written last, until somebody asks.
  private final class News: Sendable {
    private let sentence = Mutex<String?>(nil)

    func put(_ progress: Trainer.Progress) {
      sentence.withLock {
        $0 =
          "plays what was learned by epoch \(progress.position.epoch): \(TrainingRun.text(progress.scores))"
          + (progress.validation.map { "; held back: \(TrainingRun.text($0))" } ?? "")
      }
    }

    func take() -> String? {
      sentence.withLock { sentence in
        defer { sentence = nil }
        return sentence
      }
    }
  }

  /// Nil where nothing is to be learned.
  init?(_ arguments: Arguments) throws {
    guard arguments.has(.data) else {
      for option in [Option.output, .align, .loss, .learn, .learningRate, .batch, .window, .validate]
      where arguments.has(option) {
        throw Failure.usage("--\(option.name) goes with --data: a model that learns while it plays")
      }
      return nil
    }
    guard let output = arguments.value(of: .output) else {
      throw Failure.usage("--output is missing: the model that plays as it learns, such as learned.json")
    }
    guard !arguments.has(.noReload) else {
      throw Failure.usage("--no-reload would let nothing be heard of what is learned; leave it or --data out")
    }
    places = try ModelPlaces(output: output)
    let setup = try TrainingSetup(arguments, threads: 1)
    guard setup.model.executesStream else { throw LiveError.executesSteps(setup.model) }
    for place in [places.model, places.weights] { try Destination.check(place, against: setup.sources) }
    let (data, held) = (setup.training, setup.held)
    (notes, sources) = (setup.notes, setup.sources)
    beginning =
      "\(counted(data.count, "example")) to learn from, \(held.count) held back: "
      + (held.count > 0 ? "what is better at these plays" : "whatever was learned plays")
    let trainer = try setup.trainer(learning: data)
    let (places, news, extents) = (places, News(), setup.extents)
    replaces = arguments.has(.force)
    try FilesTogether.check([places.model, places.weights], replaceExisting: replaces)
    former = try [places.model, places.weights].filter { FileManager.default.fileExists(atPath: $0) }
      .map { .init(path: $0, bytes: try FileBytes.read($0, most: .max)) }
    first = try places.files(of: trainer, extents: extents)
    training = try BackgroundTraining(trainer, on: data, validation: held) { trainer, progress in
      try Self.write(places.files(of: trainer, extents: extents), replacing: true)
      news.put(progress)
    }
    self.news = news
  }

  private static func write(_ files: [FilesTogether.File], replacing: Bool) throws(AudioFileError) {
    try FilesTogether(files, replaceExisting: replacing, pending: Interruption.pending).commit()
  }

  /// Writes the files that play.
  func write() throws {
    try Self.write(first, replacing: replaces)
    hasWritten = true
  }

  /// Leaves everything as it was before `write`, where nothing came to play.
  func takeBack() {
    // Files that somebody else has put there meanwhile are not the run's.
    guard hasWritten else { return }
    for file in first where !former.contains(where: { $0.path == file.path }) {
      try? FileManager.default.removeItem(atPath: file.path)
    }
    try? Self.write(former, replacing: true)
  }

  func begin() throws { try training.begin() }

  /// A sentence about what plays now, where that was learned since the last time somebody asked.
  func takeNews() -> String? { news.take() }

  /// Whether it has ended by itself, once: for an error, which `end` throws.
  func takeEnd() -> Bool {
    guard !hasEnded, !training.isLearning else { return false }
    hasEnded = true
    return true
  }

  /// Ends, with what was learned in the files: the best of it, where examples are held back.
  func end() throws { try training.end() }
}
