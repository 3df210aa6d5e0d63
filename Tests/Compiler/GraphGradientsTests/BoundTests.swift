// SPDX-License-Identifier: Apache-2.0

import GraphGradients
import GraphIR
import ReferenceInterpreter
import TestEquipment
import Testing

/// A stream that is bound to some frames computes what the stream does, in steps.
@Suite struct BoundTests {
  /// Lines over src [2, frames] and low [frames], a parameter p, and weights.
  static let streams = [
    "dst = tanh(src * p) + low",
    "dst = delay(src, 3) + 0.5 * delay(src, 200)",
    "y = src + 0.5 * delay(y, 1)\ndst = y",
    "y = src + 0.5 * delay(z, 2)\nz = tanh(y) + delay(src, 1)\ndst = z",
    "dst = onePole(src, 1000) - biquad(src, 0.2, 0.3, 0.1, -0.5, 0.25)",
    "dst = conv1d(src, \"k\", dilation: 3)",
    "y = src + 0.3 * conv1d(delay(y, 1), \"k\")\ndst = y",
    "dst = lstm(src, \"w\", \"u\")",
    "h = tanh(src + dense(delay(h, 1), \"m\", axis: 0))\ndst = h",
    "dst = delay(src, by: 20 + 10 * low, maximum: 40)",
    "dst = delay(src, by: 20 + 10 * src, maximum: 40, interpolation: \"cubic\")",
    "dst = delay(low, by: 5 + 4 * src, maximum: 12, interpolation: \"none\")",
    "dst = src * noise(3)",
    "dst = src * phasor(440 + 100 * low)",
    "dst = src * control(low)",
    "dst = lookahead(src, 4) * low",
    "dst = transpose(reshape(src * low, [1, 2]), [1, 0]) + sum(src, axis: 0)",
    "dst = gather(\"k\", 2 * low, axis: 0)",
    "dst = gather(src, abs(low), axis: 0) + max(slice(src, axis: 0, start: 1, count: 1), low)",
  ]

  private func graph(_ lines: String) throws -> Graph {
    try Graph(
      parsing: """
        graph "x" stream 48000
        input src [2, frames]
        input low [frames]
        parameter p [frames] = 0.5 minimum 0 maximum 1 ramp 50 scale linear
        weights "k" [2, 2, 3] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.2, -0.3, 0.4, 0.5]
        weights "m" [2, 2] = [0.5, -0.25, 0.125, 0.5]
        weights "w" [8, 2] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.2, -0.3, 0.4, 0.5, 0.1, 0.2, -0.3, 0.4]
        weights "u" [8, 2] = [0.5, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.6, -0.3, 0.4, 0.5, 0.1, 0.7, -0.3, 0.4]
        \(lines)
        output dst = dst
        """)
  }

  @Test(arguments: streams, [false, true])
  func computesWhatTheStreamDoes(lines: String, carriesState: Bool) throws {
    let (frames, steps) = (64, carriesState ? 3 : 1)
    let stream = try graph(lines)
    let bound = try stream.bound(frames: frames, carryingState: carriesState)
    #expect(bound.clock == .step && bound.nodes.allSatisfy { !$0.op.isDelay })
    var random = SplitMix(seed: 5)
    let rows = (0..<3).map { _ in (0..<frames * steps).map { _ in random.float(-1, 1) } }
    let expected = ReferenceInterpreter(stream.aligned()).run(inputs: rows, frames: frames * steps).outputs
    let interpreter = ReferenceInterpreter(bound)
    var state = bound.inputs.dropFirst(2).map { [Float](repeating: 0, count: $0.type.shape.count) }
    #expect(carriesState || state.isEmpty)
    for step in 0..<steps {
      let part = rows.map { Array($0[step * frames..<(step + 1) * frames]) }
      let sides = (0..<frames).flatMap { [part[0][$0], part[1][$0]] }
      // A function of the position begins anew in each step.
      if step > 0, lines.contains("noise") { break }
      let result = interpreter.run(inputs: [sides, part[2]] + state, frames: 1).outputs
      state = result.dropFirst().map { $0.map { Float($0.value) } }
      let channels = expected.count
      for frame in 0..<frames {
        for channel in 0..<channels {
          let (made, wanted) = (
            result[0][frame * channels + channel].value, expected[channel][step * frames + frame].value
          )
          #expect(
            abs(made - wanted) <= 2e-5,
            "step \(step), frame \(frame), channel \(channel): \(made), not \(wanted)")
        }
      }
    }
  }

  @Test func whatACycleCannotHoldIsRefused() throws {
    let stream = try graph("y = src + 0.5 * delay(y, by: 10 + low, minimum: 2, maximum: 40)\ndst = y")
    let flaw = "a delay by a signal in a cycle, of 2 frames at least, has steps of 2 frames at most"
    #expect(throws: TypingError(flaw + " that carry state; learning has them with --recompute 2")) {
      try stream.bound(frames: 64)
    }
    #expect(throws: TypingError(flaw)) { try stream.bound(frames: 64, carryingState: true) }
  }
}
