// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The limiter's level between the frames, against a measurement that is 16 times oversampled.
@Suite struct TruePeakTests {
  /// The highest of what lies between the frames, in decibels: sines over their angles of 128 frames, in a window.
  static func peak(_ row: [Float]) -> Double {
    let reach = 64
    let kernels = (0..<16).map { part -> [Double] in
      (1 - reach...reach).map { frame in
        let place = Double(frame) - Double(part) / 16
        let angle = Double.pi * place
        let window = cos(angle / Double(2 * reach + 2))
        return place == 0 ? 1 : sin(angle) / angle * window * window
      }
    }
    let padded =
      [Double](repeating: 0, count: reach) + row.map(Double.init) + [Double](repeating: 0, count: reach)
    // Only beside what is loud can anything be louder still.
    let loudest = padded.map { Swift.abs($0) }.max()!
    var most = 0.0
    unsafe padded.withUnsafeBufferPointer { samples in
      for frame in reach - 1..<row.count + reach - 1 {
        let near = unsafe Swift.max(Swift.abs(samples[frame]), Swift.abs(samples[frame + 1]))
        if near < 0.4 * loudest { continue }
        for kernel in kernels {
          unsafe kernel.withUnsafeBufferPointer { shares in
            var sum = 0.0
            for index in 0..<2 * reach {
              sum += unsafe shares[index] * samples[frame + 1 - reach + index]
            }
            most = Swift.max(most, Swift.abs(sum))
          }
        }
      }
    }
    return decibels(most)
  }

  /// Loud and soft in turn, so that it begins to limit again and again.
  private static func swelling(_ row: [Float]) -> [Float] {
    row.enumerated().map { frame, sample in
      let turn = Float(sin(Double(frame) / 600))
      return sample * turn * turn
    }
  }

  private static func sound(_ kind: String) throws -> [Float] {
    switch kind {
    case "sine":
      return (0..<6000).map { Float(sin(.pi / 4 + .pi / 2 * Double($0))) * Swift.min(1, Float($0) / 500) }
    case "drums":
      let path = PackageFiles.models.appending(path: "audio/pluck-and-drums.wav").path()
      return Array(try Sound.read(path).samples[1][60_000..<75_000])
    default:
      // White noise below 20 kHz, as converters hear it.
      var random = SplitMix(seed: 9)
      let white = (0..<6000).map { _ in Double(random.float(-1, 1)) }
      let taps = (-100...100).map { place -> Double in
        let angle = 2 * Double.pi * 20_000 / 48_000 * Double(place)
        let window = cos(.pi * Double(place) / 202)
        return (place == 0 ? 2 * 20_000 / 48_000 : sin(angle) / (.pi * Double(place))) * window * window
      }
      return swelling(
        white.indices.map { frame in
          Float(taps.indices.reduce(0) { $0 + (frame >= $1 ? taps[$1] * white[frame - $1] : 0) })
        })
    }
  }

  @Test(arguments: [("sine", Float(6), -0.1), ("noise", 12, 0.2), ("drums", 6, 0.2), ("drums", 15, 0.2)])
  func nothingBetweenTheFramesExceedsTheCeiling(kind: String, gain: Float, over: Double) throws {
    let sound = try Self.sound(kind)
    let input = sound + [Float](repeating: 0, count: 200)
    let settings: [String: Float] = ["gain": gain, "ceiling": -0.3]
    let plain = try ShippedEffect("limiter", channels: 2, settings)([input, input.map { $0 / 2 }])
    let exact = try ShippedEffect("limiter", channels: 2, settings.merging(["truePeak": 1]) { $1 })([
      input, input.map { $0 / 2 },
    ])
    // Without the setting the frames are below the ceiling, and what lies between them is far above.
    #expect(plain[0].allSatisfy { Swift.abs($0) <= Float(amplitude(-0.3)) * 1.000001 })
    #expect(Self.peak(plain[0]) > -0.3 + 1)
    let found = Self.peak(exact[0])
    #expect(found < -0.3 + over && found > -0.3 - 0.5)
    #expect(zip(exact[0], exact[1]).allSatisfy { Swift.abs($0 / 2 - $1) < 1e-5 })
  }

  /// At the beginning of a stream it knows fewer frames, and lets no more through.
  @Test func whatBeginsLoudIsHeldAtOnce() throws {
    let sound = try Self.sound("sine").dropFirst(1000) + [Float](repeating: 0, count: 200)
    let found = try ShippedEffect("limiter", ["gain": 12, "ceiling": -0.3, "truePeak": 1])(Array(sound))
    #expect(Self.peak(found) < -0.3 + 0.2)
  }
}
