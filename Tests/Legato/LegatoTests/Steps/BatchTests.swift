// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// A batch computes what as many runners compute, each by itself.
@Suite struct BatchTests {
  private static let cell = """
    { "legato": 1, "name": "Cell", "inputs": { "x": { "shape": [2] }, "scale": { "shape": [] } },
      "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 4 } },
      "weights": { "w": [[1, 2], [3, 4], [-1, 0.5]], "r": [[0.5, 0, 0.25], [0, 0.5, 0], [1, 0, -0.5]] },
      "graph": { "h": "tanh(dense(x, 'w') * gain + dense(delay(h, 1), 'r'))", "late": "x * scale - delay(x, 2)" },
      "outputs": ["h", "late"] }
    """

  @Test(arguments: [1, 3, 8]) func isEachExample(count: Int) throws {
    let model = try Model(Self.cell)
    let batched = try model.batched(by: count)
    #expect(batched.inputs.map { $0.shape.map(\.description) } == [["\(count)", "2"], ["\(count)"]])
    var whole = try StepRunner(batched.compilation())
    #expect(Set(whole.states.map(\.shape)) == [[1, count, 3], [2, count, 2]])
    let compilation = try model.compilation()
    var random = SplitMix(seed: UInt64(count))
    let steps = 5
    let x = (0..<steps * count * 2).map { _ in Float(random.below(2001) - 1000) / 500 }
    let scale = (0..<count).map { Float($0 + 1) }
    let outputs = try whole.run([
      "x": Tensor(shape: [steps, count, 2], values: x), "scale": Tensor(shape: [count], values: scale),
    ])
    for example in 0..<count {
      var runner = try StepRunner(compilation)
      for step in 0..<steps {
        let own = (step * count + example) * 2
        let made = try runner.step(["x": Tensor(Array(x[own..<own + 2])), "scale": Tensor(scale[example])])
        for (name, width) in [("h", 3), ("late", 2)] {
          let place = (step * count + example) * width
          let found = outputs[name]!.values[place..<place + width]
          #expect(zip(found, made[name]!.values).allSatisfy { abs($0 - $1) <= 1e-6 * max(1, abs($1)) })
        }
      }
    }
  }

  @Test func whatWarmsUpDoesSoInABatch() throws {
    let text = """
      { "legato": 1, "name": "Warm", "clock": "step", "prewarm": 3, "inputs": { "x": { "shape": [] } },
        "graph": { "y": "x + 1 + 0.5 * delay(y, 1)" }, "outputs": ["y"] }
      """
    let model = try Model(text)
    var one = try StepRunner(model.compilation())
    var both = try StepRunner(model.batched(by: 2).compilation())
    #expect(try one.step(["x": Tensor(1)])["y"] == Tensor(2.875))
    #expect(try both.step(["x": Tensor([1, 2])])["y"] == Tensor([2.875, 3.875]))
  }

  private static func steps(_ inputs: String, _ graph: String, name: String = "Steps") throws -> Model {
    try Model(
      """
      { "legato": 1, "name": "\(name)", "inputs": { "x": { "shape": [\(inputs)] } },
        "graph": { "y": "\(graph)" }, "outputs": ["y"] }
      """)
  }

  @Test func extentsKnowTheBatch() throws {
    let model = try Self.steps(#""time""#, "sum(x, axis: 0)").batched(by: 2)
    #expect(try model.extents(of: ["x": [2, 5]], known: ["batch": 2]) == ["time": 5])
    var runner = try StepRunner(model.compilation(extents: ["time": 2]))
    let y = try runner.step(["x": Tensor(shape: [2, 2], values: [1, 2, 3, 4])])["y"]
    #expect(y == Tensor([3, 7]))
  }

  @Test func whatIsNoneIsSaid() throws {
    func refusal(_ model: Model, by count: Int = 2) -> String {
      let error = #expect(throws: RequestError.self) { try model.batched(by: count) }
      return error?.description ?? ""
    }
    let cell = try Model(Self.cell)
    #expect(
      try refusal(Self.steps(#""frames""#, "x")).hasSuffix(
        "works on frames of a stream; a batch is one of a model of steps"))
    #expect(try refusal(Self.steps(#""batch""#, "x")).contains("has an axis 'batch' of its own"))
    #expect(refusal(cell, by: 0).hasSuffix("examples, not 0"))
    let twice = try cell.batched(by: 2)
    #expect(refusal(twice) == "'Cell' is for a batch of 2 already")
    #expect(throws: ModelError.self) { try twice.then(cell) }
    let computed = try Self.steps("2", "dense(x, reshape(x, [1, 2]))", name: "Own").batched(by: 2)
    let error = #expect(throws: ModelError.self) { try computed.compilation() }
    #expect(
      "\(error!)".contains("a batch of 2 cannot be made of 'Own': the weights of dense depend on"),
      "\(error!)")
  }
}
