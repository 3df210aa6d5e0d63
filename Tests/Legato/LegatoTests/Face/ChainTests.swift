// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Legato
import LegatoEquipment
import RealtimeCore
import ReferenceInterpreter
import TestEquipment
import Testing

/// Models one after the other, as one graph: they do what they do one by one.
@Suite struct ChainTests {
  /// A model of random parts; some remember, some jump, one has weights.
  static func model(_ seed: UInt64) throws -> Model {
    var random = SplitMix(seed: seed)
    let parts = [
      "tanh($ * drive)", "$ * 0.5 + delay($, 3) * drive", "conv1d($, 'taps', groups: 1)", "round($ * 8) / 8",
      "$ - mean($, axis: 0)", "select($ > level, level, $)", "($ + 0.25) % 1",
      "0.5 * $ + level * delay(@, 2)",
    ]
    var definitions: [String] = []
    let count = random.below(4) + 1
    for index in 0..<count {
      let source = index == 0 ? "src" : "v\(index - 1)"
      let part = random.pick(parts).replacing("$", with: source).replacing("@", with: "v\(index)")
      definitions.append("\"v\(index)\": \"\(part)\"")
    }
    return try Model(
      """
      { "legato": 1, "name": "Part \(seed % 3)", "inputs": { "src": { "shape": ["channels", "frames"] } },
        "parameters": { "drive": { "default": 0.7, "minimum": 0.1, "maximum": 4 },
                        "level": { "default": 0.3, "minimum": -0.5, "maximum": 0.5, "ramp": 0 } },
        "weights": { "taps": [[[0.5, -0.25, 1], [0.125, 0.5, 0]], [[1, 0, -1], [0, 0.25, 0.5]]] },
        "graph": { \(definitions.joined(separator: ", ")) }, "outputs": ["v\(count - 1)"] }
      """, name: "part\(seed)")
  }

  /// The same bits as a program after a program, with parameters moving, where no pass may change bits.
  @Test(arguments: UInt64(0)..<24) func aChainIsAProgramAfterAProgram(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let models = try (0..<random.below(3) + 2).map { try Self.model(seed * 16 + UInt64($0)) }
    let chain = try models.dropFirst().reduce(models[0]) { try $0.then($1) }
    let options = CompilerOptions(disabled: Set(CompilerOptions.optimizations))
    // A low rate makes ramps short.
    func program(_ model: Model) throws -> Program {
      try model.compile(channels: 2, sampleRate: 4_000, options: options)
    }

    let frames = 700
    let noise = (0..<2).map { _ in (0..<frames).map { _ in random.float(-1, 1) } }
    let names = chain.parameters.map(\.name)
    #expect(names.count == 2 * models.count && Set(names).count == names.count)
    // A ramp lands before the next one sets out: those that are under way set out anew with it, rounded anew.
    let changes = (0..<6).map { turn in
      ParameterEvent(
        frame: turn * 110 + random.below(20), parameter: random.below(names.count),
        value: random.float(-0.5, 2))
    }

    func run(_ model: Model, _ inputs: [[Float]], _ changes: [ParameterEvent], _ blocks: [Int]) throws
      -> [[Float]]
    {
      let playback = try Playback(
        Stimulus(inputs: inputs, frames: frames, changes: changes), through: program(model))
      playback.finish(blocks)
      return playback.outputs
    }
    var signal = noise
    for (stage, model) in models.enumerated() {
      // The parameters of a stage follow those of the stages before it.
      let own = changes.filter { $0.parameter / 2 == stage }.map {
        ParameterEvent(frame: $0.frame, parameter: $0.parameter % 2, value: $0.value)
      }
      signal = try run(model, signal, own, [frames])
    }
    let whole = try run(chain, noise, changes, [random.below(200) + 1, 64])
    for (these, those) in zip(whole, signal) {
      for frame in 0..<frames where these[frame].bitPattern != those[frame].bitPattern {
        Issue.record("seed \(seed), frame \(frame): \(these[frame]) instead of \(those[frame])")
        return
      }
    }
  }

  @Test(arguments: UInt64(100)..<108) func allLawsHoldForChains(seed: UInt64) throws {
    let chain = try Self.model(seed).then(Self.model(seed + 50)).then(Self.model(seed + 51))
    let graph = try chain.graph(extents: ["channels": 2], sampleRate: 48_000)
    try Laws(LawCase(label: "chain \(seed)", graph: graph, seed: seed)).check(seed: seed)
  }

  @Test func parametersArePointedAtInManyWays() throws {
    let drive = try ChainTests.named("Overdrive", parameters: ["drive", "level"])
    let delay = try ChainTests.named("Tape delay", parameters: ["time", "level"])
    let chain = try drive.then(delay).then(delay)
    #expect(
      chain.parameters.map(\.name) == [
        "drive", "overdrive.level", "tapeDelay2.time", "tapeDelay2.level", "tapeDelay3.time",
        "tapeDelay3.level",
      ])
    let expected: [String: Model.Address] = [
      "drive": .name("drive"), "1.drive": .name("drive"), "Overdrive.drive": .name("drive"),
      "1.level": .name("overdrive.level"), "level": .ambiguous(["1.level", "2.level", "3.level"]),
      "2.time": .name("tapeDelay2.time"), "tapeDelay3.time": .name("tapeDelay3.time"),
      "tape delay.time": .ambiguous(["2.time", "3.time"]), "4.time": .unknown, "2.drive": .unknown,
      "time": .ambiguous(["2.time", "3.time"]), "": .unknown, ".": .unknown, "2.": .unknown,
    ]
    for (address, meaning) in expected {
      #expect(chain.parameter(addressed: address) == meaning, "\(address)")
    }
    #expect(drive.parameter(addressed: "1.drive") == .unknown)
    let program = try chain.compile()
    #expect(program.layout.parameters.map(\.name) == chain.parameters.map(\.name))
  }

  static func named(_ name: String, parameters: [String]) throws -> Model {
    let list = parameters.map { #""\#($0)": { "default": 0.5, "minimum": 0, "maximum": 1 }"# }
    return try Model(
      """
      { "legato": 1, "name": "\(name)", "inputs": { "x": { "shape": ["n", "frames"] } },
        "parameters": { \(list.joined(separator: ", ")) },
        "graph": { "y": "x * \(parameters.joined(separator: " * "))" }, "outputs": ["y"] }
      """)
  }

  @Test func whatDoesNotFitIsRefusedWithARemedy() throws {
    let split = try Model(
      """
      { "legato": 1, "name": "Split", "inputs": { "x": { "shape": ["frames"] } },
        "graph": { "a": "x", "b": "-x" }, "outputs": ["a", "b"] }
      """)
    let gain = try ChainTests.named("Gain", parameters: ["level"])
    #expect(
      reportedProblems { _ = try split.then(gain) } == [
        "model:1:44: 'Gain' has 1 input, and 'Split' before it 2 outputs; a model in between can make the numbers equal"
      ])
    let mono = try Model(
      """
      { "legato": 1, "name": "Mono", "inputs": { "x": { "shape": [1, "frames"] } },
        "graph": { "y": "x" }, "outputs": ["y"] }
      """)
    #expect(
      reportedProblems { _ = try gain.then(mono).compile(channels: 2) } == [
        "model:1:44: 'Mono' takes 'x' as [1, frames], this is [2, frames]; that is what 'Gain' gives; "
          + "a model in between can choose, mix or double channels"
      ])
    #expect(reportedProblems { _ = try gain.then(mono).compile(channels: 1) } == [])
  }
}
