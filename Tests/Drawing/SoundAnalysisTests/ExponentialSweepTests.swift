// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoundAnalysis
import Testing

@Suite("Sweeps")
struct ExponentialSweepTests {
  private static let sweep = ExponentialSweep(sampleRate: 8000, lowest: 20)

  /// y = x a + y' (1 - a)
  private func onePole(_ signal: [Double], _ a: Double) -> [Double] {
    var last = 0.0
    return signal.map { sample in
      last += a * (sample - last)
      return last
    }
  }

  private var signal: [Double] { Self.sweep.samples.map(Double.init) }

  @Test("a filter's response is the one that its formula has", arguments: [0.01, 0.1, 0.9])
  func filter(_ a: Double) throws {
    let response = Self.sweep.impulseResponse(of: onePole(signal, a))
    for frame in 0..<20 { #expect(abs(response[frame] - a * pow(1 - a, Double(frame))) < 1e-4) }
    for (hertz, power) in Self.sweep.power(of: response) where (20...4000).contains(hertz) {
      let angle = 2 * Double.pi * hertz / 8000
      let expected = a * a / (1 - 2 * (1 - a) * cos(angle) + (1 - a) * (1 - a))
      let error = decibels(ofPower: power / expected)
      guard abs(error) < 0.02 else {
        Issue.record("\(error) dB at \(hertz) Hz")
        break
      }
    }
  }

  @Test("a delay is where it belongs")
  func delay() {
    let late = Array(repeating: 0.0, count: 5000) + signal.dropLast(5000)
    let response = Self.sweep.impulseResponse(of: late)
    let loudest = response.indices.max { abs(response[$0]) < abs(response[$1]) }
    #expect(loudest == 5000 && abs(response[5000] - 1) < 1e-3)
  }

  @Test("distortion adds harmonics, which are left out")
  func distortion() {
    // x - 0.25 x³ answers a sine of 1 with (1 - 0.25 * 3/4) of it, and a third harmonic.
    let response = Self.sweep.impulseResponse(of: signal.map { $0 - 0.25 * $0 * $0 * $0 })
    let bins = Self.sweep.power(of: response)
    for column in FrequencyColumns(bins, within: 40...1200, count: 60).columns {
      #expect(abs(decibels(ofPower: column.mean) - decibels(ofAmplitude: 0.8125)) < 0.1, "\(column.hertz) Hz")
    }
  }

  @Test("columns have the lowest, the mean and the highest of their bins")
  func columns() {
    let bins = (0...1000).map { (hertz: Double($0), power: $0 % 2 == 0 ? 1.0 : 3) }
    let columns = FrequencyColumns(bins, within: 1...1000, count: 30).columns
    #expect(
      columns.map(\.hertz) == columns.map(\.hertz).sorted() && columns.count <= 30 && columns.count > 20)
    #expect(columns.first.map { [$0.hertz, $0.low, $0.mean, $0.high] } == [1, 3, 3, 3])
    #expect(columns.last.map { $0.low == 1 && abs($0.mean - 2) < 0.02 && $0.high == 3 } == true)
    #expect(FrequencyColumns([], within: 1...2, count: 3).columns.isEmpty)
  }
}
