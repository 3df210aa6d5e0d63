// SPDX-License-Identifier: Apache-2.0

public import Legato

/// The answer of a model to a window of readings.
public struct Recognition: Sendable {
  /// The window's number, from 0.
  public let window: Int
  /// The recording that it is of, where a source has several; nil otherwise.
  public let recording: String?
  /// The place of its first reading in the recording, from 0; those that are missing are counted.
  public let place: Int
  /// Where it begins and ends, in seconds. Where the source gives times, the first reading's own, and that of the last one
  /// with a step of the model's rate; otherwise since the first reading of the recording, at that rate.
  public let begin, end: Double
  /// The labels of the model, in its order.
  public let labels: [String]
  /// A number for each label.
  public let probabilities: [Float]
  /// All that came out of the window, by the names of the outputs.
  public let outputs: [String: Tensor]

  /// The position of the most probable label; nil where none is a finite number.
  public var best: Int? {
    probabilities.indices.filter { probabilities[$0].isFinite }.max { left, right in
      // Of equal ones the first.
      (probabilities[left], right) < (probabilities[right], left)
    }
  }

  /// The most probable label; nil where none is a finite number.
  public var label: String? { best.map { labels[$0] } }

  /// The probability of the most probable label; 0 where none is a finite number.
  public var probability: Float { best.map { probabilities[$0] } ?? 0 }
}
