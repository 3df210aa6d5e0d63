// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Bands of frequencies that lie as far apart as they sound: triangles over the bins of a spectrum.
struct MelBands {
  var count: Int
  var low, high: Double
  var rate: Double
  var isSlaney, isNormalized: Bool

  static let spectrogramSlots: [Function.Slot] =
    [.value("x")] + SpectrumFrames.slots + [
      .number("power", .number(2)), .integer("mels", .integer(128)), .number("low", .number(0)),
      .number("high", .absent), .number("rate", .absent), .choice("scale", ["htk", "slaney"]),
      .choice("norm", ["none", "slaney"]),
    ]

  init(_ call: Call, _ graph: Graph) throws(TypingError) {
    rate = call.optionalNumber("rate") ?? graph.sampleRate
    (count, low, high) = (call.integer("mels"), call.number("low"), call.optionalNumber("high") ?? rate / 2)
    (isSlaney, isNormalized) = (call.choice("scale") == "slaney", call.choice("norm") == "slaney")
    guard (1...4096).contains(count) else { throw TypingError("mels must lie in 1…4096; they are \(count)") }
    guard rate > 0, low >= 0, low < high, high <= rate / 2 else {
      throw TypingError(
        "bands go from low, which is 0 or more, to high, which is at most half of rate; these go from \(low) to \(high) of "
          + "\(rate) hertz")
    }
  }

  /// How much of each bin each band takes, `[count, bins]`.
  ///
  /// As `torchaudio.functional.melscale_fbanks` and `librosa.filters.mel` have it.
  func weights(bins: Int) -> [Double] {
    let (first, last) = (mel(low), mel(high))
    let edges = (0...count + 1).map { hertz(first + (last - first) * Double($0) / Double(count + 1)) }
    return (0..<count).flatMap { band in
      let (from, middle, to) = (edges[band], edges[band + 1], edges[band + 2])
      return (0..<bins).map { bin in
        let frequency = rate / 2 * Double(bin) / Double(max(1, bins - 1))
        let height = max(0, min((frequency - from) / (middle - from), (to - frequency) / (to - middle)))
        return isNormalized ? height * 2 / (to - from) : height
      }
    }
  }

  /// Slaney's scale is even up to 1000 Hz, 200 / 3 Hz apart, and goes by factors beyond: 27 steps for 6.4.
  private func mel(_ hertz: Double) -> Double {
    guard isSlaney else { return 2595 * log10(1 + hertz / 700) }
    return hertz < 1000 ? hertz * 3 / 200 : 15 + log(hertz / 1000) * 27 / log(6.4)
  }

  private func hertz(_ mel: Double) -> Double {
    guard isSlaney else { return 700 * (pow(10, mel / 2595) - 1) }
    return mel < 15 ? mel * 200 / 3 : 1000 * exp((mel - 15) * log(6.4) / 27)
  }
}

extension GraphAssembler {
  /// `[…, mels, positions]`
  mutating func melSpectrogram(_ call: Call, _ frames: SpectrumFrames) throws(TypingError) -> ValueID {
    let bands = try MelBands(call, graph)
    let spectrum = try spectrogram(call, frames)
    let name =
      "\(bands.count) \(call.choice("scale")) bands of \(frames.bins) bins from \(bands.low) to \(bands.high) of "
      + "\(bands.rate) Hz, norm \(call.choice("norm"))"
    let weights = array(name, [bands.count, frames.bins], bands.weights(bins: frames.bins))
    return try apply(.dense(axis: frames.before.count), spectrum, weights)
  }

  /// `[…, count, positions]`: decibels, at most 80 below the loudest of all bands, positions and channels, which are the
  /// last axis before (`torchaudio.transforms.MFCC`), through DCT II.
  mutating func cepstrum(_ call: Call, _ frames: SpectrumFrames) throws(TypingError) -> ValueID {
    let (count, mels) = (call.integer("count"), call.integer("mels"))
    let mel = try melSpectrogram(call, frames)
    guard (1...mels).contains(count) else {
      throw TypingError("\(mels) mels have 1 to \(mels) coefficients, not \(count)")
    }
    let outer = frames.before.dropLast().reduce(1, *)
    let level = Formula(.unary(.log), .max(Formula(mel), 1e-10)) * Formula(10 / log(10.0))
    let flat = Formula(.reshape([outer, (frames.before.last ?? 1) * mels * frames.positions]), level)
    let loudest = Formula(.reshape([outer, 1]), Formula(.maximum(axis: 1), flat))
    let kept = Formula(.reshape(frames.before + [mels, frames.positions]), .max(flat, loudest - 80))
    let cosines = (0..<count).flatMap { row in
      (0..<mels).map { place in
        let scale = (row == 0 ? 1 : 2.0).squareRoot() / Double(mels).squareRoot()
        return scale * cos(.pi * Double(row) * (Double(place) + 0.5) / Double(mels))
      }
    }
    let matrix = array("\(count) cosines of \(mels)", [count, mels], cosines)
    return try apply(.dense(axis: frames.before.count), kept.value(in: &self), matrix)
  }
}
