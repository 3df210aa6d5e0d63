// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPasses
import LoopAnalysis
import ReferenceInterpreter
import TestEquipment
import Testing

/// Linear loops that grow are named, and no others.
@Suite struct GrowingLoopTests {
  private func notes(_ lines: String) throws -> [PassNote] {
    let graph = try graph(lines)
    return graph.growingLoops(settingParameters: graph.parameters.map(\.initial))
  }

  private func graph(_ lines: String) throws -> Graph {
    try Graph(
      parsing: """
        graph "loops" stream 48000
        input x [2, frames]
        parameter gain [frames] = 0.4 minimum -0.5 maximum 0.9 ramp 50 scale linear
        parameter much [frames] = 3 minimum 1.25 maximum 4 ramp 50 scale linear
        weights "w" [2, 1] = [1.5, 1.1]
        weights "turn" [2, 2] = [0.6, -0.8, 0.8, 0.6]
        weights "cross" [2, 2] = [0.5, 0.7, 0.7, 0.5]
        weights "taps" [3] = [0.3, 0.4, 0.5]
        weights "band" [3] = [-0.6, 0, 0.6]
        weights "kernel" [2, 2, 2] = [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]
        weights "pair" [1, 1, 2] = [0.8, 0.5]
        weights "bias" [2] = [0.5, 0]
        \(lines)
        output y = y
        """)
  }

  /// Four lines of different lengths that feed each other.
  private static func network(_ gain: Double) -> String {
    let lines = zip("abcd", [29, 37, 43, 53]).map { "delay(\($0), \($1))" }
    let signs = ["++++", "+-+-", "++--", "+--+"]
    let rows = zip("abcd", signs).map { name, signs in
      "\(name) = x + \(gain) * (0 \(zip(signs, lines).map { "\($0) \($1)" }.joined(separator: " ")))"
    }
    return (rows + ["y = a + b"]).joined(separator: "\n")
  }

