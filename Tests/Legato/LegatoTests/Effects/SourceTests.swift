// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import Testing

/// Oscillators, and delays by a signal, against closed formulas.
@Suite struct SourceTests {
  static let silence = [Float](repeating: 0, count: 48_000)

  @Test(arguments: [1.0, 440, 12_345.5, -100]) func aPhasorIsRightForEver(frequency: Double) throws {
    let found = try FilterTests.run("phasor(\(frequency))", Self.silence)
    for frame in stride(from: 0, to: 48_000, by: 97) {
      let turns = frequency * Double(frame) / 48_000
      let distance = Double(found[frame]) - (turns - turns.rounded(.down))
      // Of a step 24 bits are kept, and no more than 2^-32 of a turn; a whole turn may be seen from its other side.
      let slip = Double(frame) * 0x1p-32 + 1e-7 * Swift.max(1, Swift.abs(turns))
      #expect(Swift.abs(distance - distance.rounded()) < slip)
    }
    #expect(found.allSatisfy { $0 >= 0 && $0 < 1 } && found[0] == 0)
  }

  @Test func aPhasorFollowsItsFrequency() throws {
    let x = (0..<1000).map { Float($0 < 500 ? 0 : 4800) }
    let found = try FilterTests.run("phasor(x)", x)
    #expect(found[500] == 0 && Swift.abs(found[501] - 0.1) < 1e-6 && Swift.abs(found[509] - 0.9) < 1e-6)
    // Beyond half the sample rate it is that; what is no number stands still.
    #expect(try FilterTests.run("phasor(90000)", x) == FilterTests.run("phasor(24000)", x))
    #expect(try FilterTests.run("phasor(log(-1 - x))", x).allSatisfy { $0 == 0 })
  }

  @Test func aSineIsASine() throws {
    let found = try FilterTests.run("sine(997)", Self.silence)
    for frame in stride(from: 0, to: 48_000, by: 7) {
      #expect(Swift.abs(Double(found[frame]) - sin(2 * .pi * 997 * Double(frame) / 48_000)) < 4e-4)
    }
  }

  @Test func noiseIsWhite() throws {
    let noise = try FilterTests.run("noise(5)", Self.silence).map(Double.init)
    #expect(noise.allSatisfy { $0 >= -1 && $0 < 1 } && Set(noise).count > 47_000)
    let mean = noise.reduce(0, +) / 48_000
    let power = noise.reduce(0) { $0 + $1 * $1 } / 48_000
    #expect(Swift.abs(mean) < 0.01 && Swift.abs(power - 1.0 / 3) < 0.01)
    for distance in [1, 2, 16, 17, 64, 128, 1000] {
      let product = zip(noise, noise[distance...]).reduce(0) { $0 + $1.0 * $1.1 } / 48_000
      #expect(Swift.abs(product) < 0.01, "\(distance) frames apart")
    }
    let other = try FilterTests.run("noise(6)", Self.silence).map(Double.init)
    #expect(Swift.abs(zip(noise, other).reduce(0) { $0 + $1.0 * $1.1 } / 48_000) < 0.01)
  }

  /// Where the lower half of the position begins anew, within a block that begins at no multiple of a tile.
  @Test(arguments: [[1_000], [1], [37, 128, 400]]) func noiseGoesOnAfterAWholeTurn(blocks: [Int]) throws {
    let beginning = (1 << 32) - 77
    let graph = try Graph(
      parsing: "graph \"noise\" stream 48000\nn = noise(seed: 5)\noutput y = n\n")
    let native = try NativeRun(graph)
    let found = try native.outputs(
      of: .init(inputs: [], frames: 1_000, changes: []), blocks: blocks, from: Int64(beginning))
    #expect(found[0] == (0..<1_000).map { WhiteNoise.sample(seed: 5, position: beginning + $0) })
  }

  // MARK: Delays by a signal

  private static let ramp = (0..<600).map { Float($0) }

  @Test(arguments: ["linear", "cubic"]) func betweenTwoFramesIsInterpolated(kind: String) throws {
    let found = try FilterTests.run(
      "delay(x, by: 100.25 + x / 1024, maximum: 300, interpolation: \"\(kind)\")", Self.ramp)
    for frame in 110..<600 {
      let expected = Double(frame) - 100.25 - Double(frame) / 1024
      #expect(Swift.abs(Double(found[frame]) - expected) < 1e-3)
    }
  }

  /// A cubic meets a parabola, a line between two of its points does not.
  @Test func aCubicIsACubic() throws {
    let parabola = (0..<100).map { Float($0 * $0) }
    let found = try FilterTests.run("delay(x, by: 7.5, maximum: 20, interpolation: \"cubic\")", parabola)
    #expect(found[50] == 42.5 * 42.5)
    let line = try FilterTests.run("delay(x, by: 7.5, maximum: 20)", parabola)
    #expect(line[50] == 1806.5)
  }

