// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ReferenceInterpreter
import TestEquipment
import Testing

/// The intervals hold whatever native code may answer, over random graphs of element-wise ops.
@Suite struct SoundnessTests {
  static let frames = 60

  /// A graph that shows each of its values.
  private func graph(_ random: inout SplitMix) throws -> Graph {
    var assembler = GraphAssembler(name: "random", clock: .stream, sampleRate: 48_000)
    var values = (0..<3).map { assembler.input("x\($0)", TensorType(.frames)) }
    values.append(assembler.literal(Float(random.unit() * 8 - 4)))
    for _ in 0..<16 {
      let operands = (0..<3).map { _ in
        values[random.chance() ? random.below(values.count) : values.count - 1]
      }
      values.append(try assembler.apply(op(&random), operands, &random))
    }
    for (row, value) in values.enumerated() where row != 3 { assembler.output("y\(row)", value) }
    return assembler.finished()
  }

  private func op(_ random: inout SplitMix) -> Op {
    switch random.below(8) {
    case 0...2: .unary(UnaryOp.allCases.randomElement(using: &random)!)
    case 3: .fma
    case 4: random.chance(0.3) ? .select : .binary(.multiply)
    case 5: .binary([.add, .subtract, .multiply].randomElement(using: &random)!)
    default: .binary(BinaryOp.allCases.randomElement(using: &random)!)
    }
  }

  private func number(_ random: inout SplitMix) -> Float {
    switch random.below(20) {
    case 0: [0, -0.0, 1, -1, 0.5, 2, 3, -2.5].randomElement(using: &random)!
    case 1: Float(sign: .plus, exponent: random.below(250) - 125, significand: Float(1 + random.unit()))
    case 2:
      random.chance(0.2)
        ? [.infinity, -.infinity, .nan].randomElement(using: &random)! : Float(bitPattern: 0x80_0000 / 2)
    default: Float(random.unit() * 4 - 2)
    }
  }

  @Test(arguments: UInt64(1)...200)
  func answersLieInside(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let graph = try graph(&random)
    let inputs = graph.inputs.map { _ in (0..<Self.frames).map { _ in number(&random) } }
    let result = ReferenceInterpreter(graph).run(inputs: inputs, frames: Self.frames)
    var native = NaiveNative(random: random)
    for frame in 0..<Self.frames {
      for _ in 0..<4 {
        let answers = native.run(graph, inputs: inputs.map { $0[frame] })
        for (row, output) in graph.outputs.enumerated() {
          let (answer, estimate) = (answers[Int(output.value.index)], result.outputs[row][frame])
          guard !estimate.contains(answer) else { continue }
          let node = graph.definition(of: output.value)
          let operands = node.operands.map { operand in
            graph.outputs.firstIndex { $0.value == operand }.map { "\(result.outputs[$0][frame])" }
              ?? "literal"
          }
          Issue.record(
            "seed \(seed), frame \(frame): \(node.op) of \(operands) is \(estimate), not \(answer)")
          return
        }
      }
    }
    // Intervals that hold anything would prove nothing.
    #expect(result.shareUnbounded < 0.5, "seed \(seed)")
  }

  @Test func mostIntervalsAreNarrow() throws {
    var (narrow, all) = (0, 0)
    for seed in UInt64(1)...40 {
      var random = SplitMix(seed: seed)
      let graph = try graph(&random)
      let inputs = graph.inputs.map { _ in (0..<Self.frames).map { _ in Float(random.unit() * 4 - 2) } }
      for row in ReferenceInterpreter(graph).run(inputs: inputs, frames: Self.frames).outputs {
        narrow += row.count { $0.radius <= 1e-4 * Swift.max(1, $0.value.magnitude) }
        all += row.count
      }
    }
    #expect(Double(narrow) > 0.9 * Double(all), "\(narrow) of \(all)")
  }
}

extension GraphAssembler {
  /// Applies an op to as many of the operands as it takes.
  fileprivate mutating func apply(
    _ op: Op, _ operands: [ValueID], _ random: inout SplitMix
  ) throws(TypingError) -> ValueID {
    try apply(op, Array(operands.shuffled(using: &random).prefix(op.operandCounts.lowerBound)))
  }
}
