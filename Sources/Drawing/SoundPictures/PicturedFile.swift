// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import SoundAnalysis
package import SoundMeasuring

/// A sound of which a picture is drawn, and what is said of it.
package struct PicturedFile {
  let path: String
  let measurement: SoundMeasurement
  private let formatName: String

  package init(_ file: MeasuredFile) {
    path = file.description.path
    (measurement, formatName) = (file.measurement, file.description.sampleFormat.name)
  }

  /// The name in pictures: that of the file without its folders.
  var name: String {
    path == AudioFileReader.standardInput ? "standard input" : PathText.printable(PathText.name(of: path))
  }

  /// The lines below the name in pictures.
  var captions: [String] {
    let all = measurement.all
    let channels = measurement.channels == 1 ? "mono" : counted(measurement.channels, "channel")
    var numbers = ["peak \(fullScaleDecibels(all.peak))", "RMS \(fullScaleDecibels(all.rms))"]
    if all.rms > 0 { numbers.append("crest \(decimals(decibels(ofAmplitude: all.peak / all.rms), 1)) dB") }
    numbers.append("DC \(decimals(all.mean, 4))")
    let full = all.fullScaleSamples
    numbers.append(full == 0 ? "nothing clipped" : "\(counted(full, "sample")) at full scale")
    if all.nonFiniteSamples > 0 { numbers.append("\(counted(all.nonFiniteSamples, "sample")) not finite") }
    return [
      "\(decimals(measurement.seconds, 2)) s, \(channels) at \(measurement.sampleRate) Hz, \(formatName)",
      numbers.joined(separator: " · "),
    ]
  }
}