  /// The allpass of first order that is late by d frames at 0 Hz has a gain of 1 everywhere.
  @Test(arguments: [1, 1.4999, 7.5, 12.25, 20.0]) func anAllpassKeepsLevels(late: Double) throws {
    let call = "delay(x, by: \(late), minimum: 1, maximum: 20, interpolation: \"allpass\")"
    let impulse = try FilterTests.run(call, FilterTests.impulse(400))
    for frequency in [10.0, 1000, 6000, 15_000, 23_000] {
      let found = response(of: impulse, at: frequency, sampleRate: 48_000)
      #expect(Swift.abs(found.gain - 1) < 1e-5, "\(frequency) Hz")
      guard frequency <= 1000 else { continue }
      let turns = 2 * Double.pi * frequency / 48_000 * late
      #expect((found - SIMD2(cos(turns), -sin(turns))).gain < 5e-4, "\(frequency) Hz")
    }
    // Whole frames are exact where the pole is at 0.
    if late == 20 { #expect(impulse[20] == 1 && impulse[21] == 0) }
  }

  @Test func anAllpassNeedsAFrame() throws {
    for (limits, least) in [("maximum: 9", 0), ("minimum: 10, maximum: 9", 10)] {
      let error = #expect(throws: (any Error).self) {
        try FilterTests.run("delay(x, by: 3, \(limits), interpolation: \"allpass\")", [1])
      }
      let message =
        "needs a minimum from 1, or from 2 where it closes a cycle, to its maximum, 9; it is \(least)"
      #expect("\(error.map { "\($0)" } ?? "")".contains(message))
    }
    let fixed = "delay(x, by: 3, minimum: 9, maximum: 9, interpolation: \"allpass\")"
    #expect(try FilterTests.run(fixed, Self.ramp) == FilterTests.run("delay(x, 9)", Self.ramp))
  }

  @Test func whatLiesOutsideIsKeptInside() throws {
    func at(_ by: String, _ kind: String = "linear") throws -> Float {
      let call = "delay(x, by: \(by), minimum: 3, maximum: 9, interpolation: \"\(kind)\")"
      return try FilterTests.run(call, Self.ramp)[400]
    }
    for kind in ["linear", "cubic", "none"] {
      #expect(try at("100", kind) == 391 && at("9", kind) == 391)
      #expect(try at("0 - 5", kind) == 397 && at("3", kind) == 397)
      #expect(try at("log(-1 - x)", kind) == 397 && at("1 / (x - 400)", kind) == 391)
    }
    #expect(try at("4.75", "none") == 396)
  }

  @Test func aSignalMayReachThePresent() throws {
    #expect(try FilterTests.run("delay(x, by: 0, maximum: 1)", Self.ramp) == Self.ramp)
    #expect(
      try FilterTests.run("delay(x, by: 5, maximum: 5)", Self.ramp)
        == FilterTests.run("delay(x, 5)", Self.ramp))
  }

  @Test func aCycleIsClosedWhereTheMinimumIsAFrame() throws {
    func run(_ minimum: Int) throws -> [Float] {
      let graph = try Graph(
        parsing: """
          graph "loop" stream 48000
          input x [frames]
          v = delay(y, by: 3, minimum: \(minimum), maximum: 200)
          w = v * 0.5
          y = x + w
          output y = y
          """)
      guard Verifier.violations(in: graph).isEmpty else { throw TypingError("a cycle") }
      return try NativeRun(graph).outputs(
        of: .init(inputs: [FilterTests.impulse(9)], frames: 9, changes: []))[0]
    }
    #expect(try run(1) == [1, 0, 0, 0.5, 0, 0, 0.25, 0, 0])
    #expect(throws: (any Error).self) { try run(0) }
  }

  @Test(arguments: [
    ("delay(x)", "delay needs frames, or by and maximum"),
    ("delay(x, 3, by: x, maximum: 4)", "delay takes frames or by, not both"),
    ("delay(x, by: x)", "a delay by a signal needs maximum: how many frames are kept for it"),
    (
      "delay(x, 3, maximum: 4)",
      "minimum and maximum go with a delay by a signal: delay(x, by: …, maximum: …)"
    ),
    ("delay(x, by: x, minimum: 5, maximum: 4)", "must lie in 0…4 frames, its maximum; it is 5"),
    ("delay(x, by: x, maximum: 20000000)", "must lie in 1…16777214 frames; it is 20000000"),
    ("noise(-1)", "the seed must lie in 0…4294967295; it is -1"),
  ])
  func mistakesAreSaid(expression: String, message: String) {
    let error = #expect(throws: (any Error).self) { try FilterTests.run(expression, [0]) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(message))
  }
}
