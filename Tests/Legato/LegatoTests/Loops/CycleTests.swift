// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// Cycles of every length: in no block, in spans, frame by frame, and one within the other.
@Suite struct CycleTests {
  /// A graph with feedback after so many frames, and some after others as well.
  private static func graph(length: Int, form: Int, channels: Int) -> String {
    let body =
      switch form {
      case 0: ["y = x * 0.5 + gain * delay(y, \(length))"]
      // Dull repetitions: a loop of one frame within.
      case 1:
        [
          "late = delay(sent, \(length))", "worn = late * (1 - gain) + gain * delay(worn, 1)",
          "sent = x + tanh(worn * 0.7)", "y = sent - worn",
        ]
      // Two ways back, the second order beside them.
      case 2:
        [
          "near = delay(y, \(length))", "far = delay(y, \(length + 37))",
          "bent = tanh(near * gain - far * 0.3)", "y = x + bent * 0.5 - delay(bent, 2) * 0.25",
        ]
      // A way back that a signal makes longer, with a loop of one frame behind it.
      case 4:
        [
          "back = delay(sent, by: \(length) + 30 * gain + 3 * x, minimum: \(length), maximum: \(length + 40), "
            + "interpolation: \"\(["linear", "cubic", "none"][length / 6 % 3])\")",
          "worn = back * 0.6 + 0.4 * delay(worn, 1)", "sent = x + gain * worn", "y = sent - back",
        ]
      // A gain that is taken of what comes back, one frame in 64.
      case 5:
        [
          "back = delay(sent, \(length))", "level = control(sum(abs(back), axis: 0))",
          "worn = back * (0.7 - gain * tanh(level)) + 0.2 * delay(worn, 1)", "sent = x + worn",
          "y = sent - back",
        ]
      // Channels that feed each other, and an allpass within.
      default:
        [
          "turned = concatenate([slice(z, axis: 0, start: 1, count: \(channels - 1)), "
            + "slice(z, axis: 0, start: 0, count: 1)], axis: 0)",
          "u = x * 0.3 + gain * delay(turned, \(length))", "v = u + 0.5 * delay(v, 7)",
          "z = delay(v, 7) - 0.5 * v", "y = z + delay(z, 1)",
        ]
      }
    return """
      graph "cycle" stream 48000
      input x [\(channels), frames]
      parameter gain [frames] = 0.4 minimum 0 maximum 0.6 ramp 50 scale linear
      \(body.joined(separator: "\n"))
      output y = y
      """
  }

  private static func example(length: Int, form: Int) throws -> LawCase {
    let channels = form == 3 ? 2 + length % 3 : [1, 2, 3, 9, 16][length % 5]
    let graph = try Graph(parsing: graph(length: length, form: form, channels: channels))
    return LawCase(label: "length \(length), form \(form)", graph: graph, seed: UInt64(4 * length + 1))
  }

  /// Each up to half a tile and a little more, each that is about as long as a tile, and some of those between and of
  /// those that read only what earlier tiles wrote.
  private static let lengths =
    Array(1...70) + stride(from: 73, to: 124, by: 5) + (124...133) + stride(from: 141, through: 300, by: 8)

  @Test(arguments: lengths) func bitsDoNotDependOnSpans(length: Int) throws {
    let example = try Self.example(length: length, form: length % 6)
    let targets = try [Target.host()] + Target.runnable
    let native = try NativeRun(example.graph, target: targets[length / 6 % targets.count])
    let right = try native.outputs(of: example.stimulus, blocks: [example.stimulus.frames])
    let reference = ReferenceInterpreter(example.graph.canonical()).run(
      inputs: example.stimulus.inputs, frames: example.stimulus.frames, events: example.stimulus.changes)
    example.expectInside(right, reference, "native code is right")
    for blocks in [[1], [1, 130, 2, 61, 64, 3], [128]] {
      example.expectSame(
        try native.outputs(of: example.stimulus, blocks: blocks), as: right, "blocks of \(blocks)")
    }
  }

  /// Each length with two forms, each form with lengths of each kind.
  private static let cases = [1, 2, 3, 4, 17, 40, 64, 100, 127, 128, 129, 300].enumerated().flatMap {
    place, length in [(length, place % 6), (length, (place + 2) % 6)]
  }

  @Test(arguments: cases) func allLawsHold(length: Int, form: Int) throws {
    try Laws(Self.example(length: length, form: form)).check(seed: UInt64(length + form))
  }

  /// Samples are taken where a tile begins, and so where a span does.
  @Test(arguments: [4, 40, 127]) func whatIsSampledWithinALoopLeavesItItsSpans(length: Int) throws {
    let graph = try Graph(parsing: Self.graph(length: length, form: 5, channels: 2))
    let plan = try CompiledGraph(graph, options: CompileOptions(target: .host())).plan
    #expect(
      plan.kernelGraph.kernels.contains {
        if case .cycle(let cycle) = $0 { cycle.span == length } else { false }
      })
  }

  /// A bounded loop stays within its bounds for any input, and reads well again afterwards.
  @Test(arguments: [1, 3, 40, 300], [1.5, -4, 1e30]) func aBoundedLoopNeverLeavesItsBounds(
    length: Int, gain: Double
  ) throws {
    let graph = try Graph(
      parsing: """
        graph "bounded" stream 48000
        input x [2, frames]
        y = limit(x + \(gain) * delay(y, \(length)), 4)
        output y = y
        """)
    let frames = 6_000
    var random = SplitMix(seed: 3)
    var rows = (0..<2).map { _ in (0..<frames).map { _ in random.float(-1, 1) } }
    for frame in 100..<110 { rows[0][frame] = [.nan, .infinity, -.infinity, 3e38][frame % 4] }
    let stimulus = Stimulus(inputs: rows, frames: frames)
    for target in Target.runnable {
      let native = try NativeRun(graph, target: target)
      let right = try native.outputs(of: stimulus, blocks: [frames])
      #expect(right.allSatisfy { $0.allSatisfy { abs($0) <= 4 } })
      #expect(try native.outputs(of: stimulus, blocks: [1, 61, 128, 7]) == right)
    }
  }
}
