// SPDX-License-Identifier: Apache-2.0

import GraphIR
import TestEquipment
import Testing

@testable import LegatoTraining

@Suite struct LearningProgramTests {
  @Test("memory of another size is not shared") func sizes() throws {
    var assembler = GraphAssembler(name: "Four", clock: .step, sampleRate: 48_000)
    let x = Formula(assembler.input("x", TensorType(Shape([4]))))
    assembler.output("y", try (x + x).value(in: &assembler))
    let graph = assembler.finished()
    let program = try LearningProgram.compile(graph)
    let memory = try LearnedMemory(count: 16)
    for size in [3, 5] {
      do {
        _ = try LearningProgram(graph, program, shared: ["y": memory.place(0, count: size)])
        Issue.record("4 numbers in the place of \(size)")
      } catch {
        #expect("\(error)" == "Four: the port 'y' has 4 numbers, and memory of \(size) is shared with it")
      }
    }
    var four = try LearningProgram(graph, program, shared: ["y": memory.place(0, count: 4)])
    four.write([1, 2, 3, 4], to: "x")
    four.execute()
    #expect(four.read("y") == [2, 4, 6, 8])
  }

  /// Weights that come with each step, or with the first of many: the same bits.
  @Test(arguments: [
    ("input x [20, 24]\ninput w [16, 24]\ninput v [16]", "dense(x, w, axis: 1) * exp(v)"),
    ("input x [3, 600]\ninput w [512, 600]\ninput v [512]", "dense(x, w * w, axis: 1) + v"),
    ("input x [1, 600]\ninput w [512, 600]\ninput v [512]", "dense(x, w, v, axis: 1)"),
    ("input x [7, 512]\ninput w [512, 512]\ninput v [512]", "tanh(dense(x, w, v, axis: 1))"),
    ("input x [5]\ninput w [11, 9]\ninput v [9]", "gather(w, x * 9, axis: 0) + gather(w + v, x, axis: 0)"),
    ("input x [3, 9, 9]\ninput w [16, 3, 3, 3]\ninput v [16]", "max(conv2d(x, w, v), 0)"),
    ("input x [256, 6, 6]\ninput w [256, 256, 3, 3]\ninput v [256]", "conv2d(x, w, v)"),
    ("input x [12, 8]\ninput w [8, 8]\ninput v [8]", "matmul(x, w / sqrt(sum(w * w, axis: 0))) * v"),
    ("input x [6, 8]\ninput w [8, 8]\ninput v [8]", "contraction(x, w) + contraction(x * v, w)"),
    ("input x [6, 8]\ninput w [32, 8]\ninput v [32, 8]", "lstm(x, w, v, along: \"positions\")"),
    ("input x [6]\ninput w [6]\ninput v [6]", "select(x, cumsum(w), v)"),
  ])
  func lastingInputsChangeNoBit(ports: String, line: String) throws {
    let graph = try Graph(
      parsing: "graph \"step\" step 1\n\(ports)\ny = \(line)\noutput y = y\noutput v = v")
    func results(lasting: [String]) throws -> [[UInt32]] {
      var random = SplitMix(seed: 5)
      let code = try LearningProgram.compile(graph, lasting: lasting)
      var program = try LearningProgram(graph, code, shared: [:])
      return (0..<3).map { step in
        for port in graph.inputs where step == 0 || port.name == "x" {
          program.write((0..<port.type.shape.count).map { _ in random.float(-1, 1) }[...], to: port.name)
        }
        program.execute(isAgain: step > 0)
        return (program.read("y") + program.read("v")).map(\.bitPattern)
      }
    }
    #expect(try results(lasting: ["w", "v"]) == results(lasting: []))
  }

  @Test("what depends on array parameters alone is computed where they have changed") func lasting() throws {
    var assembler = GraphAssembler(name: "Scaled", clock: .step, sampleRate: 48_000)
    let type = TensorType(Shape([4]))
    let (x, w) = (assembler.input("x", type), assembler.input("w", type))
    let before = try assembler.apply(.delay(1), x)
    let (now, scale) = (Formula(x), Formula(w))
    assembler.output("y", try (now * (scale * scale) + Formula(before)).value(in: &assembler))
    let graph = assembler.finished()
    let weights = try LearnedMemory(count: 16)
    var program = try LearningProgram(
      graph, LearningProgram.compile(graph, lasting: ["w"]), shared: ["w": weights.place(0, count: 4)])
    func result(_ number: Float, isAgain: Bool) -> [Float] {
      program.write([number, 0, 0, 1], to: "x")
      program.execute(isAgain: isAgain)
      return program.read("y")
    }
    weights.write([3, 0, 0, 1], at: 0)
    #expect(result(1, isAgain: false) == [9, 0, 0, 1])
    weights.write([5, 0, 0, 2], at: 0)
    // The square is that of before, and nothing is remembered.
    #expect(result(2, isAgain: true) == [18, 0, 0, 1])
    #expect(result(2, isAgain: false) == [50, 0, 0, 4])
  }
}
