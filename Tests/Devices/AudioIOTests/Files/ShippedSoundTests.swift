// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@Suite("Audio files: the sound in models/audio")
struct ShippedSoundTests {
  @Test("four seconds of stereo, -3 dBFS, without offset, silent at both ends")
  func pluckAndDrums() throws {
    let path = PackageFiles.models.appending(path: "audio/pluck-and-drums.wav").path
    let description = try AudioFileReader(path: path).description
    #expect(description.channels == 2 && description.sampleRate == 44100 && description.frames == 4 * 44100)
    #expect(description.sampleFormat == .int16)
    let sound = try Sound.read(path, block: 4096)
    let peak = sound.samples.joined().map { abs($0) }.max() ?? 0
    let level = 20 * log10(peak)
    #expect(abs(level + 3) < 0.01)
    for row in sound.samples {
      let offset = row.reduce(0, +) / Float(row.count)
      #expect(abs(offset) < 1e-4)
      #expect(row.first == 0 && row.last == 0)
      // Loud enough in each half second to hear something.
      for start in stride(from: 0, to: row.count, by: 22050) {
        let power = row[start..<start + 22050].map { $0 * $0 }.reduce(0, +) / 22050
        #expect(10 * log10(power) > -35)
      }
    }
  }
}
