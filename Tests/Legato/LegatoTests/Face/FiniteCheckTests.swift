// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Legato
import NativeCode
import RealtimeCore
import ReferenceInterpreter
import TestEquipment
import Testing

/// The findings of a check, in their words.
@Suite struct FiniteCheckTests {
  private static func check(
    _ graph: String, shape: String = #"["frames"]"#, parameters: String = ""
  ) throws -> FiniteCheck {
    let model = try Model(
      """
      { "legato": 1, "name": "Test", "inputs": { "x": { "shape": \(shape) } },
        "parameters": { \(parameters) },
        "graph": {
          \(graph)
        },
        "outputs": ["y"] }
      """, name: "m.json")
    return try model.compilation(extents: ["channels": 2]).finiteCheck()
  }

  /// A signal that is 1, and something else in one frame.
  private static func ones(_ frames: Int, but number: Float = 1, at frame: Int = 0) -> [Float] {
    (0..<frames).map { $0 == frame ? number : 1 }
  }

  /// Runs a signal in blocks of a size.
  private static func run(_ check: FiniteCheck, _ rows: [[Float]], blocks size: Int) -> NonFiniteNumber? {
    var frame = 0
    while frame < rows[0].count {
      let count = min(size, rows[0].count - frame)
      if let found = check.run(rows.map { Array($0[frame..<frame + count]) }, frames: count) { return found }
      frame += count
    }
    return nil
  }

  @Test("what is found is the same whatever the blocks", arguments: [1, 7, 64, 129, 400])
  func kinds(block: Int) throws {
    func found(_ graph: String, _ rows: [[Float]], shape: String = #"["frames"]"#) throws -> String? {
      Self.run(try Self.check(graph, shape: shape), rows, blocks: block)?.description
    }
    let zero = Self.ones(400, but: 0, at: 201)
    #expect(
      try found(#""y": "log(x)""#, [zero])
        == "m.json:4:11: 'y' = log(x) is -inf at frame 201 (0.004188 s), where x is 0")
    #expect(
      try found(#""e": "2 * log(x) + 1", "y": "max(e, -60)""#, [zero])
        == "m.json:4:15: log(x) is -inf at frame 201 (0.004188 s), where x is 0; the outputs of that frame are finite"
    )
    #expect(
      try found(#""y": "exp(x) - exp(x + 1)""#, [Self.ones(400, but: 100, at: 3)])
        == "m.json:4:11: exp(x) is inf at frame 3 (0.000063 s), where x is 100")
    #expect(
      try found(#""y": "x * 0.5""#, [Self.ones(400, but: .nan, at: 201)])
        == "m.json: input 'x' is nan at frame 201 (0.004188 s)")
    #expect(
      try found(
        #""y": "sqrt(x)""#, [Self.ones(400), Self.ones(400, but: -4, at: 65)],
        shape: #"["channels", "frames"]"#)
        == "m.json:4:11: 'y' = sqrt(x) is nan at frame 65 (0.001354 s), channel 2, where x is -4")
    #expect(try found(#""y": "sqrt(x)""#, [Self.ones(400)]) == nil)
  }

  @Test("a part of a function is said to be one")
  func parts() throws {
    let shelf = try Self.check(#""y": "0.5 * peak(x, 1000, 10 * x)""#)
    #expect(
      Self.run(shelf, [Self.ones(99, but: 1000, at: 3)], blocks: 64)?.description
        == "m.json:4:17: exp(10 * x * 0.057564627) within peak is inf at frame 3 (0.000063 s), "
        + "where 10 * x * 0.057564627 is 575.6463")
    let limited = try Self.check(#""y": "limit(x, 1 / (2 - x))""#)
    #expect(
      Self.run(limited, [Self.ones(99, but: 2, at: 3)], blocks: 64)?.description
        == "m.json:4:22: 1 / (2 - x) is inf at frame 3 (0.000063 s), where 2 - x is 0; the outputs of that "
        + "frame are finite")
  }

  @Test("a cycle that grows is named where it leaves the numbers", arguments: [1, 50, 400])
  func cycle(block: Int) throws {
    // It counts frames, and divides by zero in the fiftieth.
    let counting = try Self.check(#""y": "before + x + 0 / (50 - before)", "before": "delay(y, 1)""#)
    #expect(
      Self.run(counting, [Self.ones(400)], blocks: block)?.description
        == "m.json:4:26: 0 / (50 - before) is nan at frame 50 (0.001042 s), where 50 - before is 0")

    let growing = try Self.check(#""y": "x + 2 * delay(y, 1)""#)
    #expect(
      Self.run(growing, [Self.ones(400)], blocks: block)?.description
        == "m.json:4:17: 2 * delay(y, frames: 1) is inf at frame 127 (0.002646 s), "
        + "where delay(y, frames: 1) is 1.7014118e+38")
  }

