// SPDX-License-Identifier: Apache-2.0

import Legato
import LiveEquipment
import RealtimeCore
import Testing

/// A program takes another one's place where one of them does not begin with silence: it has warmed up, or its delays
/// begin with arrays.
struct WarmSwapTests {
  /// A value without a past gets that of a program that has settled, though its frames lie elsewhere in the ring; one
  /// that has a past keeps it. So where other contexts stand side by side, which have nothing in common with the old ones.
  @Test(arguments: Playing.blockSizes, [1, 2]) func aProgramThatHasWarmedUpBeginsSettled(
    blocks: [Int], contexts: Int
  ) throws {
    let old = try LiveModels.program(["y": "x + 0 * delay(x, 100)"])
    let new = try LiveModels.program(
      ["level": "0.1 + 0.9 * delay(level, 1) + 0 * x", "y": "x + delay(level, 777) + 0 * delay(x, 100)"],
      prewarm: 900)
    let input = [Float](repeating: 0.25, count: 20_000)
    let playing = try Playing(old, input, blocks: blocks)
    playing.play(to: 7_001)
    try playing.post(new, contexts: contexts)
    let end = playing.finishSwap()
    playing.play()
    #expect(playing.output[end...].allSatisfy { abs($0 - 1.25) < 1e-4 })
  }

  /// The past of frames before the first one is a past as well.
  @Test func whatHasSettledStaysSoFromTheFirstFramesOn() throws {
    let program = try LiveModels.program(
      ["level": "0.1 + 0.9 * delay(level, 1) + 0 * x", "y": "x + delay(level, 5000)"], prewarm: 6000)
    let playing = try Playing(program, [Float](repeating: 0.25, count: 9_000))
    playing.play(to: 64)
    try playing.post(program)
    playing.finishSwap()
    playing.play()
    #expect(playing.output.allSatisfy { abs($0 - 1.25) < 1e-4 })
  }

  /// In a short ring the frame that all rise from is soon overwritten; the loop has no edge that goes around.
  @Test func aShortLoopThatHasWarmedUpRisesSmoothly() throws {
    let old = try LiveModels.program(["y": "x"])
    let new = try LiveModels.program(["loop": "x + 0.9 * delay(loop, 100)", "y": "loop"], prewarm: 5000)
    let input = [Float](repeating: 0.25, count: 12_000)
    let playing = try Playing(old, input, blocks: [128])
    playing.play(to: 7_001)
    try playing.post(new)
    let end = playing.finishSwap()
    playing.play()
    let heard = playing.output[end...]
    let steps = zip(heard.dropFirst(), heard).map { abs($0 - $1) }
    #expect(try #require(steps.max()) < 0.005)
  }

  /// An amplifier that warms up for so many frames, and behind it an echo that begins with the first one.
  private static func amplifier(
    warmingUp frames: Int, before echo: [String: String] = ["y": "x + 0.5 * delay(y, 40)"]
  ) throws -> Program {
    func model(_ prewarm: Int, _ graph: [String: String]) throws -> Model {
      let values = graph.sorted { $0.key < $1.key }.map { "\"\($0)\": \"\($1)\"" }
      return try Model(
        """
        { "legato": 1, "prewarm": \(prewarm), "inputs": { "x": { "shape": ["frames"] } },
          "graph": { \(values.joined(separator: ", ")) }, "outputs": ["y"] }
        """)
    }
    let amplifier = try model(frames, ["y": "0.5 * x + 0.5 * delay(y, 1)"])
    return try amplifier.then(model(0, echo)).compile(sampleRate: 48_000)
  }

