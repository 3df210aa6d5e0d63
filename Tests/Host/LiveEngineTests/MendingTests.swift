// SPDX-License-Identifier: Apache-2.0

import Legato
import LiveEngine
import LiveEquipment
import RealtimeCore
import RealtimeWatch
import Testing

/// A program whose state is no number any more begins anew; one that only passed such numbers does not.
struct MendingTests {
  /// 1 / 0 goes into its loop where the input is -1.
  private static func program() throws -> Program {
    try LiveModels.program(["loop": "0.5 * delay(loop, 1) + 1 / (x + 1)", "y": "loop - 1"])
  }

  private static func input(badAt frames: Range<Int>) -> [Float] {
    LiveModels.noise(20_000).enumerated().map { frames.contains($0) ? -1 : 0.5 * $1 }
  }

  @Test("an infinity in its loop is over after some milliseconds", arguments: Playing.blockSizes)
  func loop(blocks: [Int]) throws {
    let input = Self.input(badAt: 1000..<1001)
    let playing = try Playing(Self.program(), input, blocks: blocks)
    playing.play(to: 900)
    let counts = RealtimeWatch.counts { playing.play(to: 3900) }
    #expect(counts.offences == [] || !Sanitizer.isAbsent)
    playing.play()
    #expect(playing.renewals == 1)
    let output = playing.output
    let last = try #require(output.lastIndex { !$0.isFinite })
    #expect(last < 1000 + 960 + 4 * 64 + 2 * 1024)
    // Silent while it forgets, and then as a fresh one is.
    let begin = try #require(output[(last + 1)...].firstIndex { $0 != 0 })
    #expect(bits(output[begin...]) == bits(try rendered(try Self.program(), Array(input[begin...]))))
  }

  @Test("an echo of one is over, too")
  func echo() throws {
    let program = try LiveModels.program(["y": "1 / (x + 1) + 0.5 * delay(y, 1500)"])
    let playing = try Playing(program, Self.input(badAt: 1000..<1001))
    playing.play()
    #expect(playing.renewals == 1)
    let bad = playing.output.indices.filter { !playing.output[$0].isFinite }
    #expect(bad == bad.indices.map { 1000 + 1500 * $0 } && (4..<10).contains(bad.count))
  }

  @Test("where they come without a past, it begins anew once at most, and goes on", arguments: [0, 100])
  func unremembered(frames: Int) throws {
    let past = frames > 0 ? "0.5 * delay(x, \(frames))" : "0.5 * x"
    let program = try LiveModels.program(["y": "1 / (x + 1) + \(past)"])
    let playing = try Playing(program, Self.input(badAt: 1000..<15_000), blocks: [64])
    playing.play()
    #expect(playing.renewals == (frames > 0 ? 1 : 0))
    #expect(!playing.output[16_000...].contains { !$0.isFinite })
  }

  @Test("some that pass leave all as it is", arguments: Playing.blockSizes)
  func passing(blocks: [Int]) throws {
    let program = try LiveModels.program(["y": "1 / (x + 1) + 0.5 * delay(x, 100)"])
    let input = Self.input(badAt: 1000..<1900)
    let playing = try Playing(program, input, blocks: blocks)
    playing.play()
    #expect(playing.renewals == 0)
    #expect(bits(playing.output) == bits(try rendered(program, input)))
  }
}
