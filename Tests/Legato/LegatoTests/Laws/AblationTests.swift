// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPasses
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// Each pass by itself, each switched off, and only the first rewrites: the meaning stays, and with it the bits where
/// a pass must not change them.
@Suite struct AblationTests {
  static let names = Pipeline.passes.map(\.name)

  /// Half of the graphs of the laws: each of them is rewritten and interpreted some twenty times.
  static let seeds = ChosenSeeds.seeds.prefix((ChosenSeeds.seeds.count + 1) / 2)

  @Test(arguments: seeds) func everyPassKeepsTheMeaning(seed: UInt64) throws {
    let example = try LawCase(slicedSeed: seed)
    let right = example.interpreted(example.graph)
    for name in Self.names {
      let alone = Pipeline(only: [name]).run(example.graph)
      example.expectOverlap(alone.graph, with: right, "\(name) alone")
      let without = Pipeline(disabled: [name]).run(example.graph)
      example.expectOverlap(without.graph, with: right, "all but \(name)")
    }
  }

  @Test(arguments: seeds) func anyNumberOfRewritesKeepsTheMeaning(seed: UInt64) throws {
    let example = try LawCase(slicedSeed: seed)
    let right = example.interpreted(example.graph)
    let all = Pipeline().run(example.graph).reports.reduce(0) { $0 + $1.rewrites }
    var random = SplitMix(seed: seed)
    for limit in Set([0, 1, all - 1, all] + (0..<4).map { _ in random.below(all + 1) }) where limit >= 0 {
      let (graph, reports) = Pipeline(limit: limit).run(example.graph)
      let made = reports.reduce(0) { $0 + $1.rewrites }
      if made > limit { example.report("only \(limit) rewrites", "there were \(made)") }
      if limit == 0, graph != example.graph.aligned().canonical() { example.report("no rewrite", "\(graph)") }
      example.expectOverlap(graph, with: right, "the first \(limit) rewrites")
    }
    let half = CompileOptions(target: try .host(), pipeline: Pipeline(limit: all / 2))
    example.expectInside(
      try NativeRun(example.graph, options: half).outputs(of: example.stimulus), right,
      "native code of half of the rewrites is right")
  }

  /// Law 7.
  @Test(arguments: seeds) func hoistingChangesNoBit(seed: UInt64) throws {
    let example = try LawCase(slicedSeed: seed)
    let targets = Target.runnable
    let target = try targets.isEmpty ? Target.host() : targets[Int(seed) % targets.count]
    let plain = try NativeRun(example.graph, target: target, without: ["slice-hoisting"])
    let hoisted = try NativeRun(example.graph, target: target)
    let outputs = try plain.outputs(of: example.stimulus)
    for blocks in [[128], [1, 50, 3]] {
      example.expectSame(
        try hoisted.outputs(of: example.stimulus, blocks: blocks), as: outputs, flushed: true,
        "hoisting changes no bit")
    }
    let right = example.interpreted(example.graph)
    example.expectInside(outputs, right, "native code is right")
    let alone = Pipeline(only: ["slice-hoisting"]).run(example.graph).graph
    let same = example.interpreted(alone).outputs.elementsEqual(right.outputs) { these, those in
      these.elementsEqual(those) { $0.isTheSame(as: $1) }
    }
    if !same { example.report("hoisting changes no estimate", "\(alone)") }
    let before = example.graph.aligned()
    if alone.flopsPerFrame > before.flopsPerFrame || alone.stateBytes > before.stateBytes {
      example.report("hoisting computes and keeps no more than before", "\(alone)")
    }
  }

  @Test(arguments: seeds) func aSecondRunOfAPassFindsNothing(seed: UInt64) throws {
    let example = try LawCase(slicedSeed: seed)
    for name in Self.names {
      let pipeline = Pipeline(only: [name])
      let once = pipeline.run(example.graph).graph
      let (twice, reports) = pipeline.run(once)
      if twice != once || reports[0].rewrites > 0 { example.report("\(name) twice", "\(once)\n\(twice)") }
    }
  }
}

extension LawCase {
  /// A random graph with layers behind its outputs, which show parts of them only.
  fileprivate init(slicedSeed seed: UInt64) throws {
    var slicer = OutputSlicer(graph: try GraphGenerator.graph(seed), random: SplitMix(seed: seed &* 77 &+ 5))
    for index in slicer.graph.outputs.indices where slicer.random.chance(0.85) { slicer.slice(output: index) }
    let graph = slicer.graph.canonical()
    try #require(Verifier.violations(in: graph).isEmpty)
    self.init(label: "seed \(seed)", graph: graph, seed: seed)
  }

  fileprivate func interpreted(_ graph: Graph) -> ReferenceInterpreter.Result {
    ReferenceInterpreter(graph.canonical()).run(
      inputs: stimulus.inputs, frames: stimulus.frames, events: stimulus.changes)
  }

  /// Reports the first number of a rewritten graph that has nothing in common with what it should be: the two
  /// intervals do not meet.
  fileprivate func expectOverlap(_ graph: Graph, with right: ReferenceInterpreter.Result, _ what: String) {
    let result = interpreted(graph)
    for (row, (these, those)) in zip(result.outputs, right.outputs).enumerated() {
      for (position, (a, b)) in zip(these, those).enumerated() where !a.meets(b) {
        return report(what, "row \(row), number \(position) is \(a); right is \(b)\nrewritten:\n\(graph)")
      }
    }
  }
}

extension Estimate {
  fileprivate func isTheSame(as other: Estimate) -> Bool {
    (low, high, mayBeNaN) == (other.low, other.high, other.mayBeNaN)
  }

  /// Whether some answer of native code is right by both.
  fileprivate func meets(_ other: Estimate) -> Bool {
    (mayBeNaN && other.mayBeNaN) || (low <= other.high && other.low <= high)
  }
}
