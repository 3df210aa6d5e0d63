// SPDX-License-Identifier: Apache-2.0

/// The results of a file that was rendered.
public struct RenderedFile: Sendable {
  /// Frames that were written.
  public internal(set) var frames = 0
  /// Frames per second.
  public internal(set) var sampleRate = 0
  public internal(set) var channels = 0
  /// How samples are stored, as a sentence names it: "24 bit".
  public internal(set) var sampleFormat = ""
  /// The channels of each output, such as "wet 1-2, dry 3"; nil where there is only one output.
  public internal(set) var legend: String?
  /// The rate that the sound was resampled to and back from, in hertz; nil where it was not.
  public internal(set) var modelRate: Int?
  /// The program's latency in frames of the model's rate, which are left out at the beginning.
  public internal(set) var latency = 0
  /// The largest magnitude, before samples are rounded; full scale is 1.
  public internal(set) var peak: Float = 0
  /// Samples beyond full scale.
  public internal(set) var clipped = 0
  /// Samples that were not finite and became silent.
  public internal(set) var nonFinite = 0
  /// How many of them came in; a filter would not have forgotten them.
  public internal(set) var nonFiniteInput = 0
  /// The first of these: its frame, counted from 0, where that is in seconds, and its channel, counted from 1.
  public internal(set) var firstNonFiniteInput: (frame: Int, seconds: Double, channel: Int)?
  /// The delays by a signal that were asked for frames outside of their ranges.
  public internal(set) var outsideDelays: [OutsideDelay] = []

  package init() {}

  /// How long it is.
  public var seconds: Double { sampleRate > 0 ? Double(frames) / Double(sampleRate) : 0 }
}
