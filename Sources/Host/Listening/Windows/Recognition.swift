// SPDX-License-Identifier: Apache-2.0

public import Legato

/// The answer of a model to a window of readings.
public struct Recognition: Sendable {
  /// The window's number, from 0.
  public let window: Int
  /// The recording that it is of, where a source has several; nil otherwise.
  public let recording: String?
  /// Where it begins and ends, in seconds since the first reading of the recording: readings, and those that are missing, at
  /// the model's rate.
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
