// SPDX-License-Identifier: Apache-2.0

import ReferenceInterpreter
import Testing

@Suite struct ParameterTests {
  private func track(
    ramp: Int, _ events: [(Int, Float)], frames: Int = 40, clock: String = "stream", rounding: Bool = false
  ) throws -> [Estimate] {
    let axes = clock == "stream" ? "[frames]" : "[]"
    return try interpret(
      """
      graph "gain" \(clock) 48000
      input src \(axes)
      parameter gain \(axes) = 1 minimum -8 maximum 8 ramp \(ramp) scale linear
      y = select(1, gain, src)
      output y = y
      """, inputs: [[Float](repeating: 0, count: frames)], frames: frames,
      events: events.map { ParameterEvent(frame: $0.0, parameter: 0, value: $0.1) }, rounding: rounding
    ).outputs[0]
  }

  @Test func aRampLandsExactly() throws {
    let values = try track(ramp: 10, [(5, 2)])
    #expect(values[..<5].allSatisfy { $0.isCertain && $0.value == 1 })
    for step in 1..<10 {
      #expect(abs(values[4 + step].value - (1 + Double(step) / 10)) < 1e-12)
      #expect(values[4 + step].radius > 0 && values[4 + step].radius < 1e-6)
    }
    #expect(values[14...].allSatisfy { $0.isCertain && $0.value == 2 })
  }

  @Test func nativeRampsLieInside() throws {
    for (target, length) in [(Float(7.3), 7), (-7.77, 33), (0.9, 31), (1.0000001, 29)] {
      let values = try track(ramp: length, [(3, target), (12, -target)], frames: 60)
      var (start, now) = (Float(1), Float(1))
      for (first, goal) in [(3, target), (12, -target)] {
        start = now
        let step = (goal - start) / Float(length)
        for elapsed in 1...(first == 3 ? 9 : 48) {
          let count = Float(elapsed)
          let unfused = elapsed >= length ? goal : start + count * step
          let fused = elapsed >= length ? goal : start.addingProduct(count, step)
          let found = values[first + elapsed - 1]
          #expect(found.contains(unfused) && found.contains(fused), "\(found) \(fused) at \(elapsed)")
          now = fused
        }
      }
    }
  }

  @Test("A run that rounds has ramps of floats, whose step is off all the way")
  func roundedRampsAreOfFloats() throws {
    let values = try track(ramp: 33, [(3, -7.77)], rounding: true)
    let step: Float = (-7.77 - 1) / 33
    for elapsed in 1..<33 {
      #expect(Float(values[2 + elapsed].value) == Float(1).addingProduct(Float(elapsed), step))
    }
    #expect(values[35].value == Double(Float(-7.77)))
  }

  @Test func aRampRestartsFromWhereItIs() throws {
    let values = try track(ramp: 10, [(5, 2), (10, 0)])
    #expect(abs(values[9].value - 1.5) < 1e-12)
    #expect(abs(values[10].value - 1.35) < 1e-12)
    #expect(abs(values[18].value - 0.15) < 1e-12)
    #expect(values[19].isCertain && values[19].value == 0)
  }

  @Test func setsThatChangeNothingDoNothing() throws {
    let plain = try track(ramp: 10, [(5, 2)])
    #expect(try track(ramp: 10, [(5, 2), (8, 2), (9, .nan)]) == plain)
    #expect(try track(ramp: 10, [(5, 3), (5, 2), (8, 7), (8, 2)]) == plain)
    #expect(try track(ramp: 10, [(8, 2), (5, 2)]) == plain)
  }

  @Test func aSetIsKeptInItsRange() throws {
    #expect(try track(ramp: 0, [(2, 100)])[2].value == 8)
    #expect(try track(ramp: 0, [(2, -.infinity)])[2].value == -8)
    #expect(try track(ramp: 0, [(2, -.leastNonzeroMagnitude)])[2].isCertain)
  }

  @Test func beforeTheFirstFrameAndWithoutARampItJumps() throws {
    #expect(certain(try track(ramp: 10, [(0, 3)], frames: 3)) == [3, 3, 3])
    #expect(certain(try track(ramp: 0, [(1, 3)], frames: 3)) == [1, 3, 3])
    #expect(certain(try track(ramp: 10, [(1, 3)], frames: 3, clock: "step")) == [1, 3, 3])
  }
}