  private static let growing = [
    "y = x + 1.2 * delay(y, 100)", "y = x - 1.2 * delay(y, 100)", "y = x + delay(y * -1.5, 1)",
    "y = (x - delay(y, 3)) / 0.5", "y = fma(delay(y, 7), 1.01, x)", "y = x + much * delay(y, 4)",
    "y = x + (much - gain) * 3 * delay(y, 4)", "y = x + exp(much) * delay(y, 4)",
    "y = x + \"w\" * delay(y, 4)", "y = x + 0.7 * delay(y, 5) + 0.6 * delay(y, 9)",
    "y = x + 0.7 * delay(y, 1) - 0.6 * delay(y, 2) * 2",
    "late = delay(z, 10)\nz = x * 0.5 + late * 1.5\ny = z - late",
    "y = x + (gain - much) * delay(y, 9)", "y = x + 2 * (much - 2) * delay(y, 9)",
    // Filters within pass all at a standstill, or at half the sample rate.
    "y = x + 1.2 * lowpass(delay(y, 100), 800, q: 4)", "y = lowpass(x + 1.2 * delay(y, 50), 200)",
    "y = x - 1.2 * highpass(delay(y, 101), 500)", "y = x + 1.1 * onePole(delay(y, 300), 500 * much)",
    "y = x + peak(delay(y, 64), 900, gain: 6) * 1.1", "y = x + lowShelf(0.9 * delay(y, 64), 200, gain: 3)",
    "y = x + 1.5 * allpass(delay(y, 10), 3000)",
    // Of which one part grows that reads by way of the other.
    "near = x + 0.5 * delay(near, 2)\ny = 0.3 * delay(near, 3) + 1.2 * delay(y, 5)",
    // Between frames, too.
    "y = x + 1.2 * delay(y, by: 50.5, minimum: 1, maximum: 100)",
    "y = x - 1.2 * delay(y, by: 51, minimum: 1, maximum: 100)",
    "y = x + 1.2 * delay(y, by: 50.25, minimum: 1, maximum: 100, interpolation: \"cubic\")",
    // Loops in which a standstill and half the rate die away.
    "y = x + 1.2 * highpass(lowpass(delay(y, 100), 3000), 200)",
    "y = x - 1.2 * lowpass(delay(y, 100), 800)",
    "y = x - 1.3 * lowpass(delay(y, by: 80.5, minimum: 1, maximum: 99), 2000)",
    "y = x + 0.8 * peak(highpass(delay(y, 480), 200), 1000, gain: 6, q: 1)",
    "y = x + 1.05 * bandpass(delay(y, 480), 1000, q: 8)", "y = x + 0.5 * lowpass(delay(y, 96), 1000, q: 4)",
    "y = x + 1.9 * delay(y, 1) - 1.01 * delay(y, 2)", "y = x + 0.9 * delay(y, 7) - 0.9 * delay(y, 11)",
    "a = x + 1.05 * delay(y, 89) + 0.5 * delay(a, 31)\ny = delay(a, 31) - 0.5 * a",
    network(0.51), network(-0.52),
    // Whatever comes from outside.
    "y = x - 1.2 * delay(y, 100) - 0.3 * delay(x, 7)", "z = tanh(x)\ny = x - 1.2 * delay(y, 100) - 0.3 * z",
    "y = 0.5 * x + 1.9 * delay(y, 1) - 1.01 * delay(y, 2) - 0.5 * delay(x, 2)",
    // The longest delay, and the filter behind another one.
    "y = 0.5 * delay(y, 1) + 0.5 * delay(z, 50)\nz = x + 1.2 * delay(y, 60)",
    // From channel to channel.
    "y = x + delay(dense(y, \"cross\", axis: 0), 480)",
    "y = x + 1.1 * delay(transpose(dense(y, \"turn\", axis: 0)), 3)",
    "l = slice(x, 0, 0) + 1.5 * delay(r, 40)\nr = 0.8 * delay(l, 40)\ny = concatenate([l, r])",
    "y = x + 1.1 * broadcast(reshape(mean(delay(y, 8), axis: 0), [1]), [2])",
    // Over frames, and over channels.
    "y = x + fir(delay(y, 100), \"taps\")", "y = x + delay(fir(y, \"band\"), 100)",
    "y = x + conv1d(delay(y, 3), \"kernel\")",
    "y = x + broadcast(reshape(conv1d(reshape(delay(y, 9), [1, 2]), \"pair\", axis: 1, padding: \"valid\"), [1]), [2])",
    // A bias is something that comes from outside.
    "y [2, frames] = conv1d(delay(y, 3), \"kernel\", bias: \"bias\")",
    "y [2, frames] = dense(1.2 * delay(y, 3), \"cross\", \"bias\", axis: 0)",
  ]

  private static let others = [
    "y = x + 0.9 * delay(y, 100)", "y = x + delay(y, 100)", "y = x + gain * delay(y, 1)",
    "y = x + 0.9 * lowpass(delay(y, 100), 800, q: 0.5)", "y = x + highpass(1.2 * delay(y, 100), 500) * gain",
    "y = x + 1.2 * highpass(delay(y, 100), 500) * sine(2)",
    "y = x + 0.99 * delay(y, by: 50.5, minimum: 1, maximum: 100)",
    "y = x + 1.2 * delay(y, by: 50 + sine(1), minimum: 1, maximum: 100)",
    "y = x + lowpass(delay(y, 100), 20)",
    "y = x + 0.98 * delay(dense(y, \"turn\", axis: 0), 480)",
    "y = x + pad(slice(delay(y, 3) * 4, 0, 0), 0, 1)",
    "y = x + much * gain * 0.7 * delay(y, 1)", "y = x + delay(y, 3) / 0",
    "y = x + 0.7 * delay(y, 5) + 0.2 * delay(y, 9)",
    "y = x - 1.2 * lowpass(delay(y, 100), 30)", "y = x + 0.8 * highpass(lowpass(delay(y, 100), 3000), 200)",
    "y = x + 0.7 * peak(highpass(delay(y, 120), 200), 1000, gain: 2.9, q: 4)",
    "y = x + 0.99 * bandpass(delay(y, 480), 1000, q: 8)", "y = x + 1.9 * delay(y, 1) - 0.99 * delay(y, 2)",
    "y = x + 0.98 * delay(y, by: 50.5, minimum: 1, maximum: 100, interpolation: \"cubic\")",
    // Lossless, whatever is around them: an allpass in a loop, and rows at right angles to each other.
    "a = x + delay(y, 89) + 0.5 * delay(a, 31)\ny = delay(a, 31) - 0.5 * a", network(0.5), network(-0.5),
    // Lines hold back what would grow alone.
    "y = x + 1.1 * delay(y, 1) - 0.15 * delay(y, 4)",
    "y = x + 0.8 * fir(delay(y, 100), \"taps\")", "y = x + 0.8 * delay(fir(y, \"band\"), 100)",
    "y = x + 0.8 * conv1d(delay(y, 3), \"kernel\")", "y [2, frames] = conv1d(delay(y, 3), \"kernel\")",
    // Bounded, or bent.
    "y = limit(x + 1.2 * delay(y, 100), 2)", "y = x + tanh(2 * delay(y, 1))",
    "y = x + 1.2 * delay(y, 1) * delay(y, 1)", "y = x + x * delay(y, 1)",
    // There is no feedback.
    "y = x + 3 * delay(x, 1)",
    // The growing loop reads nothing but itself.
    "y = pad(slice(x, 0, 0), 0, 0, 1) + concatenate([slice(delay(y, 9), 0, 0) * 0.5, slice(delay(y, 9), 0, 1) * 1.5])",
    "y = 0 + 1.5 * delay(y, 4)",
    // Without input, and without readers of the output.
    "z = 2 * delay(z, 1)\ny = x + z", "z = x + 2 * delay(z, 1)\ny = x * 2",
  ]

