// SPDX-License-Identifier: Apache-2.0

import GraphIR
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
