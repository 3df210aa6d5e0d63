// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The pitch shifter against the tone that it should make.
@Suite struct ShifterTests {
  /// Where half a window is whole periods, a head goes on where the other one is, and a sine remains one.
  @Test(
    arguments: [8000.0, 44_100, 192_000], [(Float(7), Float(0)), (-12, 0), (12, 0), (-5, 30), (19, -100)])
  func aToneOfWholePeriodsIsTransposed(sampleRate: Double, shift: (semitones: Float, cents: Float)) throws {
    let settings = ["semitones": shift.semitones, "cents": shift.cents, "window": 50]
    let tone = (0..<Int(sampleRate)).map { Float(0.5 * sin(2 * .pi * 200 * Double($0) / sampleRate)) }
    let found = try ShippedEffect("shifter", channels: 2, sampleRate: sampleRate, settings)([
      tone, tone.map(-),
    ])
    let ratio = pow(2, Double(shift.semitones + shift.cents / 100) / 12)
    let farthest = (Int(0.1 * sampleRate)..<Int(sampleRate)).reduce(0.0) { most, frame in
      let expected = 0.5 * sin(2 * .pi * 200 * (ratio * Double(frame) - 1) / sampleRate)
      return Swift.max(most, Swift.abs(Double(found[0][frame]) - expected))
    }
    #expect(farthest < 4e-3)
    #expect(found[1] == found[0].map(-))
  }

  /// Of any other tone the strongest line lies within one round of the heads of where it belongs.
  @Test(arguments: [(Float(-24), 1031.7), (-7, 437.1), (3, 443), (24, 261.3)])
  func anyToneIsTransposed(semitones: Float, frequency: Double) throws {
    let tone = EffectTests.sine(frequency, 0.5, 48_000)
    let found = try ShippedEffect("shifter", ["semitones": semitones, "window": 60])(tone)
    let ratio = pow(2, Double(semitones) / 12)
    let rounds = Swift.abs(1 - ratio) / 0.06
    let lines = stride(from: ratio * frequency / 2, to: ratio * frequency * 2, by: ratio * frequency / 200)
      .map { $0 }
    let levels = lines.map { response(of: Array(found[9600..<24_000]), at: $0, sampleRate: 48_000).gain }
    let strongest = lines[levels.indices.max { levels[$0] < levels[$1] }!]
    #expect(Swift.abs(strongest - ratio * frequency) <= rounds + 5)
    // A head fades as it runs; both together neither vanish nor double.
    let power = found[9600...].reduce(0) { $0 + Double($1 * $1) } / Double(found.count - 9600)
    #expect(power > 0.05 && power < 0.13)
  }

  @Test func unmixedItIsTheInput() throws {
    let tone = EffectTests.sine(440, 0.5, 4800)
    #expect(try ShippedEffect("shifter", ["mix": 0])(tone) == tone)
  }
}