  /// An array that a delay behind an amplifier begins with is over, whatever is edited there.
  @Test func theBeginningOfADelayBehindAnAmplifierIsOver() throws {
    let values = ["late": "delay(x, 300, initial: 3)", "y": "x + late"]
    let old = try Self.amplifier(warmingUp: 900, before: values)
    let new = try Self.amplifier(
      warmingUp: 900,
      before: values.merging(["y": "x + late + (delay(x, 4000, initial: 3) == 3)"]) { $1 })
    let playing = try Playing(old, [Float](repeating: 0.25, count: 20_000))
    playing.play(to: 8_000)
    try playing.post(new)
    playing.finishSwap()
    playing.play()
    #expect(playing.output[1_000...].allSatisfy { abs($0 - 0.5) < 1e-4 })
  }

  /// The past of an amplifier's output is its own, wherever it is remembered: another expression goes on with it.
  @Test func whatAnAmplifierMadeIsRememberedElsewhere() throws {
    let old = try Self.amplifier(warmingUp: 900, before: ["y": "x + delay(x, 3000)"])
    let new = try Self.amplifier(
      warmingUp: 900,
      before: ["late": "delay(x, 3000)", "later": "delay(2 * x, 20)", "y": "x + late + later"])
    let input = LiveModels.noise(1_000) + [Float](repeating: 0.25, count: 19_000)
    let playing = try Playing(old, input)
    playing.play(to: 8_000)
    try playing.post(new)
    let end = playing.finishSwap()
    playing.play()
    #expect(playing.output[end...].allSatisfy { abs($0 - 1) < 1e-4 })
  }

  /// An echo that has begun goes on: an amplifier that warms up for longer does not silence it.
  @Test(arguments: Playing.blockSizes, [[900, 9_000], [9_000, 900]]) func whatHasBegunGoesOn(
    blocks: [Int], warming: [Int]
  ) throws {
    let programs = try warming.map { try Self.amplifier(warmingUp: $0) }
    let playing = try Playing(programs[0], [Float](repeating: 0.25, count: 30_000), blocks: blocks)
    playing.play(to: 12_001)
    try playing.post(programs[1])
    playing.finishSwap()
    playing.play()
    #expect(playing.output[10_000...].allSatisfy { abs($0 - 0.5) < 1e-4 })
  }

  /// An array that a delay begins with is over, whatever is edited elsewhere, or goes on where it is.
  @Test(arguments: [
    (5_000, "0 * a + y"), (256, "y + 0 * a"), (5_000, "y"),
    (15_000, "y + (delay(x, 9000, initial: 3) == 3)"), (5_000, "y + (delay(x, 9000, initial: 3) == 3)"),
    (15_000, "y + (delay(x, 2000, initial: broadcast(3, shape: [2000])) == 3)"),
  ])
  func theBeginningOfADelayIsOver(frames: Int, edited: String) throws {
    let values = ["y": "delay(0.5 * x, 1400, initial: 3)", "a": "delay(x, 20, initial: 3)"]
    let old = try LiveModels.program(values, output: "y")
    let new = try LiveModels.program(values.merging(["z": edited]) { $1 }, output: "z")
    let input = LiveModels.noise(30_000)
    let playing = try Playing(old, input)
    playing.play(to: frames)
    try playing.post(new)
    let end = playing.finishSwap()
    playing.play()
    #expect(bits(playing.output[end...]) == bits(try rendered(new, input)[end...]))
  }

  /// A ring that is longer than what settles at a time, with the part of it that is repeated behind its end.
  @Test(arguments: [1, 2]) func aLongPastSettlesInParts(contexts: Int) throws {
    let old = try LiveModels.program(["y": "x"])
    let new = try LiveModels.program(
      ["level": "0.1 + 0.9 * delay(level, 1) + 0 * x", "y": "x + delay(level, 9000) + delay(level, 100000)"],
      prewarm: 100_200)
    let input = [Float](repeating: 0.25, count: 140_000)
    let playing = try Playing(old, input, blocks: [128, 1, 77])
    playing.play(to: 7_001)
    try playing.post(new, contexts: contexts)
    let end = playing.finishSwap()
    playing.play()
    #expect(playing.output[end...].allSatisfy { abs($0 - 2.25) < 1e-4 })
  }
}
