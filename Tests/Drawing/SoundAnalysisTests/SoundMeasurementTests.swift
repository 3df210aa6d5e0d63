// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoundAnalysis
import TestEquipment
import Testing

@Suite("Measuring sounds")
struct SoundMeasurementTests {
  /// Measures rows of samples, some frames at a time.
  private func measured(
    _ rows: [[Float]], rate: Int = 48_000, fullScale: Float = 1, block: Int = 1000
  ) -> SoundMeasurement {
    var measurement = SoundMeasurement(channels: rows.count, sampleRate: rate, fullScale: fullScale)
    var start = 0
    while start < rows[0].count {
      let count = min(block, rows[0].count - start)
      measurement.append(frames: count) { rows[$0][start + $1] }
      start += count
    }
    return measurement
  }

  private func sine(_ hertz: Double, _ amplitude: Double = 1, frames: Int, rate: Double = 48_000) -> [Float] {
    (0..<frames).map { Float(amplitude * sin(2 * .pi * hertz * Double($0) / rate)) }
  }

  @Test(
    "a sine at full scale: peak 0 dB, RMS -3.01 dB, crest 3.01 dB, 0 dB in its bin", arguments: [1, 2])
  func fullScaleSine(_ channels: Int) throws {
    let row = sine(1000.0 / 1024 * 1500, frames: 48_000)
    let measurement = measured(Array(repeating: row, count: channels))
    let all = measurement.all
    #expect(abs(decibels(ofAmplitude: all.peak)) < 0.001)
    #expect(abs(decibels(ofAmplitude: all.rms) + 3.0103) < 0.001)
    #expect(abs(all.mean) < 1e-4 && all.frames == channels * row.count && measurement.seconds == 1)
    let loudest = try #require(measurement.powerByFrequency.max { $0.power < $1.power })
    #expect(abs(loudest.hertz - 1464.84375) < 0.01)
    #expect(abs(decibels(ofPower: loudest.power)) < 0.01)
    for point in measurement.levelsOverTime {
      #expect(abs(decibels(ofAmplitude: point.level.rms) + 3.01) < 0.1)
    }
  }

  @Test("1 kHz, which falls between two bins, reads at most 1.42 dB less")
  func betweenBins() throws {
    let measurement = measured([sine(1000, frames: 96_000)])
    let loudest = try #require(measurement.powerByFrequency.max { $0.power < $1.power })
    #expect(abs(loudest.hertz - 1000) < 3)
    #expect((-1.43...0.01).contains(decibels(ofPower: loudest.power)))
  }

  @Test("noise has its power spread evenly: all bins together have that of the samples")
  func noise() {
    var random = SplitMix(seed: 7)
    let rows = (0..<2).map { _ in (0..<80_000).map { _ in Float(random.below(20_001)) / 10_000 - 1 } }
    let measurement = measured(rows)
    let bins = measurement.powerByFrequency
    // Of a sine, Hann spreads 1.5 times the power of its bin; and a sine that reads 1 has half the power of its peak.
    let total = bins.reduce(0) { $0 + $1.power } / 2 / 1.5
    #expect(abs(decibels(ofPower: total) - decibels(ofAmplitude: measurement.all.rms)) < 0.1)
    let low = bins[100..<2000].reduce(0) { $0 + $1.power } / 1900
    let high = bins[6000..<7900].reduce(0) { $0 + $1.power } / 1900
    #expect(abs(decibels(ofPower: low / high)) < 0.6)
  }

  @Test("a direct current reads its own level at 0 Hz, and in the mean")
  func direct() {
    let measurement = measured([Array(repeating: 0.5, count: 50_000)])
    #expect(abs(decibels(ofPower: measurement.powerByFrequency[0].power) + 6.0206) < 0.001)
    #expect(measurement.all.mean == 0.5)
  }

  @Test("short sounds are measured as they are", arguments: [1, 2, 100, 8000])
  func short(_ frames: Int) throws {
    let measurement = measured([Array(repeating: 0.25, count: frames)])
    #expect(abs(decibels(ofPower: measurement.powerByFrequency[0].power) + 12.04) < 0.01)
    #expect(measurement.envelope.reduce(0) { max($0, $1.extremes.high) } == 0.25)
    let last = try #require(measurement.levelsOverTime.last)
    #expect(abs(last.level.rms - 0.25) < 1e-9 && last.seconds <= measurement.seconds)
  }

  @Test("nothing at all is nothing")
  func nothing() {
    let measurement = SoundMeasurement(channels: 2, sampleRate: 48_000)
    #expect(measurement.all.rms == 0 && measurement.all.mean == 0 && measurement.seconds == 0)
    #expect(measurement.envelope.isEmpty && measurement.levelsOverTime.isEmpty)
    #expect(measurement.powerByFrequency.allSatisfy { $0.power == 0 })
  }

  @Test("samples that are no numbers count as such, and as silence; those at full scale are counted")
  func oddSamples() {
    let measurement = measured(
      [[0, .nan, 1, -1.5, .infinity, 0.5], [0, 0, 0.99, 0, -.infinity, .leastNonzeroMagnitude]])
    #expect(measurement.figures[0].nonFiniteSamples == 2 && measurement.figures[1].nonFiniteSamples == 1)
    #expect(measurement.figures[0].fullScaleSamples == 2 && measurement.figures[1].fullScaleSamples == 0)
    #expect(measurement.all.peak == 1.5 && measurement.all.rms.isFinite)
    #expect(measurement.powerByFrequency.allSatisfy { $0.power.isFinite })
    #expect(measured([[0.9, -0.8]], fullScale: 0.9).all.fullScaleSamples == 1)
  }

  @Test("the block in which samples come changes nothing", arguments: [7, 16_384])
  func blocks(_ block: Int) {
    let row = Sound.waves(channels: 1, frames: 40_000).samples[0]
    let (a, b) = (measured([row]), measured([row], block: block))
    #expect(a.figures == b.figures && a.envelope.map(\.extremes) == b.envelope.map(\.extremes))
    #expect(a.powerByFrequency.map(\.power) == b.powerByFrequency.map(\.power))
  }

  @Test("however long a sound is, its picture has a bounded number of points, in order and in time")
  func length() {
    var measurement = SoundMeasurement(channels: 1, sampleRate: 100)
    // A single sample stands out.
    measurement.append(frames: 300_000) { $1 == 200_000 ? 1 : 0 }
    #expect((512...1024).contains(measurement.envelope.count))
    #expect((512...1024).contains(measurement.levelsOverTime.count))
    let (times, levels) = (measurement.envelope.map(\.seconds), measurement.levelsOverTime)
    #expect(times == times.sorted() && times.allSatisfy { (0...3000).contains($0) })
    let loud = measurement.envelope.filter { $0.extremes.high == 1 }
    #expect(loud.count == 1 && abs((loud.first?.seconds ?? 0) - 2000) < 6)
    #expect(levels.count { $0.level.peak == 1 } == 1)
    #expect(levels.reduce(0) { $0 + $1.level.samples } == 300_000)
  }
}