  @Test(arguments: growing) func whatGrowsIsNamed(lines: String) throws {
    let notes = try notes(lines)
    #expect(notes.count == 1)
    #expect(notes.allSatisfy { $0.severity == .warning && $0.place != nil })
  }

  @Test(arguments: others) func whatMayDieAwayIsNot(lines: String) throws {
    #expect(try notes(lines).isEmpty)
  }

  @Test func theMessageTellsTheWay() throws {
    let note = try #require(
      notes("sent = x + heard\nlate = delay(sent, 480)\nheard = 1.25 * late\ny = sent").first)
    #expect(
      note.message
        == "this feeds back by way of 'late', 'heard' with a gain of 1.25 after 480 frames, and "
        + "grows until it is no number; keep the gain below 1, or bound what goes around with limit(x, level)"
    )
    #expect(note.subject == "sent" && note.place?.line == 13)
  }

  /// Up to the second order all that grows is known to, and nothing else.
  @Test func isExactUpToTheSecondOrder() throws {
    var random = SplitMix(seed: 11)
    var seen: Set<Bool> = []
    for _ in 0..<300 {
      let (a, b) = (Double(random.float(-2.2, 2.2)), Double(random.float(-1.3, 1.3)))
      // The roots of z^2 = a z + b.
      let inside = a * a / 4 + b
      let largest = inside < 0 ? (-b).squareRoot() : abs(a) / 2 + inside.squareRoot()
      guard abs(largest - 1) > 1e-5 else { continue }
      let found = try notes("y = x + \(a) * delay(y, 1) + \(b) * delay(y, 2)")
      #expect(found.isEmpty == (largest < 1), "\(a), \(b)")
      seen.insert(found.isEmpty)
    }
    #expect(seen.count == 2)
  }

  /// Each delay of a chain doubles the ways around.
  @Test func aChainOfDelaysIsSeenThrough() throws {
    let chain = (0..<16).map { "s\($0 + 1) = s\($0) + delay(s\($0), \(1 << $0))" }
    func note(_ gain: Double) throws -> PassNote? {
      try notes((["y = x + \(gain) * delay(s16, 1)", "s0 = y * 1"] + chain).joined(separator: "\n")).first
    }
    #expect(try note(0.01)?.message.contains("after 32769 frames") == true)
    #expect(try note(0x1p-17) == nil)
  }

  /// The whole way around, by way of the longest delay.
  @Test(arguments: [
    ("y = x + 1.2 * delay(y, by: 479.99998, minimum: 1, maximum: 500)", 480),
    ("y = x + 1.2 * delay(z, 100)\nz = 0.9 * delay(y, 3000)", 3100),
    ("y = x + 0.7 * delay(y, 5) + 0.6 * delay(y, 9)", 9),
    ("y = x + delay(dense(y, \"cross\", axis: 0), 480)", 480),
    ("y = x + 1.2 * lowpass(delay(y, 100), 800)", 100),
  ]) func theMessageTellsTheFrames(lines: String, frames: Int) throws {
    #expect(try notes(lines).first?.message.contains(" after \(frames) frames, ") == true)
  }

  @Test(arguments: [
    ("y = x + 1.2 * delay(y, 100)", " with a gain of 1.2 after"),
    ("y = x - 1.2 * delay(y, 101)", " with a gain of 1.2 at 238 Hz after"),
    ("y = x - 1.2 * delay(y, 2)", " with a gain of 1.2 at 12000 Hz after"),
    // In phase it is each 100 Hz, and at 1000 the filter passes all.
    ("y = x + 1.05 * bandpass(delay(y, 480), 1000, q: 8)", " at 1000 Hz after"),
  ]) func theMessageTellsTheFrequency(lines: String, words: String) throws {
    #expect(try notes(lines).first?.message.contains(words) == true)
  }

  @Test func theMessageTellsOfDefaults() throws {
    let note = try #require(notes("y = x + (much - 1.7) * lowpass(delay(y, 100), 800)").first)
    #expect(
      note.message.hasPrefix(
        "with the parameters at their defaults, this feeds back with a gain of 1.26 after 100 frames"))
  }

  /// Of a line's response, whose frames cancel each other almost, that is louder than 1 between two looks at it only.
  @Test func aPeakIsLookedFor() throws {
    let lines = "y = x + 0.503 * delay(y, 52) - 0.0401 * delay(y, 56) - 0.503 * delay(y, 60)"
    #expect(growth([(52, 0.503), (56, -0.0401), (60, -0.503)], frames: 100_000) > 2)
    #expect(try notes(lines).count == 1)
  }

  /// As loud as it is at 0.5 radians a frame, where its frames are in phase; each 16 of them could be louder at others.
  @Test(arguments: [1.5, 0.9]) func aLongResponseIsHeardAsAWhole(gain: Double) throws {
    let taps = (0..<300).map { String(gain / 150 * cos(0.5 * Double($0))) }.joined(separator: ", ")
    let notes = try notes("weights \"room\" [300] = [\(taps)]\ny = x + fir(delay(y, 4000), \"room\")")
    guard gain > 1 else { return #expect(notes.isEmpty) }
    let found = try #require(notes.first?.message.firstMatch(of: /gain of ([0-9.]+) at ([0-9]+) Hz/))
    // In phase it is each 12 Hz; on average it takes 4149.5 frames.
    #expect(abs(Double(found.1)! - pow(gain, 4000 / 4149.5)) < 0.01 && abs(Double(found.2)! - 3820) < 13)
  }

  /// Of many lines it is only looked whether they grow at a standstill, or at half the sample rate.
  @Test(arguments: [1.2, 0.9]) func manyLinesAreLookedAtQuickly(gain: Double) throws {
    let taps = (0..<512).map { _ in String(gain / 512) }.joined(separator: ", ")
    let notes = try notes(
      """
      weights "far" [2, 1, 512] = [\(taps), \(taps)]
      y = x + conv1d(delay(y, 100), "far", groups: 2, dilation: 16)
      """)
    #expect(notes.count == (gain > 1 ? 1 : 0))
    #expect(notes.allSatisfy { $0.message.contains(" after \(100 + 511 * 16) frames") })
  }

  /// A bent loop is known not to be linear before anything is found out about it.
  @Test func whatIsBentIsNotLookedAt() throws {
    let weights = String(repeating: "0.1, ", count: 63 * 64 + 63) + "0.1"
    let lines = """
      weights "all" [64, 64] = [\(weights)]
      z [64, 4096, frames] = tanh(sum(x, axis: 0) + dense(delay(z, 1), "all", axis: 0))
      y = x + sum(sum(z, axis: 0), axis: 0)
      """
    #expect(try notes(lines).isEmpty)
    #expect(try notes(lines.replacing("tanh", with: "")).isEmpty)
  }

  /// A gain so large that nothing can be said of it is no harm.
  @Test(arguments: [1, 100]) func endlessGainsAreNoHarm(frames: Int) throws {
    let factors = String(repeating: "1e38 * ", count: 5)
    let message = try notes("y = x + \(factors)delay(y, \(frames))").first?.message
    #expect(message?.contains("gain of") != true)
  }

  /// By an interpreter: how much of a click is left after some ways around, one of them later.
  @Test(arguments: [
    "y = x + 1.2 * lowpass(delay(y, 100), 800)", "y = x - 1.2 * lowpass(delay(y, 100), 800)",
    "y = x + 1.05 * bandpass(delay(y, 480), 1000, q: 8)",
    "y = x + 0.75 * peak(delay(y, 48), 1000, gain: 3, q: 2)",
    "y = x + 0.6 * delay(y, 48) + 0.5 * delay(y, 96)", "y = x + 1.9 * delay(y, 1) - 1.001 * delay(y, 2)",
  ]) func theGainIsWhatAClickGrowsBy(lines: String) throws {
    let message = try #require(notes(lines).first?.message)
    let found = try #require(message.firstMatch(of: /gain of ([0-9.]+).* after ([0-9]+) frames/))
    let (gain, around) = try (#require(Double(found.1)), #require(Int(found.2)))
    let click = (0..<24_000).map { Float($0 == 0 ? 1 : 0) }
    let heard = try ReferenceInterpreter(graph(lines).canonical()).run(
      inputs: [click, click], frames: 24_000
    )
    .outputs[0]
    // Over so many frames that a beat is in them.
    let (span, ways) = (4000, 8000 / around)
    func power(_ end: Int) -> Double { heard[end - span..<end].reduce(0) { $0 + $1.value * $1.value } }
    let growth = pow(power(24_000) / power(24_000 - ways * around), 0.5 / Double(ways))
    #expect(abs(growth - gain) < 0.002 * (gain - 1) + 2e-4, "\(growth)")
  }

  /// By an interpreter: what a click leaves behind in the second half is louder than in the second quarter.
  @Test(arguments: growing) func whatIsNamedGrows(lines: String) throws {
    let frames = 10_000
    let click = (0..<frames).map { $0 == 0 ? Float(1) : $0 == 1 ? -0.5 : 0 }
    let graph = try graph(lines).canonical()
    let heard = ReferenceInterpreter(graph).run(inputs: [click, click.map { $0 * 0.7 }], frames: frames)
      .outputs
    func largest(_ frames: Range<Int>) -> Double {
      heard.flatMap { $0[frames] }.map { $0.value.isFinite ? abs($0.value) : .infinity }.max() ?? 0
    }
    let early = largest(frames / 4..<frames / 2)
    #expect(early > 0 && (early == .infinity || largest(frames / 2..<frames) > 1.2 * early))
  }

  /// The rest of a click in the last quarter, relative to that in the second.
  private func growth(_ terms: [(frames: Int, gain: Double)], frames: Int) -> Double {
    var heard = [Double](repeating: 0, count: frames)
    heard[0] = 1
    for frame in 1..<frames {
      for term in terms where term.frames <= frame { heard[frame] += term.gain * heard[frame - term.frames] }
    }
    func largest(_ frames: Range<Int>) -> Double { heard[frames].reduce(0) { max($0, abs($1)) } }
    return largest(frames * 3 / 4..<frames) / largest(frames / 4..<frames / 2)
  }

  /// Of any order, and with lines of any length.
  @Test func isExactForAllOrders() throws {
    var random = SplitMix(seed: 12)
    var seen = [true: 0, false: 0]
    for round in 0..<150 {
      let longest: Double = round.isMultiple(of: 2) ? 5 : 60
      let terms = (0..<4).map { _ in
        (frames: Int(random.float(1, longest)), gain: Double(random.float(-0.6, 0.6)))
      }
      let growth = growth(terms, frames: 6000)
      guard growth < 0.8 || growth > 1.25 else { continue }
      let sum = terms.map { "\($0.gain) * delay(y, \($0.frames))" }.joined(separator: " + ")
      #expect(try notes("y = x + \(sum)").isEmpty == (growth < 1), "\(terms), \(growth)")
      seen[growth > 1]! += 1
    }
    #expect(seen.values.allSatisfy { $0 > 30 })
  }
}
