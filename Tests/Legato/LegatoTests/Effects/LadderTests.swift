// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The ladder against the transfer function of four poles with feedback, and against its equations in double precision.
@Suite struct LadderTests {
  /// Four poles 1 / (1 + s) with feedback k, where the trapezoidal rule puts the frequencies.
  private func gain(_ frequency: Double, cutoff: Double, resonance: Double, sampleRate: Double) -> Double {
    let bent = tan(.pi * frequency / sampleRate) / tan(.pi * cutoff / sampleRate)
    // (1 + js)⁴ + k, the square of a square.
    let square = SIMD2(1 - bent * bent, 2 * bent)
    let fourth = SIMD2(square.x * square.x - square.y * square.y, 2 * square.x * square.y)
    return 1 / (fourth + SIMD2(4 * resonance, 0)).gain
  }

  @Test(
    arguments: [(8000.0, 2), (48_000, 1), (192_000, 3)],
    [(200.0, 0.0), (1000, 0.5), (1000, 0.9), (3000, 0.7)])
  func aQuietSignalMeetsFourPoles(stream: (rate: Double, channels: Int), set: (Double, Double)) throws {
    let (cutoff, resonance) = set
    let effect = try ShippedEffect(
      "ladder", channels: stream.channels, sampleRate: stream.rate,
      ["cutoff": Float(cutoff), "resonance": Float(resonance), "drive": -24, "level": 24])
    let impulse = FilterTests.impulse(1 << 15).map { $0 / 100 }
    let silence = [Float](repeating: 0, count: 1 << 15)
    let found = try effect([[Float]](repeating: silence, count: stream.channels - 1) + [impulse])
    for frequency in EffectTests.frequencies where frequency < 0.45 * stream.rate {
      let expected = gain(frequency, cutoff: cutoff, resonance: resonance, sampleRate: stream.rate)
      let measured = response(of: found.last!, at: frequency, sampleRate: stream.rate).gain * 100
      #expect(Swift.abs(measured - expected) < 2e-4 * Swift.max(1, expected), "\(frequency) Hz")
    }
    #expect(found.dropLast().allSatisfy { $0 == silence })
  }

  /// The trapezoidal rule from pole to pole; what is fed back is found by trying 0 and 1, as all is linear behind the
  /// bend.
  private func reference(_ input: [Double], cutoff: Double, resonance: Double) -> [Double] {
    let step = tan(.pi * cutoff / 48_000)
    var (before, outs) = (0.0, [0.0, 0, 0, 0])
    func poles(_ fed: Double) -> [Double] {
      var (now, earlier, row) = (fed, before, outs)
      for pole in row.indices {
        let out = (row[pole] * (1 - step) + step * (now + earlier)) / (1 + step)
        (earlier, now) = (row[pole], out)
        row[pole] = out
      }
      return row
    }
    return input.map { x in
      let (none, one) = (poles(0)[3], poles(1)[3])
      let straight = (x - 4 * resonance * none) / (1 + 4 * resonance * (one - none))
      let fed = tanh(straight)
      outs = poles(fed)
      before = fed
      return outs[3]
    }
  }

  @Test(arguments: [(300.0, 0.2), (1500, 0.95), (6000, 1)])
  func aLoudSignalIsBentInFrontOfThePoles(cutoff: Double, resonance: Double) throws {
    let input = zip(EffectTests.sine(110, 0.6, 9600), EffectTests.sine(1310, 0.3, 9600)).map { $0 + $1 }
    let found = try ShippedEffect(
      "ladder", ["cutoff": Float(cutoff), "resonance": Float(resonance), "drive": 20])(input)
    let expected = reference(
      input.map { Double($0) * amplitude(20) }, cutoff: cutoff, resonance: Double(Float(resonance)))
    #expect(zip(found, expected).allSatisfy { Swift.abs(Double($0) - $1) < 1e-4 })
  }

  @Test func atItsEdgeATonePersists() throws {
    let click = FilterTests.impulse(1 << 15).map { $0 / 100 }
    func levels(_ resonance: Float, at frequency: Double = 1500) throws -> [Double] {
      let found = try ShippedEffect("ladder", ["cutoff": 1500, "resonance": resonance])(click)
      return [1000..<2600, 30_000..<31_600].map {
        response(of: Array(found[$0]), at: frequency, sampleRate: 48_000).gain
      }
    }
    let edge = try levels(1)
    #expect(edge[1] > 0.9 * edge[0] && edge[1] < 1.01 * edge[0])
    #expect(try levels(1, at: 1410)[0] < 0.1 * edge[0] && levels(1, at: 1590)[0] < 0.1 * edge[0])
    #expect(try levels(0.9)[1] < 1e-6 * edge[0])
  }
}
