// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A capture of an amplifier, translated: what a model file would say in its place.
///
///     amp.nam  "architecture": "LSTM", "weights": [0.1, …]
///         ─▶  dst = dense(lstm1_h, weight: 'head.weight', bias: 'head.bias', axis: 0)      lines
///             head.weight [1, 16], head.bias [1], …                                       tensors
///
/// The signal goes in as `src` and comes out as `dst`.
package struct Capture: Sendable {
  /// A line of the graph.
  package struct Line: Sendable {
    package let name: String
    package let expression: String
    /// The part of the file that it stands for.
    package let place: Place
  }

  /// Learned numbers, the last axis contiguous.
  package struct Tensor: Sendable {
    package let name: String
    package let place: Place
    package let shape: [Int]
    package let numbers: Numbers
  }

  /// The levels that a capture was made with.
  package struct Levels: Hashable, Sendable {
    /// The loudness in decibels of the output for the input that captures are measured with.
    package var loudness: Double?
    /// The level in dBu of an input, and of an output, at full scale.
    package var input, output: Double?

    package init(loudness: Double? = nil, input: Double? = nil, output: Double? = nil) {
      (self.loudness, self.input, self.output) = (loudness, input, output)
    }
  }

  package internal(set) var lines: [Line] = []
  package internal(set) var tensors: [Tensor] = []
  package internal(set) var knobs: [CaptureKnob] = []
  package internal(set) var inputs = 1
  package internal(set) var levels = Levels()
  package internal(set) var name: String?
  package internal(set) var author: String?
  package internal(set) var description: String?
  package internal(set) var license: String?
  /// All that the file says about itself, as it stands there.
  package internal(set) var metadata: String?
  /// Whether the file has several sizes of the network.
  package internal(set) var hasSizes = false
  /// In hertz; files that state none are for 48,000.
  package internal(set) var sampleRate = 48_000
  package internal(set) var ratePlace: Place
  /// The place of what tells the shape of the signal.
  package internal(set) var place: Place
  /// The frames of silence that run before the first one, so that the network has settled.
  package internal(set) var prewarm = 0

  /// The number that graphs and weights have room for.
  package static let maximumLines = 65_536
  /// Characters that names have in files of models and tensors.
  static let longestName = 256
}

/// The first thing that is wrong with a capture.
package struct CaptureError: Error, Hashable, Sendable {
  package let place: Place
  package let message: String
}
