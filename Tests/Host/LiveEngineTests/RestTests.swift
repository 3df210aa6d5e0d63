// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LiveEngine
import LiveEquipment
import RealtimeCore
import RealtimeWatch
import TestEquipment
import Testing

/// A program that is bypassed rests: what goes in comes out, nothing is executed, and nobody hears a click.
struct RestTests {
  private static let glide = 960

  /// An echo; with a latency, what it takes from its input is late by as much.
  private static func echo(latency: Int = 0, delay: Int = 3000) throws -> Program {
    let heard = latency > 0 ? "select(1 < 2, x, lookahead(abs(x), \(latency)))" : "x"
    return try LiveModels.program(
      ["heard": heard, "loop": "heard + 0.6 * delay(loop, \(delay))", "y": "0.5 * loop"], hasBypass: true)
  }

  /// By their bits; a comparison that fails would print them all.
  private func isEqual(_ one: some Sequence<Float>, _ other: some Sequence<Float>) -> Bool {
    bits(one) == bits(other)
  }

  /// The input of a program that comes back at a frame.
  private static func risen(_ input: [Float], from frame: Int) -> [Float] {
    input[frame...].enumerated().map { $0 < glide ? $1 * (Float($0 + 1) / Float(glide + 1)) : $1 }
  }

  private static func sine(_ frames: Int) -> [Float] {
    (0..<frames).map { Float(0.5 * sin(2 * .pi * Double($0) / 200)) }
  }

  @Test(
    "the input's bits, late by the program's latency, and nothing is executed", arguments: Playing.blockSizes,
    [0, 1, 50, 700])
  func passesBits(blocks: [Int], latency: Int) throws {
    let program = try Self.echo(latency: latency)
    let input = LiveModels.noise(20_000)
    let playing = try Playing(program, input, blocks: blocks)
    playing.play(to: 4_000)
    #expect(isEqual(playing.output, try rendered(program, input)[..<4_000]))
    playing.set("bypass", to: 1)
    playing.play(to: 8_000)
    let executed = playing.executed
    playing.play()
    #expect(playing.executed == executed && executed < 4_000 + 960 + latency + 2 * 1024)
    let late = (6_000..<20_000).map { input[$0 - latency] }
    #expect(isEqual(playing.output[6_000...], late))
  }

  @Test("bypassed from the beginning, it is never executed", arguments: [0, 700])
  func fromTheBeginning(latency: Int) throws {
    let input = LiveModels.noise(5_000)
    let playing = try Playing(try Self.echo(latency: latency), input)
    playing.set("bypass", to: 1)
    playing.play()
    #expect(playing.executed == 0)
    let late = [Float](repeating: 0, count: latency) + input
    #expect(isEqual(playing.output, late.prefix(5_000)))
  }

  @Test("it comes back as a fresh one, to which its input rises", arguments: Playing.blockSizes, [0, 700])
  func comesBack(blocks: [Int], latency: Int) throws {
    let program = try Self.echo(latency: latency)
    let input = LiveModels.noise(30_000)
    let playing = try Playing(program, input, blocks: blocks)
    playing.play(to: 5_000)
    playing.set("bypass", to: 1)
    playing.play(to: 10_000)
    playing.set("bypass", to: 0)
    let beginning = playing.position
    playing.play()
    #expect(playing.executed == Int64(30_000 - beginning))
    let fresh = try rendered(program, Self.risen(input, from: beginning))
    let settled = 2 * Self.glide + latency
    #expect(isEqual(playing.output[(beginning + settled)...], fresh[settled...]))
  }

  @Test("what was played before the bypass does not come back")
  func forgets() throws {
    let input = LiveModels.noise(5_000) + [Float](repeating: 0, count: 10_000)
    let playing = try Playing(try Self.echo(), input)
    playing.play(to: 5_000)
    #expect(playing.output.suffix(64).contains { $0 != 0 })
    playing.set("bypass", to: 1)
    playing.play(to: 7_000)
    playing.set("bypass", to: 0)
    playing.play()
    #expect(playing.output[6_016...].allSatisfy { $0 == 0 })
  }

