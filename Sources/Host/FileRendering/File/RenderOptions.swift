// SPDX-License-Identifier: Apache-2.0

public import AudioIO
public import Legato

/// The options of a renderer, beside its model: blocks, channels, tail, resampling and the format of what is written.
public struct RenderOptions: Sendable {
  /// How the model is compiled; `keepsCode` is a good idea where many short runs use the same models.
  public var compiler = CompilerOptions()
  /// Frames that are executed at a time, from 1 to 65,536. It changes time, never the sound.
  public var block = 4096
  /// The channels of the input that the model reads, counted from 0, in order; nil for all, and for a single one
  /// twice where the model is for two.
  public var inputs: [Int]?
  /// The channels of the model's outputs that are written, counted from 0, in order; nil for all.
  public var outputs: [Int]?
  /// How much is written of what sounds on after the input's end.
  public var tail = Tail.seconds(0)
  /// How files are resampled that have another rate than the one that the model states.
  public var quality = ResamplingQuality.best
  /// How samples are stored; nil for the input's format. A type that cannot hold it gets the nearest, with a notice.
  public var sampleFormat: SampleFormat?
  /// The noise where samples have fewer than 24 bits.
  public var dither = Dither.triangular(seed: 0)
  /// Whether a file that stands in an output's place is replaced; the input itself always is.
  public var replacesExisting = false
  /// Whether each output is on the disk before it gets its name, for power cuts.
  public var syncs = false
  /// Whether the run ends at the first number that is not finite, and says what made it; takes longer.
  public var findsNonFinite = false
  /// The place where unfinished files are noted, for a program that is interrupted by a signal; nil for nowhere.
  public var pending: PendingFiles?

  public init() {}

  /// Throws where no file can be rendered with them.
  func check() throws(RequestError) {
    guard (1...65_536).contains(block) else { throw RequestError("\(.block) takes 1 to 65536 frames") }
    for (name, channels) in [(RequestError.Name.inputs, inputs), (.outputs, outputs)] {
      guard channels != [] else { throw RequestError("\(name) names no channel; nil is for all") }
      guard let wrong = channels?.first(where: { $0 < 0 }) else { continue }
      throw RequestError("\(name): there is no channel \(wrong); the first one is 0")
    }
    if case .seconds(let seconds) = tail, !(0...3600).contains(seconds) {
      throw RequestError("\(.tail) takes 0 to 3600 seconds")
    }
  }

  /// The options of the writer of an output.
  var writer: AudioFileWriter.Options {
    var options = AudioFileWriter.Options()
    (options.sampleFormat, options.dither) = (sampleFormat, dither)
    (options.replaceExisting, options.syncs) = (replacesExisting, syncs)
    return options
  }
}
