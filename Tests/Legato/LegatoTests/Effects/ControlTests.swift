// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Legato
import LegatoEquipment
import RealtimeCore
import ReferenceInterpreter
import TestEquipment
import Testing

/// Bypass and mix, which models have without declaring them.
@Suite struct ControlTests {
  private static func run(_ model: Model, _ settings: [String: Float], _ input: [[Float]]) throws -> [[Float]]
  {
    let playback = try Playback(
      Stimulus(inputs: input, frames: input[0].count), through: model.compile(channels: input.count))
    for (name, value) in settings {
      let parameter = playback.context.parameter(named: name)
      try #require(parameter).set(value)
    }
    playback.finish([33, 64])
    return playback.outputs
  }

  private static func noise(_ seed: UInt64) -> [[Float]] {
    var random = SplitMix(seed: seed)
    let odd: [Float] = [.infinity, -.infinity, .nan, 1e30, -0.0, .leastNonzeroMagnitude]
    return (0..<2).map { _ in
      (0..<300).map { _ in random.chance(0.05) ? random.pick(odd) : random.float(-2, 2) }
    }
  }

  private static func bits(_ rows: [[Float]]) -> [[UInt32]] { rows.map { $0.map(\.bitPattern) } }

  @Test(arguments: UInt64(0)..<8) func theirEndsChangeNoBit(seed: UInt64) throws {
    let model = try ChainTests.model(seed)
    let input = Self.noise(seed)
    let plain = Self.bits(try Self.run(model, [:], input))
    let both = try model.with([.bypass, .mix])
    #expect(Self.bits(try Self.run(both, [:], input)) == plain, "at first they are not heard")
    #expect(Self.bits(try Self.run(both, ["bypass": 1], input)) == Self.bits(input))
    #expect(Self.bits(try Self.run(both, ["bypass": 1, "mix": 0.5], input)) == Self.bits(input))
    #expect(Self.bits(try Self.run(both, ["mix": 0], input)) == Self.bits(input))
  }

  @Test func betweenTheEndsTheyMix() throws {
    let half = try Model(
      """
      { "legato": 1, "name": "Half", "inputs": { "x": { "shape": ["n", "frames"] } },
        "graph": { "y": "x / 2" }, "outputs": ["y"] }
      """)
    let input: [[Float]] = [[1, -2, 4]]
    #expect(try Self.run(half.with([.mix]), ["mix": 0.5], input) == [[0.75, -1.5, 3]])
    #expect(try Self.run(half.with([.bypass]), ["bypass": 0.25], input) == [[0.625, -1.25, 2.5]])
  }

  @Test func whoDoesNotAskForThemHasNone() throws {
    let model = try ChainTests.model(3)
    let graph = try model.with([]).graph(extents: ["channels": 2], sampleRate: 48_000)
    #expect(try graph == model.graph(extents: ["channels": 2], sampleRate: 48_000))
    #expect(!graph.parameters.contains { $0.name == "mix" || $0.name == "bypass" })
  }

  @Test func modelsOfAChainHaveTheirOwn() throws {
    let gain = try ChainTests.named("Gain", parameters: ["level"])
    let chain = try gain.then(gain)
    let input = Self.noise(1).map { $0.map { $0.isFinite ? $0 : 1 } }
    let second = try chain.with(.bypass, ofStage: 1)
    #expect(second.parameters.map(\.name) == ["gain1.level", "gain2.level", "gain2.bypass"])
    #expect(second.parameter(addressed: "2.bypass") == .name("gain2.bypass"))
    let once = Self.bits(try Self.run(gain, [:], input))
    #expect(Self.bits(try Self.run(second, ["gain2.bypass": 1], input)) == once)
    let first = try chain.with(.bypass, ofStage: 0)
    #expect(first.parameter(addressed: "1.bypass") == .name("gain1.bypass"))
    #expect(Self.bits(try Self.run(first, ["gain1.bypass": 1], input)) == once)
    let all = try #require(try chain.with(controlAddressed: "2.mix")?.with([.bypass]))
    #expect(Self.bits(try Self.run(all, ["bypass": 1], input)) == Self.bits(input))
    #expect(Self.bits(try Self.run(all, ["gain2.mix": 0], input)) == once)
    let own = try gain.with([.bypass]).then(gain)
    #expect(own.parameters.map(\.name) == ["gain1.level", "gain1.bypass", "gain2.level"])
    #expect(try chain.with(controlAddressed: "gain.bypass") == nil)
    #expect(chain.controls(addressed: "gain.bypass") == ["1.bypass", "2.bypass"])
    #expect(chain.controls(addressed: "2.bypass") == [] && chain.controls(addressed: "gain.level") == [])
    #expect(try chain.with(controlAddressed: "level") == nil)
  }

