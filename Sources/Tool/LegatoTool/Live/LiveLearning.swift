// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato
internal import LegatoTraining
internal import Synchronization

/// What `legato live` does with `--data`: the model learns beside the sound, and what it learned plays.
///
///     BackgroundTraining ─▶ learned.json, learned.safetensors ─▶ the player, which watches them
///
/// Only numbers change: the code that was made for the first ones serves all.
final class LiveLearning {
  /// The model that plays, and that is written.
  let places: ModelPlaces
  private let training: BackgroundTraining
  private let news: News
  private var hasEnded = false

  /// What was learned when it was written last, until somebody asks.
  private final class News: Sendable {
    private let sentence = Mutex<String?>(nil)

    func put(_ progress: Trainer.Progress) {
      sentence.withLock {
        $0 =
          "plays what was learned by epoch \(progress.position.epoch): \(TrainingRun.text(progress.scores))"
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
      for option in [Option.output, .loss, .learn, .learningRate, .batch, .window] where arguments.has(option)
      {
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
    for place in [places.model, places.weights] { try Destination.check(place, against: setup.model.files) }
    let trainer = try setup.trainer()
    let (places, news, extents) = (places, News(), setup.extents)
    @Sendable func write(_ trainer: Trainer, replacing: Bool) throws {
      try FilesTogether(
        try places.files(of: trainer, extents: extents), replaceExisting: replacing,
        pending: Interruption.pending
      ).commit()
    }
    try write(trainer, replacing: arguments.has(.force))
    training = try BackgroundTraining(trainer, on: setup.data) { trainer, progress in
      try write(trainer, replacing: true)
      news.put(progress)
    }
    self.news = news
  }

  func begin() throws { try training.begin() }

  /// What plays now, where that was learned since the last time somebody asked.
  func takeNews() -> String? { news.take() }

  /// Whether it has ended by itself, once: for an error, which `end` throws.
  func takeEnd() -> Bool {
    guard !hasEnded, !training.isLearning else { return false }
    hasEnded = true
    return true
  }

  /// Ends, with all that was learned in the files.
  func end() throws { try training.end() }
}
