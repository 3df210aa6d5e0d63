// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import RealtimeWatch
import ReferenceInterpreter
import Testing

@Suite struct TimeTests {
  @Test func anEchoRepeatsEverySevenFrames() throws {
    var impulse = [Float](repeating: 0, count: 30)
    impulse[2] = 1
    let result = try interpret(
      """
      graph "echo" stream 48000
      input src [frames]
      echo = delay(wet, 7)
      wet = src + echo * 0.5
      output wet = wet
      """, inputs: [impulse], frames: 30)
    var expected = impulse
    for (repeats, frame) in [9, 16, 23].enumerated() { expected[frame] = Float(0.5 / Double(1 << repeats)) }
    #expect(certain(result.outputs[0]) == expected)
  }

  /// The kept frames are bounded by the run, too, and not only by how far something looks back or ahead.
  @Test(arguments: [
    "delay(src, 268435328)", "lookahead(src, 100000000)", "src + delay(lookahead(src, 90000000), 3)",
  ])
  func aShortRunAsksForLittleMemory(expression: String) throws {
    var outputs: [[Float]] = []
    let bytes = try HeapUse.bytes {
      let text = "graph \"long\" stream 48000\ninput src [frames]\ny = \(expression)\noutput y = y"
      let result = try interpret(text, inputs: [[Float](repeating: 1, count: 50)], frames: 50)
      outputs = result.outputs.map(certain)
    }
    #expect(outputs == [[Float](repeating: 0, count: 50)])
    #expect((10_000..<1 << 20).contains(bytes), "\(bytes) bytes")
  }

  @Test func aDelayOfAConstantBeginsWithZeros() throws {
    let result = try interpret(
      """
      graph "late" stream 48000
      input src [frames]
      parameter level [] = 3 minimum 0 maximum 10 ramp 0 scale linear
      y = delay(2, 3) + 0 * src
      z = delay(level, 2) + 0 * src
      output y = y
      output z = z
      """, inputs: [[Float](repeating: 1, count: 6)], frames: 6,
      events: [ParameterEvent(frame: 2, parameter: 0, value: 5)])
    #expect(certain(result.outputs[0]) == [0, 0, 0, 2, 2, 2])
    #expect(certain(result.outputs[1]) == [0, 0, 3, 3, 5, 5])
  }

  @Test func aOnePoleDecaysAsItsPowers() throws {
    var impulse = [Float](repeating: 0, count: 400)
    impulse[0] = 1
    let result = try interpret(
      """
      graph "pole" stream 48000
      input src [frames]
      y = src + delay(y, 1) * 0.9
      output y = y
      """, inputs: [impulse], frames: 400)
    for (frame, estimate) in result.outputs[0].enumerated() {
      let exact = pow(Double(Float(0.9)), Double(frame))
      #expect(abs(estimate.value - exact) <= 1e-12 * exact)
      #expect(estimate.radius <= exact * 1.3e-7 * Double(frame) + 1e-37)
    }
    #expect(result.shareOnJumps == 0 && result.shareUnbounded == 0)
  }

  @Test func controlHoldsFor64Frames() throws {
    let ramp = (0..<200).map { Float($0) }
    let result = try interpret(
      """
      graph "held" stream 48000
      input src [frames]
      y = control(src)
      z = delay(y, 1)
      output y = y
      output z = z
      """, inputs: [ramp], frames: 200)
    let held = ramp.map { Float(Int($0) / 64 * 64) }
    #expect(certain(result.outputs[0]) == held)
    #expect(certain(result.outputs[1]) == [0] + held.dropLast())
  }

  @Test func stepsHaveDelaysToo() throws {
    let result = try interpret(
      """
      graph "steps" step 48000
      input x [2, 2]
      total = x + delay(total, 1)
      y = transpose(total)
      output y = y
      """, inputs: [[1, 2, 3, 4, 10, 20, 30, 40, 0, 0, 0, 0]], frames: 3)
    #expect(certain(result.outputs[0]) == [1, 3, 2, 4, 11, 33, 22, 44, 11, 33, 22, 44])
  }

  @Test func denormalInputsCountAsZero() throws {
    let result = try interpret(
      """
      graph "plain" stream 48000
      input src [frames]
      y = delay(src, 1)
      output y = y
      """, inputs: [[.leastNonzeroMagnitude, 1, 0]], frames: 3)
    #expect(result.outputs[0][1].contains(0) && result.outputs[0][1].contains(.leastNonzeroMagnitude))
    #expect(result.outputs[0][1].radius == 0)
  }
}