  @Test("no click, however often and fast it is switched", arguments: [0, 700])
  func noClick(latency: Int) throws {
    let input = Self.sine(60_000)
    let largest = zip(input, input.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    let playing = try Playing(try Self.echo(latency: latency), input)
    var random = SplitMix(seed: 3)
    var value: Float = 1
    while playing.position < 50_000 {
      playing.play(to: playing.position + 64 * Int(random.next() % 60))
      playing.set("bypass", to: value)
      value = 1 - value
    }
    playing.play()
    // Between both signals, of which the echo has up to 1.25 times the steps, and the fades add a little.
    let steps = zip(playing.output, playing.output.dropFirst()).map { abs($1 - $0) }
    #expect(try #require(steps.dropFirst(latency + 1).max()) < 1.5 * largest)
  }

  @Test("what takes long to forget is forgotten in parts, and only then it begins")
  func longPast() throws {
    // 4 MB of a second that stays in the loop.
    let program = try Self.echo(delay: 1_000_000)
    let input = [Float](repeating: 0.5, count: 20_000)
    let playing = try Playing(program, input)
    playing.play(to: 640)
    playing.set("bypass", to: 1)
    playing.play(to: 640 + 1024)
    playing.set("bypass", to: 0)
    playing.play(to: playing.position + 128)
    #expect(playing.executed > 640, "it is not forgotten yet")
    playing.play()
    #expect(playing.executed < 20_000 - 640 - 1024 - 128)
    #expect(playing.output.last == 0.25)
  }

  @Test("an edit while it rests: nothing is executed, and it is heard when the bypass is over")
  func edited() throws {
    let input = LiveModels.noise(20_000)
    let playing = try Playing(try Self.echo(latency: 50), input)
    playing.set("bypass", to: 1)
    playing.play(to: 2_000)
    let edited = try Self.echo(latency: 50, delay: 700)
    try playing.post(edited)
    playing.play(to: 4_000)
    #expect(playing.executed == 0 && playing.mailbox.collect() != nil)
    #expect(isEqual(playing.output[50...], input[..<3_950]))
    playing.set("bypass", to: 0)
    let beginning = playing.position
    playing.play()
    let settled = 2 * Self.glide + 50
    let fresh = try rendered(edited, Self.risen(input, from: beginning))
    #expect(isEqual(playing.output[(beginning + settled)...], fresh[settled...]))
  }

  @Test("an edit that is late by more takes its place as others do, and rests then")
  func editedLatency() throws {
    let input = Self.sine(40_000)
    let playing = try Playing(try Self.echo(), input)
    playing.set("bypass", to: 1)
    playing.play(to: 2_000)
    try playing.post(try Self.echo(latency: 700))
    playing.finishSwap()
    playing.play(to: 20_000)
    let executed = playing.executed
    playing.play()
    #expect(playing.executed == executed)
    #expect(isEqual(playing.output[20_000...], input[19_300..<39_300]))
    let largest = zip(input, input.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    let steps = zip(playing.output, playing.output.dropFirst()).map { abs($1 - $0) }
    #expect(try #require(steps.max()) < 1.5 * largest)
  }

  @Test(.enabled(if: Sanitizer.isAbsent)) func keepsTheAudioThreadsRules() throws {
    let program = try Self.echo(latency: 700)
    let playing = try Playing(program, LiveModels.noise(60_000), blocks: [441])
    // Nothing was made ready for the first time, and who turns the bypass is not the audio thread.
    for value: Float in [0, 1, 0, 1, 0] {
      playing.set("bypass", to: value)
      let before = playing.executed
      let counts = RealtimeWatch.counts { playing.play(to: playing.position + 4_410) }
      #expect(counts.offences == [])
      #expect(playing.executed - before < 4_410 || value == 0, "it did not rest")
    }
  }
}
