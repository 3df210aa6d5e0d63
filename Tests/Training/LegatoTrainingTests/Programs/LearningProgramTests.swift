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
}
