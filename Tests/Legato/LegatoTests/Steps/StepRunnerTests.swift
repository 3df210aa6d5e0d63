// SPDX-License-Identifier: Apache-2.0

import Legato
import RealtimeCore
import RealtimeWatch
import Testing

@Suite struct StepRunnerTests {
  /// Sums what goes in, and takes away what went in two steps before.
  private static let sums = """
    { "legato": 1, "name": "Sums", "inputs": { "x": { "shape": [2] }, "scale": { "shape": [] } },
      "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 4 } },
      "graph": { "total": "x * scale * gain + delay(total, 1)", "late": "x - delay(x, 2)" },
      "outputs": ["total", "late"] }
    """
  private static let open = """
    { "legato": 1, "name": "Open",
      "inputs": { "x": { "shape": ["time", 2] }, "mask": { "shape": ["time"] }, "bias": { "shape": ["width"] } },
      "graph": { "y": "sum(x, axis: 1) * mask", "z": "2 * bias" }, "outputs": ["y", "z"] }
    """

  private func runner(_ text: String = sums, gain: Float = 1) throws -> StepRunner {
    let model = try Model(text)
    let settings = gain == 1 ? [] : [try model.setting("gain", to: gain)]
    return try StepRunner(model.compilation(), settings: settings)
  }

  private static let sequence = try! Tensor(shape: [4, 2], values: [1, 10, 2, 20, 3, 30, 4, 40])

  @Test func tensorsGoInAndComeOutByName() throws {
    var runner = try runner()
    var results: [[Float]] = []
    for step in 1...3 {
      let x = Tensor([Float(step), Float(10 * step)])
      let outputs = try runner.step(["x": x, "scale": Tensor(0.5)])
      results.append(outputs["total"]!.values)
      #expect(outputs["total"]!.shape == [2] && Set(outputs.keys) == ["total", "late"])
    }
    #expect(results == [[0.5, 5], [1.5, 15], [3, 30]] && runner.position == 3)
    runner.reset()
    #expect(try runner.step(["x": Tensor([1, 10]), "scale": Tensor(0.5)])["total"]!.values == [0.5, 5])
  }

  @Test func oneMoreAxisHasSteps() throws {
    var runner = try runner(gain: 2)
    var told: [Int] = []
    let inputs = ["x": Self.sequence, "scale": Tensor(1)]
    let outputs = try runner.run(inputs) { told.append($0) }
    #expect(outputs["total"] == (try Tensor(shape: [4, 2], values: [2, 20, 6, 60, 12, 120, 20, 200])))
    #expect(outputs["late"] == (try Tensor(shape: [4, 2], values: [1, 10, 2, 20, 2, 20, 2, 20])))
    #expect(told == [1, 2, 3, 4])
    // Of more, the first; and the same again and again.
    runner.reset()
    #expect(try runner.run(inputs, steps: 1)["total"] == (try Tensor(shape: [1, 2], values: [2, 20])))
    runner.reset()
    let same = try runner.run(["x": Tensor([1, 1]), "scale": Tensor(1)], steps: 3)
    #expect(same["total"] == (try Tensor(shape: [3, 2], values: [2, 2, 4, 4, 6, 6])))
    // Without steps, nothing is stacked.
    #expect(try runner.run(["x": Tensor([1, 1]), "scale": Tensor(1)])["total"] == Tensor([8, 8]))
  }

  @Test(
    arguments: [
      (["x": Tensor([1, 2])], nil, "the input 'scale' is missing, which takes []"),
      (["x": Tensor([1, 2, 3]), "scale": Tensor(1)], nil, "the input 'x' takes [2], and is given [3]"),
      (
        ["x": Tensor([1, 2]), "scale": Tensor(1), "scael": Tensor(1)], nil,
        "no input is called 'scael'; did you mean 'scale'?"
      ),
      (
        ["x": sequence, "scale": Tensor([1, 2])], nil,
        "the input 'scale' is given 2 steps, and 'x' 4"
      ),
      (["x": sequence, "scale": Tensor(1)], 5, "the input 'x' is given 4 steps, where 5 steps should be"),
      (
        ["x": try! Tensor(shape: [0, 2], values: []), "scale": Tensor(1)], nil,
        "the input 'x' is given 0 steps, where 1 step should be"
      ),
      (["x": sequence, "scale": Tensor(1)], 0, "0 steps are asked for; there is one at least"),
      (
        ["x": Tensor([1, 2]), "scale": Tensor(1)], 1 << 28,
        "268435456 steps of the output 'total' are more than 268435456 numbers; run fewer at a time"
      ),
    ] as [([String: Tensor], Int?, String)])
  func whatDoesNotFitIsSaid(inputs: [String: Tensor], steps: Int?, message: String) throws {
    var runner = try runner()
    do throws(RequestError) {
      _ = try runner.run(inputs, steps: steps)
      Issue.record("it was run")
    } catch {
      #expect(error.description == message)
    }
    #expect(runner.position == 0)
  }