  @Test("parameters, settled and on their way, and what depends on nothing else")
  func parameters() throws {
    let parameters = """
      "k": { "default": 1, "minimum": 0, "maximum": 2, "ramp": 0 },
      "g": { "default": 1, "minimum": 0, "maximum": 2, "ramp": 0.001 }
      """
    let stepped = try Self.check(#""inverse": "1 / k", "y": "x * inverse + g""#, parameters: parameters)
    #expect(stepped.run([Self.ones(100)], frames: 100) == nil)
    #expect(stepped.set("k", to: 0) && !stepped.set("unknown", to: 0))
    #expect(
      stepped.run([Self.ones(5)], frames: 5)?.description
        == "m.json:5:17: 'inverse' = 1 / k is inf at frame 100 (0.002083 s), where k is 0")

    let smoothed = try Self.check(#""level": "log(g)", "y": "x * level * k""#, parameters: parameters)
    #expect(smoothed.run([Self.ones(70)], frames: 70) == nil)
    smoothed.set("g", to: 0)
    // 48 frames of a ramp, of which the last lands.
    #expect(
      smoothed.run([Self.ones(200)], frames: 200)?.description
        == "m.json:5:15: 'level' = log(g) is -inf at frame 117 (0.002438 s), where g is 0")
    smoothed.set("g", to: 1)
    smoothed.reset()
    #expect(smoothed.run([Self.ones(200)], frames: 200) == nil)
  }

