// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import NativeCode
import TestEquipment
import Testing

/// Holds run vector by vector, with the bits that they have frame by frame.
@Suite struct HoldTests {
  private static func graph(_ lines: String, rows: Int) throws -> Graph {
    try Graph(
      parsing: """
        graph "hold" stream 48000
        input x [\(rows), frames]
        input t [1, frames]
        parameter level [frames] = 0.4 minimum -1 maximum 1 ramp 50 scale linear
        \(lines)
        output y = y
        """)
  }

  private static let forms = [
    "y = sampleAndHold(x, t > 0.8)",
    // Each row at its own frames, and at others than where they are due.
    "y = sampleAndHold(x, x > level)", "y = select(t > -0.8, delay(y, 1), x)",
    // Two of one trigger, and a third one that takes what one of them holds.
    "a = sampleAndHold(x, t > level)\nb = sampleAndHold(x * 2, t > level)\nc = sampleAndHold(a, x > 0.9)\ny = a - b * c",
    // A sample, or whether one is due, that depends on a parameter only.
    "y = sampleAndHold(x, level > 0.3) + sampleAndHold(level, x > 0.9) + sampleAndHold(level * 2, t)",
    // Others read what was held before.
    "h = sampleAndHold(x, t > 0.9)\ny = h + delay(h, 1) - delay(h, 150)",
    // Within a cycle that goes in spans, and beside a loop that waits for itself.
    "h = sampleAndHold(x + 0.5 * delay(y, 40), t > 0.7)\ny = tanh(h)",
    "h = sampleAndHold(x + 0.5 * delay(y, 6), t > 0.7)\ny = tanh(h)",
    "y = sampleAndHold(x, t > 0.5) + onePole(x, 500)",
  ]

  @Test(arguments: forms, [2, 9]) func allLawsHold(form: String, rows: Int) throws {
    let graph = try Self.graph(form, rows: rows)
    let seed = UInt64(rows + form.count)
    try Laws(LawCase(label: "\(form), \(rows) rows", graph: graph, seed: seed)).check(seed: seed)
  }

  /// Where numbers are due: nowhere, seldom, often, in runs and gaps longer than a vector, everywhere.
  private static let triggers: [@Sendable (Int) -> Float] = [
    { _ in 0 }, { $0 % 53 == 20 ? 1 : 0 }, { $0 % 3 == 1 ? .nan : -0.0 }, { $0 / 37 % 2 == 0 ? 0 : -1 },
    { _ in 1 },
    // Nothing: denormals count as zero.
    { $0 % 5 == 0 ? -.leastNonzeroMagnitude : 0 },
  ]

  /// Bits that arithmetic would change, and others.
  private static func row(_ number: Int) -> [Float] {
    var random = SplitMix(seed: UInt64(number))
    let payload = Float(bitPattern: 0x7fc1_2345)
    let signed = Float(bitPattern: 0xffc0_0001)
    let bits: [Float] = [
      payload, signed, -0.0, 0, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ]
    return (0..<600).map { _ in random.chance(0.3) ? random.pick(bits) : random.float(-1, 1) }
  }

  @Test(arguments: triggers.indices, [1, 2, 5]) func noBitIsLost(trigger: Int, rows: Int) throws {
    let due = (0..<600).map(Self.triggers[trigger])
    let inputs = (0..<rows).map(Self.row)
    let right = inputs.map { row in
      var held: Float = 0
      return zip(row, due).map { number, due in
        if due != 0, !due.isSubnormal { held = number }
        return held.bitPattern
      }
    }
    for target in Target.runnable {
      let native = try NativeRun(Self.graph("y = sampleAndHold(x, t)", rows: rows), target: target)
      for blocks in [[600], [1], [13, 128, 16, 3]] {
        let found = try native.outputs(of: Stimulus(inputs: inputs + [due], frames: 600), blocks: blocks)
        #expect(found.map { $0.map(\.bitPattern) } == right, "\(target.name), blocks of \(blocks)")
      }
    }
  }

  /// A loop that also computes goes frame by frame, and so does one whose code is to be small.
  @Test(arguments: [
    ("sampleAndHold(x, t)", Goal.speed, true), ("sampleAndHold(x, t)", .size, false),
    ("select(t, x + delay(y, 1), delay(y, 1))", .speed, false),
    ("select(delay(y, 1), x, delay(y, 1))", .speed, false), ("select(t, x, delay(y, 2))", .speed, false),
  ])
  func whatOnlyHoldsGoesInVectors(call: String, goal: Goal, isInVectors: Bool) throws {
    let target = try #require(Target.x86(level: "x86-64-v3"))
    let text = try CompiledGraph(
      Self.graph("y = \(call)", rows: 2), options: CompileOptions(target: target, goal: goal)
    ).llvmText
    #expect(text.contains("shufflevector <8 x i1> ") == isInVectors)
  }
}
