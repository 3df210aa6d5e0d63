// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoundAnalysis
import Testing

@Suite("Spectrograms")
struct SpectrogramTests {
  private func spectrogram(_ rows: [[Float]], rate: Int = 16_000, columns: Int = 1024) -> Spectrogram {
    var result = Spectrogram(channels: rows.count, sampleRate: rate, columns: columns)
    for frame in rows[0].indices { result.append { rows[$0][frame] } }
    return result
  }

  private func sine(_ hertz: Double, frames: Int, from begin: Int = 0, rate: Double = 16_000) -> [Float] {
    (0..<frames).map { $0 < begin ? 0 : Float(sin(2 * .pi * hertz * Double($0) / rate)) }
  }

  @Test("a sine at full scale is at 0 dB in the row of its frequency", arguments: [125.0, 1000, 5000])
  func sines(hertz: Double) throws {
    // All are in the middle of a bin: 1,024 frames at 16 kHz.
    let spectrogram = spectrogram([sine(hertz, frames: 16_000), sine(hertz, frames: 16_000)])
    let (columns, seconds) = spectrogram.decibels
    #expect(abs(seconds - 1) < 0.064)
    let middle = columns[columns.count / 2]
    let loudest = try #require(middle.indices.max { middle[$0] < middle[$1] })
    let range = spectrogram.frequencies
    func edge(_ row: Int) -> Double {
      range.lowerBound * pow(range.upperBound / range.lowerBound, Double(row) / Double(middle.count))
    }
    #expect(abs(middle[loudest]) < 0.5, "\(middle[loudest])")
    #expect(edge(loudest) * 0.9 < hertz && edge(loudest + 1) * 1.1 > hertz)
    #expect(middle[0] < -50 || hertz < 200)
  }

  @Test("what begins in the middle is seen there, however many columns are joined", arguments: [16, 1024])
  func time(most: Int) throws {
    let (columns, seconds) = spectrogram([sine(1000, frames: 64_000, from: 32_000)], columns: most).decibels
    #expect(columns.count <= most && abs(seconds - 4) < 0.04)
    let first = try #require(columns.firstIndex { ($0.max() ?? -200) > -20 })
    let begin = Double(first) * seconds / Double(columns.count)
    #expect(abs(begin - 2) < max(0.07, seconds / Double(columns.count) + 0.01))
  }

  @Test("silence, one frame and samples that are no numbers have columns without harm")
  func odd() {
    for rows: [[Float]] in [[[0]], [[.nan, .infinity, 1]], [[Float](repeating: 0, count: 5000)]] {
      let (columns, seconds) = spectrogram(rows).decibels
      #expect(!columns.isEmpty && seconds > 0 && columns.joined().allSatisfy(\.isFinite))
    }
    #expect(Spectrogram(channels: 1, sampleRate: 100).decibels.columns.isEmpty)
    #expect(spectrogram([[1, 0, 0]], rate: 1).decibels.columns.count == 1)
  }
}