  @Test(arguments: [false, true]) func theOrderInWhichTheyAreSaidDoesNotMatter(isDeclared: Bool) throws {
    let gain = try ChainTests.named("Gain", parameters: ["level"])
    let other = try ChainTests.named("Other", parameters: isDeclared ? ["drive", "mix"] : ["drive"])
    let chain = try gain.then(other)
    var addresses = ["mix", "2.mix", "bypass", "1.bypass", "other.bypass", "1.mix"]
    var random = SplitMix(seed: 7)
    var first: (graph: Graph, meanings: [String: Model.Address])?
    for _ in 0..<12 {
      let model = try chain.with(andParameters: addresses)
      let graph = try model.graph(extents: ["n": 2], sampleRate: 48_000)
      let meanings = Dictionary(uniqueKeysWithValues: addresses.map { ($0, model.parameter(addressed: $0)) })
      first = first ?? (graph, meanings)
      #expect(graph == first?.graph && meanings == first?.meanings, "\(addresses)")
      for row in addresses.indices { addresses.swapAt(row, random.below(addresses.count)) }
    }
    let mix = Model.Address.name(isDeclared ? "other.mix" : "mix")
    #expect(
      first?.meanings == [
        "mix": mix, "2.mix": .name("other.mix"), "1.mix": .name("gain.mix"), "bypass": .name("bypass"),
        "1.bypass": .name("gain.bypass"), "other.bypass": .name("other.bypass"),
      ])
  }

  @Test(arguments: UInt64(0)..<4) func lawsHoldWithControls(seed: UInt64) throws {
    let model = try ChainTests.model(seed).then(ChainTests.model(seed + 9)).with([.bypass, .mix])
    let graph = try model.graph(extents: ["channels": 2], sampleRate: 48_000)
    try Laws(LawCase(label: "controls \(seed)", graph: graph, seed: seed)).check(seed: seed)
  }

  @Test func whatCannotBeMixedIsRefused() throws {
    let wide = try Model(
      """
      { "legato": 1, "name": "Wide", "inputs": { "x": { "shape": [1, "frames"] } },
        "graph": { "y": "concatenate([x, x])", "z": "x" }, "outputs": ["y"] }
      """)
    #expect(
      reportedProblems { _ = try wide.with([.mix]).compile() } == [
        "model:2:66: 'Wide' cannot have 'mix': what goes in is [1, frames], and what comes out is [2, frames]"
      ])
    let constant = try Model(
      """
      { "legato": 1, "name": "Still", "inputs": { "x": { "shape": [1, "frames"] } },
        "graph": { "y": "0.5" }, "outputs": ["y"] }
      """)
    #expect(
      reportedProblems { _ = try constant.with([.mix]).compile() } == [
        "model:2:40: 'Still' cannot have 'mix': what goes in is [1, frames], and what comes out is []"
      ])
    let nothing = try Model(
      """
      { "legato": 1, "name": "Nothing", "inputs": { "x": { "shape": [1, "frames"] } },
        "graph": { "y": "x" }, "outputs": ["z"] }
      """)
    #expect(
      reportedProblems { _ = try nothing.then(nothing).with([.mix]).with(.bypass, ofStage: 0) } == [
        "model:2:38: no value is called 'z'", "model:2:38: no value is called 'z'",
      ], "in the one text and in the other")
    let two = try Model(
      """
      { "legato": 1, "name": "Two", "inputs": { "x": { "shape": [1, "frames"] } },
        "graph": { "y": "x", "z": "x" }, "outputs": ["y", "z"] }
      """)
    #expect(
      reportedProblems { _ = try two.with([.bypass]) } == [
        "model:1:1: 'Two' cannot have 'bypass': inputs and outputs have to be as many; they are 1 and 2"
      ])
    let own = try ChainTests.named("Own", parameters: ["mix"])
    #expect(reportedProblems { _ = try own.with([.mix]) } == ["model:1:1: 'Own' has a 'mix' of its own"])
  }
}
