// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
package import LegatoTraining

/// The report of a run of `legato train`: what each epoch came to.
package struct TrainingReport: Codable, Sendable {
  /// Nil of a report from before there were versions.
  package let version: Int?
  package let epochs: [TrainingSession.Epoch]
  /// The epoch whose weights were written; 0 where none was.
  package let best: Int
  /// The expression that was made small; nil of a report from before it was said.
  package let loss: String?
  package let confusion: ConfusionReport?

  package init(epochs: [TrainingSession.Epoch], best: Int, loss: String?, confusion: ConfusionReport?) {
    version = LearningReport.version
    (self.epochs, self.best, self.loss, self.confusion) = (epochs, best, loss, confusion)
  }
}

/// The report of `legato evaluate`.
package struct EvaluationReport: Codable, Sendable {
  /// Nil of a report from before there were versions.
  package let version: Int?
  package let scores: [String: Double?]
  package let confusion: ConfusionReport?

  package init(scores: [String: Double?], confusion: ConfusionReport?) {
    version = LearningReport.version
    (self.scores, self.confusion) = (scores, confusion)
  }
}

/// The confusion matrix of a classifier, with the names of the classes.
package struct ConfusionReport: Codable, Sendable {
  package let labels: [String]
  /// The share that is right.
  package let accuracy: Double
  /// By the actual class, then by the one that it was taken for.
  package let counts: [[Int]]

  package init(labels: [String], accuracy: Double, counts: [[Int]]) {
    (self.labels, self.accuracy, self.counts) = (labels, accuracy, counts)
  }
}

/// A report of one of them.
package enum LearningReport {
  case training(TrainingReport)
  case evaluation(EvaluationReport)

  /// The version that is written, and read; reports of before it had one are as this is.
  package static let version = 1

  /// The reason why a file is none, as it follows the file's name.
  package struct Refusal: Error {
    package let message: String
  }

  /// The key that tells one from the other, and from other files.
  private struct Kind: Decodable {
    let version: Int?
    let hasEpochs, hasScores: Bool

    enum CodingKeys: CodingKey { case version, epochs, scores }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      version = try fields.decodeIfPresent(Int.self, forKey: .version)
      (hasEpochs, hasScores) = (fields.contains(.epochs), fields.contains(.scores))
    }
  }

  /// Reads a report, and checks that what it says can be drawn.
  package init(_ bytes: some Sequence<UInt8>) throws(Refusal) {
    let data = Data(bytes)
    let other = Refusal(message: "is no report of legato train --report, or of legato evaluate --json")
    guard let kind = try? JSONDecoder().decode(Kind.self, from: data), kind.hasEpochs || kind.hasScores else {
      throw other
    }
    guard kind.version ?? Self.version == Self.version else {
      let found = kind.version ?? 0
      throw Refusal(
        message: "is a report of version \(found), of another legato; this one reads version \(Self.version)")
    }
    do {
      self =
        kind.hasEpochs
        ? .training(try JSONDecoder().decode(TrainingReport.self, from: data))
        : .evaluation(try JSONDecoder().decode(EvaluationReport.self, from: data))
    } catch {
      throw Refusal(message: "is a damaged report: \(Self.words(for: error))")
    }
    try check()
  }

  /// Where it is damaged.
  private static func words(for error: any Error) -> String {
    let path: [any CodingKey]
    switch error {
    case DecodingError.keyNotFound(let key, let context): path = context.codingPath + [key]
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      path = context.codingPath
    case _: path = []
    }
    let place = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    return place.isEmpty ? "it is no JSON" : "\(quoted(place)) is missing or of another kind"
  }

  private func check() throws(Refusal) {
    let confusion: ConfusionReport?
    switch self {
    case .training(let report):
      guard !report.epochs.isEmpty else {
        throw Refusal(message: "is of a run without a whole epoch; there is nothing to draw")
      }
      guard report.epochs.allSatisfy({ (1...1_000_000_000).contains($0.epoch) }) else {
        throw Refusal(message: "is a damaged report: epochs are counted from 1")
      }
      confusion = report.confusion
    case .evaluation(let report): confusion = report.confusion
    }
    guard let confusion else { return }
    let count = confusion.labels.count
    guard count > 0, confusion.counts.count == count, (0...1).contains(confusion.accuracy),
      confusion.counts.allSatisfy({
        $0.count == count && $0.allSatisfy { (0...1_000_000_000_000).contains($0) }
      })
    else {
      throw Refusal(message: "is a damaged report: its classes are \(count), and its table is of others")
    }
  }
}

extension ConfusionReport {
  /// A class, and how much of it is right.
  package struct Class: Sendable {
    package let label: String
    /// How many there are of it.
    package let examples: Int
    /// The share of the class that is found, and of what is predicted as it that is it; nil of none.
    package let recall, precision: Double?
  }

  package var classes: [Class] {
    labels.indices.map { index in
      let hits = Double(counts[index][index])
      let (examples, called) = (counts[index].reduce(0, +), counts.reduce(0) { $0 + $1[index] })
      return Class(
        label: labels[index], examples: examples, recall: examples > 0 ? hits / Double(examples) : nil,
        precision: called > 0 ? hits / Double(called) : nil)
    }
  }
}
