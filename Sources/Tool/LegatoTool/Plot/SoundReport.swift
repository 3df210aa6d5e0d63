// SPDX-License-Identifier: Apache-2.0

internal import SoundAnalysis

/// What `plot --json` prints of two files.
struct SoundsReport: Encodable {
  let input, output: SoundReport
}

/// What is measured of a file.
struct SoundReport: Encodable {
  let path: String
  let sampleRate, channels, frames: Int
  let seconds: Double
  let all: FiguresReport
  let eachChannel: [FiguresReport]
}

/// Levels are of 1, in decibels; those of silence are left out.
struct FiguresReport: Encodable {
  let peakDecibels, rmsDecibels, crestDecibels: Double?
  let mean: Double
  let fullScaleSamples, nonFiniteSamples: Int

  init(_ figures: SoundMeasurement.Figures) {
    peakDecibels = finite(decibels(ofAmplitude: figures.peak))
    rmsDecibels = finite(decibels(ofAmplitude: figures.rms))
    crestDecibels = finite(decibels(ofAmplitude: figures.peak / figures.rms))
    mean = figures.mean
    fullScaleSamples = figures.fullScaleSamples
    nonFiniteSamples = figures.nonFiniteSamples
  }
}
