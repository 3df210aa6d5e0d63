// SPDX-License-Identifier: Apache-2.0

package import AudioIO
package import SoundAnalysis

/// A file that was read once, with what was measured of it, and its power over time and frequency.
package struct SpectralFile {
  package let measured: MeasuredFile
  package let spectrogram: Spectrogram

  /// Memory does not depend on the file's length.
  package init(_ reader: AudioFileReader) throws(AudioFileError) {
    let (channels, rate) = (reader.description.channels, reader.description.sampleRate)
    var spectrogram = Spectrogram(channels: channels, sampleRate: rate)
    measured = try MeasuredFile(reader) { buffer, frames in
      for frame in 0..<frames { spectrogram.append { buffer[$0, frame] } }
    }
    self.spectrogram = spectrogram
  }
}

/// The contents of such a file, as data.
package struct SpectralFileReport: Encodable {
  let sound: MeasuredFileReport

  package init(_ file: SpectralFile) { sound = MeasuredFileReport(file.measured) }
}
