// SPDX-License-Identifier: Apache-2.0

/// The way from a file's rate to a model's, and back.
///
///     file at 44100 Hz ─▶ source ─▶ model at 48000 Hz ─▶ sink ─▶ file at 44100 Hz
package struct RateConversion {
  /// Makes what goes into the model.
  let source: Resampler
  /// Takes what comes out of the model.
  let sink: Resampler

  /// - Parameters:
  ///   - inputs: the channels that are used, of the file that is read.
  ///   - outputs: how many channels the file has that is written.
  package init(
    fileRate: Int, modelRate: Int, inputs: [Int], outputs: Int, quality: ResamplingQuality
  ) throws(ResamplerError) {
    source = try Resampler(channels: inputs, from: fileRate, to: modelRate, quality: quality)
    sink = try Resampler(channels: Array(0..<outputs), from: modelRate, to: fileRate, quality: quality)
  }
}
