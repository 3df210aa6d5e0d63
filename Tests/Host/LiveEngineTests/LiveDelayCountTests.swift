// SPDX-License-Identifier: Apache-2.0

import Legato
import LiveEquipment
import Testing

/// Samples that asked for delays outside of their ranges stay counted when programs take each other's place, or rest.
struct LiveDelayCountTests {
  /// Frames for which a program that remembers something is unheard, and then crossfaded.
  private static let crossfade = 960

  private static func program(_ gain: Double) throws -> Program {
    try LiveModels.program(
      ["y": "\(gain) * delay(x, by: 200 + 0 * x, maximum: 100)"], hasBypass: true)
  }

  @Test func countsOutliveSwapsAndRests() throws {
    let playing = try Playing(try Self.program(1), LiveModels.noise(30_000))
    playing.play(to: 1_000)
    #expect(playing.samplesOutside == 1_000)
    try playing.post(Self.program(0.5))
    let swapped = playing.finishSwap()
    let before = playing.samplesOutside
    // Of the program before, all of its frames; of the next one, those in which it was crossfaded with that.
    #expect(before == swapped + Self.crossfade)
    playing.play(to: swapped + 777)
    #expect(playing.samplesOutside == before + 777)

    playing.set("bypass", to: 1)
    playing.play(to: 15_000)
    let rested = playing.samplesOutside
    playing.play(to: 16_000)
    #expect(playing.samplesOutside == rested, "nothing is executed")
    playing.set("bypass", to: 0)
    playing.play(to: 16_000 + Self.crossfade / 2)
    #expect(playing.samplesOutside == rested, "nobody hears it")
    playing.play()
    #expect(playing.samplesOutside == rested + 14_000 - Self.crossfade)
  }
}
