// SPDX-License-Identifier: Apache-2.0

import Legato
import RealtimeWatch
import Testing

/// Steps on a runner's own memory, and what code that was made for a model relies on.
@Suite struct StepMemoryTests {
  private static let text = """
    { "legato": 1, "name": "Sums", "inputs": { "x": { "shape": [2, 2] }, "scale": { "shape": [] } },
      "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 4 } },
      "graph": { "total": "x * scale * gain + delay(total, 1)", "half": "0.5 * total" },
      "outputs": [{ "name": "total", "labels": ["low", "high"] }, "half"] }
    """

  @Test func numbersAreWrittenAndReadWhereTheyAre() throws {
    var runner = try StepRunner(Model(Self.text).compilation())
    let (x, scale) = (runner.inputIndex(named: "x") ?? -1, runner.inputIndex(named: "scale") ?? -1)
    let total = runner.outputIndex(named: "total") ?? -1
    try runner.setInput(x, to: [1, 2, 4, 3])
    try runner.setInput(scale, to: Tensor(2))
    runner.execute()
    #expect(runner.output(total) == (try Tensor(shape: [2, 2], values: [2, 4, 8, 6])))
    // What is not written stays.
    runner.withInput(x) { $0[3] = 5 }
    runner.execute()
    #expect(runner.withOutput(total) { numbers in numbers.indices.map { numbers[$0] } } == [4, 8, 16, 16])
    #expect(runner.largest(ofOutput: total) == 1 && runner.largest(ofOutput: total, row: 1) == 0)
    try runner.setInput(x, to: [.nan, -1, .nan, .nan])
    runner.reset()
    runner.execute()
    #expect(runner.largest(ofOutput: total) == 1 && runner.largest(ofOutput: total, row: 1) == 0)
  }

  @Test func whatDoesNotFitIsRefused() throws {
    var runner = try StepRunner(Model(Self.text).compilation())
    let rows: [(String, (inout StepRunner) throws -> Void)] = [
      ("the input 'x' takes [2, 2], 4 numbers, and is given 3", { try $0.setInput(0, to: [1, 2, 3]) }),
      ("the input 'x' takes [2, 2], and is given [4]", { try $0.setInput(0, to: Tensor([1, 2, 3, 4])) }),
    ]
    for (message, body) in rows {
      do {
        try body(&runner)
        Issue.record("nothing is refused")
      } catch { #expect("\(error)" == message) }
    }
    try runner.setStates(["total": Tensor(shape: [1, 2, 2], values: [1, 2, 3, 4])])
    #expect(throws: RequestError.self) {
      try runner.setStates(["total": Tensor(shape: [1, 2, 2], values: [5, 6, 7, 8]), "other": Tensor(1)])
    }
    #expect(runner.state(named: "total")?.values == [1, 2, 3, 4])
    let read = [(name: "total", tensor: try Tensor(shape: [1, 2, 2], values: [4, 3, 2, 1]))]
    try runner.setStates(read)
    #expect(runner.state(named: "total")?.values == [4, 3, 2, 1])
    let other = try Model(Self.text.replacing("gain", with: "level")).setting("level", to: 2)
    let compilation = try Model(Self.text).compilation()
    do {
      _ = try StepRunner(compilation, settings: [other])
      Issue.record("a setting of no parameter is taken")
    } catch { #expect("\(error)".contains("no parameter is called 'level'; there is 'gain'"), "\(error)") }
  }

  @Test func aStepNeitherAllocatesNorLocks() throws {
    var runner = try StepRunner(Model(Self.text).compilation())
    var (best, half) = (0, Float(0))
    runner.execute()
    try runner.setInput(1, to: Tensor(1))
    // At its first use the runtime makes what it has to know of a type.
    runner.withInput(0) { $0[3] = 5 }
    let writing = RealtimeWatch.counts { runner.withInput(0) { $0[3] = 5 } }
    let executing = RealtimeWatch.counts { runner.execute() }
    let looking = RealtimeWatch.counts { half = runner.withOutput(1) { $0[3] } }
    let reading = RealtimeWatch.counts { best = runner.largest(ofOutput: 0, row: 1) }
    for counts in [writing, executing, looking, reading] {
      #expect(counts.allocations == 0 && counts.locks == 0 && counts.systemCalls ?? 0 == 0, "\(counts)")
    }
    #expect(best == 1 && half > 0)
  }

  /// hOut = hIn / 2 + x, and a delay beside it.
  @Test func anInputThatAnOutputGivesBackIsAState() throws {
    let model = try Model(
      """
      { "legato": 1, "inputs": { "x": { "shape": [2] }, "hIn": { "shape": [2] } },
        "graph": { "hOut": "0.5 * hIn + x", "y": "hOut + delay(x, 1)" }, "outputs": ["y", "hOut"] }
      """, name: "h.json")
    let compilation = try model.compilation()
    let pairs = [(input: "hIn", output: "hOut")]
    #expect(try StepRunner(compilation, carrying: pairs).states.map(\.name).contains("hIn"))
    var runner = try StepRunner(compilation, carrying: ["hIn": "hOut"])
    #expect(runner.states.map(\.name) == ["hIn", "x"] && runner.states[0].shape == [2])
    #expect(try runner.step(["x": Tensor([4, 8])])["y"]?.values == [4, 8])
    let before = runner.snapshot()
    #expect(try runner.step(["x": Tensor([0, 0])])["y"]?.values == [6, 12])
    #expect(runner.state(named: "hIn")?.values == [2, 4])
    runner.restore(before)
    #expect(runner.state(named: "hIn")?.values == [4, 8])
    // Steps of a sequence, and one on the runner's own memory.
    let rows = try Tensor(shape: [2, 2], values: [0, 0, 1, 0])
    #expect(try runner.run(["x": rows])["hOut"]?.values == [2, 4, 2, 2])
    try runner.setInput(0, to: [0, 0])
    let counts = RealtimeWatch.counts { runner.execute() }
    #expect(counts.allocations == 0 && counts.locks == 0 && runner.output(1).values == [1, 1])
    try runner.setStates(["hIn": Tensor([8, 8]), "x": Tensor(shape: [1, 2], values: [0, 0])])
    #expect(throws: RequestError.self) { try runner.setStates(["hIn": Tensor([5, 5]), "x": Tensor([1])]) }
    runner.execute()
    #expect(runner.output(0).values == [4, 4])
    runner.reset()
    #expect(runner.position == 0 && runner.state(named: "hIn")?.values == [0, 0])
    // What is given counts before what is carried over.
    #expect(try runner.step(["x": Tensor([0, 0]), "hIn": Tensor([2, 2])])["y"]?.values == [1, 1])
    for pair in [("h", "hOut"), ("hIn", "h")] as [(String, String)] {
      let error = #expect(throws: ModelError.self) {
        _ = try StepRunner(compilation, carrying: [pair.0: pair.1])
      }
      let message = "h.json: there is no input '\(pair.0)' of the shape of an output '\(pair.1)'"
      #expect(error?.description == message)
    }
  }

