// SPDX-License-Identifier: Apache-2.0

package import AudioIO
package import SoundAnalysis

/// A file that was read from its beginning to its end, and what was measured of it on the way.
package struct MeasuredFile {
  package let description: AudioFileDescription
  package let measurement: SoundMeasurement
  /// The reader's notices about the file, a line each.
  package let notices: [String]

  /// Memory does not depend on the file's length.
  ///
  /// - Parameter visit: sees each block, and how many frames it has.
  package init(
    _ reader: AudioFileReader, visit: (PlanarBuffer, Int) -> Void = { _, _ in }
  ) throws(AudioFileError) {
    description = reader.description
    let block = 4096
    let buffer = PlanarBuffer(channels: description.channels, capacity: block)
    var measurement = SoundMeasurement(
      channels: description.channels, sampleRate: description.sampleRate,
      fullScale: description.sampleFormat.fullScale)
    while true {
      let frames = unsafe try reader.read(into: buffer.rows, frames: block)
      if frames == 0 { break }
      measurement.append(frames: frames) { buffer[$0, $1] }
      visit(buffer, frames)
    }
    self.measurement = measurement
    notices = reader.notices
  }
}

extension SampleFormat {
  /// The magnitude from which on a sample may have been clipped: the highest that integers hold, or 1.
  fileprivate var fullScale: Float {
    guard let bits = integerBits, bits <= 24 else { return 1 }
    return 1 - Float(1) / Float(1 << (bits - 1))
  }
}
