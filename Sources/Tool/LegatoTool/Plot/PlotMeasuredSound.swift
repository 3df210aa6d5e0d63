// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import SoundAnalysis

/// A file that was read from its beginning to its end, and what was measured of it on the way.
struct MeasuredSound {
  let path: String
  let measurement: SoundMeasurement
  let notices: [String]
  private let formatName: String

  /// Memory does not depend on the file's length.
  init(_ reader: AudioFileReader) throws {
    let sound = reader.description
    path = sound.path
    formatName = sound.sampleFormat.name
    let block = 4096
    let buffer = PlanarBuffer(channels: sound.channels, capacity: block)
    var measurement = SoundMeasurement(
      channels: sound.channels, sampleRate: sound.sampleRate, fullScale: sound.sampleFormat.fullScale)
    while true {
      let frames = unsafe try reader.read(into: buffer.rows, frames: block)
      if frames == 0 { break }
      measurement.append(frames: frames) { buffer[$0, $1] }
    }
    guard measurement.frames > 0 else {
      throw Failure.faults(["\(sound.path): has no frames; there is nothing to draw"])
    }
    self.measurement = measurement
    let odd = measurement.all.nonFiniteSamples
    notices =
      reader.notices
      + (odd > 0
        ? ["\(sound.path): \(counted(odd, "sample")) infinite or not a number, drawn as silence"] : [])
  }

  /// What pictures call it: the file without its folders.
  var name: String {
    path == AudioFileReader.standardInput ? "standard input" : printablePath(PathText.name(of: path))
  }

  /// What a picture says of it, line by line.
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

  var report: SoundReport {
    SoundReport(
      path: printablePath(path), sampleRate: measurement.sampleRate, channels: measurement.channels,
      frames: measurement.frames, seconds: measurement.seconds, all: FiguresReport(measurement.all),
      eachChannel: measurement.figures.map(FiguresReport.init))
  }
}

extension SampleFormat {
  /// The magnitude from which on a sample may have been clipped: the highest that integers hold, or 1.
  fileprivate var fullScale: Float {
    guard let bits = integerBits, bits <= 24 else { return 1 }
    return 1 - Float(1) / Float(1 << (bits - 1))
  }
}