  /// hOut = x + hIn / 2 + what hIn was.
  @Test func aStateHasANameOfItsOwn() throws {
    let compilation = try Model(
      """
      { "legato": 1, "inputs": { "x": { "shape": [2] }, "hIn": { "shape": [2] } },
        "graph": { "hOut": "x + 0.5 * hIn + delay(hIn, 1)", "y": "2 * x" }, "outputs": ["hOut", "y"] }
      """, name: "h.json"
    ).compilation()
    let rows: [(KeyValuePairs<String, String>, String)] = [
      (
        ["hIn": "hOut"],
        "the input 'hIn' cannot be carried over, since the model remembers it, too; give it in each step"
      ),
      (["x": "y", "x": "hOut"], "the input 'x' is carried over twice; it can be one output"),
    ]
    for (pairs, message) in rows {
      let error = #expect(throws: ModelError.self) { _ = try StepRunner(compilation, carrying: pairs) }
      #expect(error?.description == "h.json: " + message)
    }
    let runner = try StepRunner(compilation, carrying: ["x": "y"])
    #expect(runner.states.map(\.name) == ["x", "hIn"])
  }

  @Test func aFileThatHasBecomeAnotherIsTold() throws {
    let model = try Model(Self.text, name: "sums.json")
    let compilation = try model.compilation()
    try model.expect(labels: ["low", "high"], of: "total", for: "Sums")
    try compilation.expect(
      inputs: ["x": [2, 2], "scale": nil], outputs: ["total": [2, 2], "half": nil], parameters: ["gain"],
      states: ["total": [1, 2, 2]], for: "Sums")
    func message(_ body: () throws -> Void) -> String {
      do {
        try body()
        return ""
      } catch { return "\(error)" }
    }
    let rows: [(String, () throws -> Void)] = [
      (
        "sums.json: a label of 'total' is 'high', and Sums is made for 'top'",
        { try model.expect(labels: ["low", "top"], of: "total", for: "Sums") }
      ),
      (
        "sums.json: the output 'half' has 0 labels, and Sums is made for 1",
        { try model.expect(labels: ["a"], of: "half", for: "Sums") }
      ),
      (
        "sums.json: of inputs there is 'x' and 'scale', and Sums is made for 'x'",
        { try compilation.expect(inputs: ["x": nil], outputs: [:], for: "Sums") }
      ),
      (
        "sums.json: the input 'x' is [2, 2], and Sums is made for [2, 3]",
        { try compilation.expect(inputs: ["x": [2, 3], "scale": []], outputs: [:], for: "Sums") }
      ),
      (
        "sums.json: there is no parameter 'tone', and Sums is made for one",
        {
          try compilation.expect(
            inputs: ["x": nil, "scale": nil], outputs: ["total": nil, "half": nil], parameters: ["tone"],
            for: "Sums")
        }
      ),
      (
        "sums.json: what is remembered of 'total' is [1, 2, 2], and Sums is made for [2, 2]",
        {
          try compilation.expect(
            inputs: ["x": nil, "scale": nil], outputs: ["total": nil, "half": nil],
            states: ["total": [2, 2]],
            for: "Sums")
        }
      ),
    ]
    for (start, body) in rows {
      #expect(message(body) == start + "; make it anew with legato interface")
    }
  }
}
