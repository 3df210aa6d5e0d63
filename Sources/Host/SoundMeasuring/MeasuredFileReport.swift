// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import SoundAnalysis

/// The measurements of two files as data.
package struct MeasuredFilesReport: Encodable {
  let input, output: MeasuredFileReport

  package init(input: MeasuredFile, output: MeasuredFile) {
    (self.input, self.output) = (MeasuredFileReport(input), MeasuredFileReport(output))
  }
}

/// The measurements of a file.
struct MeasuredFileReport: Encodable {
  let path: String
  let sampleRate, channels, frames: Int
  let seconds: Double
  let all: FiguresReport
  let eachChannel: [FiguresReport]

  init(_ file: MeasuredFile) {
    let measurement = file.measurement
    (path, sampleRate) = (PathText.printable(file.description.path), measurement.sampleRate)
    (channels, frames) = (measurement.channels, measurement.frames)
    (seconds, all) = (measurement.seconds, FiguresReport(measurement.all))
    eachChannel = measurement.figures.map(FiguresReport.init)
  }
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

/// A number that JSON can hold: nil where it is infinite or none.
func finite(_ number: Double) -> Double? { number.isFinite ? number : nil }