  @Test func aStepTakesOneStep() throws {
    var runner = try runner()
    do throws(RequestError) {
      _ = try runner.step(["x": Self.sequence, "scale": Tensor(1)])
      Issue.record("it was run")
    } catch {
      #expect(error.description == "the input 'x' takes [2], and is given [4, 2]")
    }
  }

  @Test func aStreamIsNone() throws {
    let model = try Model(
      #"{ "legato": 1, "inputs": { "x": { "shape": ["frames"] } }, "graph": { "y": "x" }, "outputs": ["y"] }"#,
      name: "m.json")
    do throws(ModelError) {
      _ = try StepRunner(try model.compilation())
      Issue.record("a stream was taken")
    } catch {
      #expect(error.description.hasPrefix("m.json: the model works on frames of a stream"), "\(error)")
    }
  }

  // MARK: State

  @Test func whatIsRememberedHasNames() throws {
    var runner = try runner()
    #expect(
      Dictionary(uniqueKeysWithValues: runner.states.map { ($0.name, $0.shape) }) == [
        "total": [1, 2], "x": [2, 2],
      ])
    #expect(runner.state(named: "x")?.values == [0, 0, 0, 0] && runner.state(named: "y") == nil)
    // Every place of a ring.
    for step in 1...9 {
      let number = Float(step)
      _ = try runner.step(["x": Tensor([number, 10 * number]), "scale": Tensor(1)])
      let before = number - 1
      #expect(runner.state(named: "x")?.values == [before, 10 * before, number, 10 * number])
      let sum = number * (number + 1) / 2
      #expect(runner.state(named: "total") == (try Tensor(shape: [1, 2], values: [sum, 10 * sum])))
    }
  }

  @Test func aStateIsSet() throws {
    var runner = try runner()
    let inputs = ["x": Tensor([1, 10]), "scale": Tensor(1)]
    // Every place of a ring.
    for step in 0..<9 {
      let total = Float(100 * step)
      let x = try Tensor(shape: [2, 2], values: [1, 2, 3, 4].map { $0 + Float(step) })
      try runner.setState(named: "total", to: Tensor(shape: [1, 2], values: [total, -total]))
      try runner.setState(named: "x", to: x)
      #expect(runner.state(named: "x") == x && runner.position == Int64(step))
      let outputs = try runner.step(inputs)
      #expect(outputs["total"]?.values == [total + 1, 10 - total])
      #expect(outputs["late"]?.values == [1 - x.values[0], 10 - x.values[1]])
      #expect(runner.state(named: "x")?.values == [x.values[2], x.values[3], 1, 10])
    }
  }

  @Test func oneRunnersStatesAreAnothers() throws {
    var first = try runner()
    var second = try runner()
    let inputs = ["x": Self.sequence, "scale": Tensor(1)]
    _ = try first.run(inputs)
    for state in first.states { try second.setState(named: state.name, to: first.state(named: state.name)!) }
    #expect(try first.run(inputs) == second.run(inputs))
  }

  @Test(
    arguments: [
      ("totl", [1, 2], "no state is called 'totl'; did you mean 'total'?"),
      ("total", [2], "the state 'total' takes [1, 2], steps in front, and is given [2]"),
    ])
  func aStateThatDoesNotFitIsSaid(name: String, shape: [Int], message: String) throws {
    var runner = try runner()
    let tensor = try Tensor(shape: shape, values: [1, 2])
    do throws(RequestError) {
      try runner.setState(named: name, to: tensor)
      Issue.record("it was set")
    } catch {
      #expect(error.description == message)
    }
    #expect(runner.state(named: "total")?.values == [0, 0])
  }

  @Test func whatBeginsWithNumbersIsSetBehindThem() throws {
    var runner = try runner(
      """
      { "legato": 1, "name": "Begins", "inputs": { "x": { "shape": [] } }, "weights": { "start": [7] },
        "graph": { "y": "delay(x, 2, initial: reshape('start', []))" }, "outputs": ["y"] }
      """)
    let state = try Tensor(shape: [2], values: [3, 4])
    for step in 0..<2 {
      do throws(RequestError) {
        try runner.setState(named: "x", to: state)
        Issue.record("it was set")
      } catch {
        let words = "the state 'x' cannot be set before step 2, and this is step \(step): "
        #expect(error.description.hasPrefix(words))
      }
      #expect(try runner.step(["x": Tensor(1)])["y"] == Tensor(7))
    }
    try runner.setState(named: "x", to: state)
    #expect(try runner.run(["x": Tensor(1)], steps: 3)["y"] == Tensor([3, 4, 1]))
  }

  @Test func aRunnerGoesBackToASnapshot() throws {
    var runner = try runner()
    let inputs = ["x": Self.sequence, "scale": Tensor(1)]
    _ = try runner.run(inputs)
    let snapshot = runner.snapshot()
    let first = try runner.run(inputs)
    runner.parameter(named: "gain")?.set(3)
    #expect(try runner.run(inputs) != first)
    runner.restore(snapshot)
    #expect(runner.position == 4)
    #expect(try runner.run(inputs) == first)
  }

  // MARK: Extents

  @Test func shapesBindAxes() throws {
    let model = try Model(Self.open)
    #expect(try model.extents(of: ["x": [10, 2]]) == ["time": 10])
    #expect(
      try model.extents(of: ["x": [5, 10, 2], "bias": [3]], known: ["time": 10]) == ["time": 10, "width": 3])
    let extents = try model.extents(of: ["mask": [3], "bias": [1]])
    var runner = try StepRunner(model.compilation(extents: extents))
    let outputs = try runner.run([
      "x": Tensor(shape: [3, 2], values: [1, 2, 3, 4, 5, 6]), "mask": Tensor([1, 0, 2]), "bias": Tensor([7]),
    ])
    #expect(outputs["y"] == Tensor([3, 0, 22]) && outputs["z"] == Tensor([14]))
  }

  @Test(
    arguments: [
      (["x": [10, 3]], [:], "the input 'x' takes [time, 2], and is given [10, 3]"),
      (["x": [2]], [:], "the input 'x' takes [time, 2], and is given [2]"),
      (["x": [1, 1, 10, 2]], [:], "the input 'x' takes [time, 2], and is given [1, 1, 10, 2]"),
      (
        ["x": [10, 2], "mask": [9]], [:], "the axis 'time' of the input 'mask' has 9, and 10 by the input 'x'"
      ),
      (["x": [10, 2]], ["time": 4], "the axis 'time' of the input 'x' has 10, and 4 as is asked for"),
      ([:], ["tim": 4], "no axis is called 'tim'; did you mean 'time'?"),
      (["z": [1]], [:], "no input is called 'z'; there are 'x', 'mask' and 'bias'"),
    ] as [([String: [Int]], [String: Int], String)])
  func shapesThatDoNotFitAreSaid(shapes: [String: [Int]], known: [String: Int], message: String) throws {
    let model = try Model(Self.open)
    do throws(RequestError) {
      _ = try model.extents(of: shapes, known: known)
      Issue.record("they fit")
    } catch {
      #expect(error.description == message)
    }
  }

  // MARK: Real time

  @Test(.enabled(if: Sanitizer.isAbsent)) func aStepOnPointersTakesNothingFromTheHeap() throws {
    var runner = try runner()
    #expect(runner.inputIndex(named: "scale") == 1 && runner.outputIndex(named: "total") == 0)
    #expect(runner.inputIndex(named: "total") == nil && runner.outputIndex(named: "x") == nil)
    let (x, sum) = (
      UnsafeMutablePointer<Float>.allocate(capacity: 6), UnsafeMutablePointer<Float>.allocate(capacity: 2)
    )
    let inputs = UnsafeMutablePointer<UnsafePointer<Float>?>.allocate(capacity: 2)
    let outputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>?>.allocate(capacity: 2)
    defer {
      unsafe x.deallocate()
      unsafe sum.deallocate()
      unsafe inputs.deallocate()
      unsafe outputs.deallocate()
    }
    for (place, number) in ([1, 10, 0.5, 0, 0, 0] as [Float]).enumerated() { unsafe x[place] = number }
    unsafe (inputs[0], inputs[1]) = unsafe (UnsafePointer(x), UnsafePointer(x + 2))
    unsafe (outputs[0], outputs[1]) = unsafe (sum, x + 4)
    let counts = RealtimeWatch.counts {
      for _ in 0..<10 { unsafe runner.execute(inputs: inputs, outputs: outputs) }
    }
    #expect(counts.allocations == 0 && counts.locks == 0 && counts.systemCalls ?? 0 == 0)
    #expect(unsafe sum[0] == 5 && sum[1] == 50 && runner.position == 10)
  }
}