  @Test("layers say between which numbers their operands lie")
  func layers() throws {
    let model = try Model(
      """
      { "legato": 1, "name": "Test", "inputs": { "x": { "shape": [2, "frames"] } },
        "weights": { "w": [[[1, 2], [3, 3e38]]] },
        "graph": { "y": "conv1d(x, weight: 'w')" }, "outputs": ["y"] }
      """, name: "m.json")
    let check = try model.compilation().finiteCheck()
    let found = check.run([Self.ones(4), Self.ones(4, but: 2, at: 2)], frames: 4)
    #expect(
      found?.description
        == "m.json:3:20: 'y' = conv1d(x, w, axis: 1, dilation: 1, stride: 1, groups: 1, padding: \"causal\") "
        + "is inf at frame 2 (0.000042 s), channel 1, where x lies between 1 and 2")
  }

  @Test("a model of steps, built in Swift")
  func steps() throws {
    let builder = GraphBuilder.steps("Steps")
    let x = builder.input("x", shape: [2, 2])
    builder.output("y", (1 / (x - 3)).named("inverse") * 2)
    let check = try builder.compilation().finiteCheck()
    #expect(check.run([[1, 2, 4, 5]], frames: 1) == nil)
    let found = check.run([[0, 1, 2, 1, 1, 2, 3, 4]], frames: 2)
    #expect(
      found?.description
        == "Steps: 'inverse' = 1 / (x - 3) is inf at step 2, position [1, 0], where x - 3 is 0")
    #expect(found?.seconds == nil && found?.inputRow == nil && found?.source == .function)
  }

  @Test("what only the optimised arithmetic does is said so")
  func optimized() throws {
    let declared = try Model(
      """
      { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["frames"] } },
        "graph": { "y": "x + 1" }, "outputs": ["y"] }
      """
    ).compilation().compiled.source
    // Stands for a pass that is wrong.
    let broken = try Model(
      """
      { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["frames"] } },
        "graph": { "y": "1 / (x - 2)" }, "outputs": ["y"] }
      """
    ).compile()
    let check = try FiniteCheck(declared, broken, target: .host(), file: "m.json")
    #expect(
      check.run([Self.ones(9, but: 2, at: 4)], frames: 9)?.description
        == "m.json:2:20: output 'y' is inf at frame 4 (0.000083 s), but only after the optimisations: "
        + "without them, all of that frame is finite")
  }

  @Test("the earlier of two counts, whichever program it is in", arguments: [1, 5, 60])
  func earlierOfTwo(block: Int) throws {
    func model(_ definition: String) throws -> Model {
      try Model(
        """
        { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["frames"] } },
          "graph": { "y": "\(definition)" }, "outputs": ["y"] }
        """)
    }
    let declared = try model("1 / (x - 3)").compilation().compiled.source
    let broken = try model("1 / (x - 2)").compile()
    let check = try FiniteCheck(declared, broken, target: .host(), file: "m.json")
    var signal = Self.ones(60, but: 2, at: 10)
    signal[50] = 3
    var found: NonFiniteNumber?
    for begin in stride(from: 0, to: 60, by: block) where found == nil {
      found = check.run([Array(signal[begin..<min(60, begin + block)])], frames: min(block, 60 - begin))
    }
    #expect(found?.frame == 10 && found?.source == .optimization)
    let other = try check.another()
    signal[10] = 1
    #expect(other.run([signal], frames: 60)?.frame == 50)
  }

  /// Random graphs over signals with huge and non-finite numbers in them: a few, as each is compiled several times.
  @Test(arguments: ChosenSeeds.seeds.filter(LawCase.isWild)) func randomGraph(seed: UInt64) throws {
    let graph = try GraphGenerator.graph(seed)
    var random = SplitMix(seed: seed)
    let stimulus = Stimulus.random(for: graph, &random, isWild: !seed.isMultiple(of: 3))
    let everything = EveryValue(of: graph)
    #expect(Verifier.violations(in: everything.graph).isEmpty)

    // Being looked at changes no bit of what the declared graph means.
    let example = LawCase(label: "seed \(seed)", graph: graph, stimulus: stimulus)
    let plain = try NativeRun(
      graph, options: CompileOptions(target: .host(), pipeline: .plain)
    ).outputs(of: stimulus, blocks: [stimulus.frames])
    let shown = try NativeRun(
      everything.graph, options: CompileOptions(target: .host(), pipeline: .plain)
    ).outputs(of: stimulus, blocks: [stimulus.frames])
    let isStream = graph.clock == .stream
    let counts = everything.values.map { isStream ? everything.declared.shape(of: $0).count : 1 }
    let outputs = everything.declared.outputs.flatMap { output in
      let index = everything.values.firstIndex(of: output.value)!
      let first = counts[..<index].reduce(0, +)
      return Array(shown[first..<first + counts[index]])
    }
    example.expectSame(outputs, as: plain, "being looked at changes no bit")

    // What is found is the first there is, and does not depend on the blocks.
    let lengths = everything.values.flatMap { value in
      let count = everything.declared.shape(of: value).count
      return isStream ? [Int](repeating: 1, count: count) : [count]
    }
    let first = zip(shown, lengths).compactMap { row, length in
      row.firstIndex { !$0.isFinite }.map { $0 / length }
    }.min()
    let check = try Compilation(graph, CompilerOptions()).finiteCheck()
    let whole = found(check, stimulus, in: graph, blocks: stimulus.frames)
    if whole?.source != .optimization {
      #expect(whole?.frame == first, "\(example.label): \(whole?.description ?? "nothing")\n\(graph)")
    }
    for operand in whole?.operands ?? [] {
      #expect(operand.lowest.isFinite && operand.highest.isFinite, "\(example.label): \(whole!)\n\(graph)")
    }
    for blocks in [1, 50] {
      for parameter in graph.parameters { check.set(parameter.name, to: parameter.initial) }
      check.reset()
      let again = found(check, stimulus, in: graph, blocks: blocks)
      #expect(
        again?.description == whole?.description, "\(example.label), blocks of \(blocks)\n\(graph)")
    }
  }

  private func found(
    _ check: FiniteCheck, _ stimulus: Stimulus, in graph: Graph, blocks: Int
  ) -> NonFiniteNumber? {
    let isStream = graph.clock == .stream
    let units = graph.inputs.flatMap { input in
      let count = input.type.shape.count
      return isStream ? [Int](repeating: 1, count: count) : [count]
    }
    var frame = 0
    var changes = stimulus.changes[...]
    while frame < stimulus.frames {
      while let change = changes.first, change.frame <= frame {
        check.set(graph.parameters[change.parameter].name, to: change.value)
        changes.removeFirst()
      }
      var count = min(blocks, stimulus.frames - frame)
      if let next = changes.first { count = min(count, next.frame - frame) }
      let part = zip(stimulus.inputs, units).map { Array($0[frame * $1..<(frame + count) * $1]) }
      if let found = check.run(part, frames: count) { return found }
      frame += count
    }
    return nil
  }
}
