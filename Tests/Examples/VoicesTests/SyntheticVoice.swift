// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestEquipment

/// A voice made of pulses and resonances (a source and a filter; Fant 1960), which says vowels at random.
struct SyntheticVoice {
  /// The pitch in hertz.
  let pitch: Double
  /// How long the throat is, compared with a usual one: resonances lie as much lower.
  let length: Double

  static let low = SyntheticVoice(pitch: 95, length: 1.15)
  static let high = SyntheticVoice(pitch: 210, length: 0.9)
  static let middle = SyntheticVoice(pitch: 150, length: 1)

  /// Resonances of a, e, i, o, u in hertz.
  private static let vowels: [[Double]] = [
    [730, 1090, 2440], [530, 1840, 2480], [270, 2290, 3010], [570, 840, 2410], [300, 870, 2240],
  ]

  /// Speech at 16 kHz.
  func samples(seconds: Double, seed: UInt64) -> [Float] {
    var random = SplitMix(seed: seed)
    var result: [Float] = []
    let count = Int(seconds * 16000)
    var phase = 0.0
    var states = [(Double, Double)](repeating: (0, 0), count: 3)
    while result.count < count {
      let vowel = Self.vowels[Int(random.next() % 5)]
      let tune = pitch * (0.9 + 0.2 * Double(random.next() % 1000) / 1000)
      let loud = 0.5 + 0.5 * Double(random.next() % 1000) / 1000
      for frame in 0..<3200 {
        phase += tune / 16000
        var x = 0.0
        if phase >= 1 {
          phase -= 1
          x = loud * min(1, Double(frame) / 400)
        }
        for (row, formant) in vowel.enumerated() {
          let radius = exp(-Double.pi * (60 + 40 * Double(row)) / 16000)
          let angle = 2 * Double.pi * formant / length / 16000
          let y = x + 2 * radius * cos(angle) * states[row].0 - radius * radius * states[row].1
          states[row] = (y, states[row].0)
          x = y * (1 - radius)
        }
        result.append(Float(x))
      }
    }
    let peak = result.reduce(0) { max($0, abs($1)) }
    return result.prefix(count).map { 0.5 * $0 / peak }
  }
}
