// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation

/// The texts in the checkpoint of a session, beside weights: as one text of JSON, "run".
struct SessionState: Codable {
  /// The terms that have to be the same for the run to go on.
  let terms: TrainingTerms
  private let epoch, batch: Int
  /// The sums of the scores over the batches of the epoch that are done; nil in an older file.
  private let tally: Trainer.Tally?
  /// The mean scores of these, as older files have them in its place.
  private let partial: [String: Double?]?
  /// The smallest loss, and the epoch that had it: 0 is that of the weights before the first one; nil and 0 where there is
  /// none.
  let best: Double?
  let bestEpoch: Int
  /// The epochs until now.
  let epochs: [TrainingSession.Epoch]
  /// The files that come of the run, by their paths from the root.
  private let results: [String]

  var position: Trainer.Position { .init(epoch: epoch, batch: batch) }

  /// The sums of the scores over the batches of the epoch that are done, whichever of both the file has.
  var done: Trainer.Tally {
    if let tally { return tally }
    var tally = Trainer.Tally()
    guard batch > 0, let partial else { return tally }
    for case (let name, let mean?) in partial {
      tally.sums[name] = .init(total: mean * Double(batch), count: Double(batch))
    }
    return tally
  }

  init(
    terms: TrainingTerms, position: Trainer.Position, tally: Trainer.Tally, best: Double, bestEpoch: Int,
    epochs: [TrainingSession.Epoch], results: [String]
  ) {
    (self.terms, epoch, batch) = (terms, position.epoch, position.batch)
    (self.tally, partial, self.best, self.bestEpoch) = (tally, nil, best.isFinite ? best : nil, bestEpoch)
    self.epochs = epochs
    self.results = results.map(PathPlace.withoutLinks)
  }

  /// Whether a file came of the run, which may replace it, from whichever folder it goes on.
  func owns(_ path: String) -> Bool { results.contains(PathPlace.withoutLinks(path)) }

  func properties(seed: UInt64) throws -> [String: String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The sum of a metric need not be a number.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return ["run": String(decoding: try encoder.encode(self), as: UTF8.self), "seed": String(seed)]
  }

  /// - Throws: `TrainingError.file` where the texts are of no such run.
  init(_ checkpoint: Checkpoint, _ path: String) throws(TrainingError) {
    let text = checkpoint.properties["run"] ?? ""
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let stated = try? decoder.decode(Self.self, from: Data(text.utf8)),
      stated.isWhole(hasBest: checkpoint.best != nil)
    else {
      throw .file("\(path): does not say which run it is of: it is no checkpoint of legato train")
    }
    self = stated
  }

  /// Whether all epochs before the present one are there, and the best one is among them exactly where its arrays are.
  private func isWhole(hasBest: Bool) -> Bool {
    guard epoch >= 1, batch >= 0, epochs.count == epoch - 1, tally?.isOf(batches: batch) ?? true else {
      return false
    }
    return epochs.enumerated().allSatisfy { $1.epoch == $0 + 1 } && (best != nil) == hasBest
      && (hasBest ? 0..<epoch ~= bestEpoch : bestEpoch == 0)
  }
}
