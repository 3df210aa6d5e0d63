// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import Testing

@Suite("Parameters")
struct ParameterTests {
  @Test(
    "A value is clamped to its range, a NaN is ignored, and there is one zero",
    arguments: [
      (0.5, 0.5), (3, 2), (-3, -2), (.infinity, 2), (-.infinity, -2), (.nan, 1), (-.nan, 1),
      (-0.0, 0), (.leastNonzeroMagnitude, 0), (-.leastNonzeroMagnitude, 0),
    ] as [(Float, Float)])
  func clamp(asked: Float, expected: Float) throws {
    let context = try Context(GainProgram.make())
    let gain = context.parameter(named: "gain")!
    gain.set(asked)
    #expect(gain.value.bitPattern == expected.bitPattern)
  }

  @Test("A handle outlives its context")
  func handle() throws {
    let gain: Parameter
    do {
      let context = try Context(GainProgram.make())
      gain = context.parameter(named: "gain")!
    }
    gain.set(0.5)
    #expect(gain.value == 0.5)
  }

  @Test("A value set from other threads while blocks run is never lost")
  func concurrent() async throws {
    var context = try Context(GainProgram.make())
    let gain = context.parameter(named: "gain")!
    let echo = context.parameter(named: "echo")!
    let setters = [
      Task.detached { for count in 0...5000 { gain.set(Float(count % 100) / 100) } },
      Task.detached { for count in 0...5000 { echo.set(Float(count % 50) / 50) } },
    ]
    let ones = [[Float]](repeating: [Float](repeating: 1, count: 16), count: GainProgram.channels)
    for _ in 0..<500 {
      for sample in context.execute(ones)[0] { #expect(sample >= 0 && sample <= 2) }
      await Task.yield()
    }
    for setter in setters { await setter.value }
    gain.set(-1)
    echo.set(0.5)
    _ = context.execute(ones)
    #expect(context.execute(ones)[0].last == -1.5)
  }
}
