// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// What depends on weights alone is computed when they have changed, and kept.
@Suite struct ArrayParameterTests {
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

  /// Examples of two layers of eight.
  private struct Layers: Dataset {
    let count = 72
    func item(_ index: Int) -> [String: [Float]] {
      let x = (0..<8).map { Float((index * 7 + $0 * 5) % 11) / 5 - 1 }
      return ["x": x, "target": (0..<8).map { x[$0] * x[7 - $0] }]
    }
  }

  /// One thread keeps what depends on weights alone from part to part; of three each has one part, and keeps nothing.
  @Test func whatDependsOnWeightsAloneFollowsThem() throws {
    let numbers = (0..<64).map { String(Float($0 * 29 % 17) / 20 - 0.4) }.joined(separator: ", ")
    let model = """
      { "legato": 1, "name": "Layers", "clock": "step", "inputs": { "x": { "shape": [8] } },
        "weights": { "a": [\(numbers)], "s": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] },
        "graph": { "y": "exp('s') * dense(tanh(x), reshape('a', [8, 8]))" }, "outputs": ["y"] }
      """
    var task = TrainingTask(loss: "mse(y, target)", batch: 36)
    task.targets = ["target": [8]]
    func results(threads: Int) throws -> [[UInt32]] {
      let trainer = try Trainer(Model(model), task, optimizer: .sgd(rate: 0.1), threads: threads)
      let lasting = LearningWorker.Code.lasting(in: trainer.graphs, isRepeated: threads == 1)
      #expect(lasting == (threads == 1 ? ["a", "s"] : []))
      return try (0..<3).map { _ in
        try trainer.fit(Layers(), epochs: 1)
        let scores = try trainer.evaluate(Layers())
        let weights = ["a", "s"].flatMap { trainer.weights(named: $0)!.values }
        return (weights + [Float(scores["loss"]!)]).map(\.bitPattern)
      }
    }
    #expect(try results(threads: 1) == results(threads: 3))
  }
}
