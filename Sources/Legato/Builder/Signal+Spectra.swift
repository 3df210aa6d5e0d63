// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Stretches of a signal's last axis, of which each has a spectrum; the conventions of `torch.stft` and librosa.
public struct SpectrumFrames: Hashable, Sendable {
  /// A periodic window.
  public enum Window: String, Sendable {
    case hann, hamming, blackman, rectangular
  }

  /// The numbers beyond both ends, half a size of them: the signal backwards, zeros, or none, so that fewer stretches fit.
  public enum Padding: String, Sendable {
    case reflect, zeros, none
  }

  /// Numbers of a stretch.
  public var size: Int
  /// Numbers from one stretch to the next; a quarter of the size where it is nil.
  public var hop: Int?
  /// Numbers of the window, which lies in the middle of a stretch; the size where it is nil.
  public var windowSize: Int?
  public var window: Window
  public var padding: Padding

  public init(
    size: Int, hop: Int? = nil, windowSize: Int? = nil, window: Window = .hann, padding: Padding = .reflect
  ) {
    (self.size, self.hop, self.windowSize) = (size, hop, windowSize)
    (self.window, self.padding) = (window, padding)
  }

  var attributes: [String: Call.Argument] {
    var attributes: [String: Call.Argument] = [
      "size": .integer(size), "window": .choice(window.rawValue), "padding": .choice(padding.rawValue),
    ]
    if let hop { attributes["hop"] = .integer(hop) }
    if let windowSize { attributes["windowSize"] = .integer(windowSize) }
    return attributes
  }
}

/// Triangular bands of a spectrum, which lie as far apart as they sound.
public struct MelBands: Hashable, Sendable {
  /// The scale that bands are even on: O'Shaughnessy's, as torchaudio, or Slaney's, as librosa unless told otherwise.
  public enum Scale: String, Sendable {
    case htk, slaney
  }

  /// The height of a band: 1, or such that its area is 1.
  public enum Norm: String, Sendable {
    case none, slaney
  }

  public var count: Int
  /// Hertz.
  public var low: Double
  /// Hertz; half the rate where it is nil.
  public var high: Double?
  /// Numbers per second; the graph's rate where it is nil.
  public var rate: Double?
  public var scale: Scale
  public var norm: Norm

  public init(
    _ count: Int = 128, low: Double = 0, high: Double? = nil, rate: Double? = nil, scale: Scale = .htk,
    norm: Norm = .none
  ) {
    (self.count, self.low, self.high, self.rate) = (count, low, high, rate)
    (self.scale, self.norm) = (scale, norm)
  }

  var attributes: [String: Call.Argument] {
    var attributes: [String: Call.Argument] = [
      "mels": .integer(count), "low": .number(low), "scale": .choice(scale.rawValue),
      "norm": .choice(norm.rawValue),
    ]
    if let high { attributes["high"] = .number(high) }
    if let rate { attributes["rate"] = .number(rate) }
    return attributes
  }
}

/// Spectra along a fixed axis.
extension Signal {
  /// Real numbers, or complex ones, whose real and imaginary parts are the axis before.
  public enum SpectrumNumbers: String, Sendable {
    case real, complex
  }

  /// The bins of a spectrum: up to half the rate, which is all there is of real numbers, or all.
  public enum SpectrumBins: String, Sendable {
    case half, all
  }

  /// The discrete Fourier transform of an axis: `[2, bins]` in its place, real parts and then imaginary ones.
  public func fourier(
    axis: Int = -1, input: SpectrumNumbers = .real, bins: SpectrumBins = .half
  ) -> Signal {
    call(
      "fourier", [],
      ["axis": .integer(axis), "input": .choice(input.rawValue), "bins": .choice(bins.rawValue)])
  }

  /// The numbers of which `fourier` makes a spectrum.
  ///
  /// - Parameters:
  ///   - axis: The bins; their real and imaginary parts are the axis before.
  ///   - size: Numbers of the result; where it is nil an even number of real ones.
  ///   - output: Real numbers, of bins up to half the rate, or complex ones, of all.
  public func inverseFourier(axis: Int = -1, size: Int? = nil, output: SpectrumNumbers = .real) -> Signal {
    var attributes: [String: Call.Argument] = ["axis": .integer(axis), "output": .choice(output.rawValue)]
    if let size { attributes["size"] = .integer(size) }
    return call("inverseFourier", [], attributes)
  }

  /// The short-time Fourier transform of the last axis, as `[2, bins, positions]`.
  public func stft(_ frames: SpectrumFrames) -> Signal { call("stft", [], frames.attributes) }

  /// The numbers of which `stft` makes spectra `[2, bins, positions]`: stretches added where they overlap.
  ///
  /// - Parameters:
  ///   - frames: As they were for `stft`.
  ///   - length: Numbers of the result, the last of them 0 where no stretch is; nil for those between the middles of the
  ///     first and the last stretch, or all where nothing was padded.
  public func istft(_ frames: SpectrumFrames, length: Int? = nil) -> Signal {
    call("istft", [], frames.attributes.merging(length.map { ["length": .integer($0)] } ?? [:]) { $1 })
  }

  /// How strong each bin of `stft` is, as `[bins, positions]`: the power-th power of its size.
  public func spectrogram(_ frames: SpectrumFrames, power: Double = 2) -> Signal {
    call("spectrogram", [], frames.attributes.merging(["power": .number(power)]) { $1 })
  }

  /// `spectrogram` in bands, as `[mels, positions]`.
  public func melSpectrogram(
    _ frames: SpectrumFrames, _ bands: MelBands = MelBands(), power: Double = 2
  ) -> Signal {
    call("melSpectrogram", [], attributes(frames, bands, power))
  }

  /// The natural logarithm of `melSpectrogram`, in which numbers below `floor` count as that.
  public func logMel(
    _ frames: SpectrumFrames, _ bands: MelBands = MelBands(), power: Double = 2, floor: Double = 1e-10
  ) -> Signal {
    call("logMel", [], attributes(frames, bands, power).merging(["floor": .number(floor)]) { $1 })
  }

  /// Mel-frequency cepstral coefficients, as `[count, positions]`: the orthonormal cosine transform of `melSpectrogram` in
  /// decibels, at most 80 below the loudest.
  public func mfcc(
    _ frames: SpectrumFrames, count: Int = 40, _ bands: MelBands = MelBands(), power: Double = 2
  ) -> Signal {
    call("mfcc", [], attributes(frames, bands, power).merging(["count": .integer(count)]) { $1 })
  }

  private func attributes(
    _ frames: SpectrumFrames, _ bands: MelBands, _ power: Double
  ) -> [String: Call.Argument] {
    frames.attributes.merging(bands.attributes) { $1 }.merging(["power": .number(power)]) { $1 }
  }
}
