// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPasses
import GraphPlanning
import LLVMText
import Legato
import NativeCode
import TestEquipment
import Testing

/// Code that the compiler writes ends and calls what is known, whatever it is made of and for.
@Suite("Census of the compiler's code") struct CensusTests {
  /// Checks a graph's code for each target. Every other one has the goal that others have for the next graph.
  private func expectKnown(
    _ graph: Graph, _ label: String, turn: Int, _ pipeline: Pipeline = Pipeline()
  ) throws {
    let targets = [Target.aarch64] + Target.levels.compactMap(Target.x86(level:))
    for (place, target) in targets.enumerated() {
      let goal = Goal.allCases[(place + turn) % Goal.allCases.count]
      let options = CompileOptions(target: target, pipeline: pipeline, goal: goal)
      let compiled = try CompiledGraph(graph, options: options)
      var texts = [compiled.llvmText]
      // Code that runs here, and code that a linker gets: the same functions, with a door to them that knows no goal.
      if goal == .speed { texts.append(ModuleText(compiled.plan).text(exporting: "model_execute")) }
      for text in texts {
        let module = ModuleReading(text)
        let (loops, calls) = (LoopCensus(module), CallCensus(module))
        #expect(loops.violations.isEmpty, "\(label), \(target.name), \(goal)")
        #expect(calls.violations.isEmpty, "\(label), \(target.name), \(goal)")
        #expect(loops.tileLoops == (graph.clock == .stream ? 1 : 0), "\(label), \(target.name), \(goal)")
      }
    }
  }

  @Test(arguments: zip(Function.all.indices, Function.all.map(\.name)))
  func ofEachFunction(turn: Int, name: String) throws {
    try expectKnown(try #require(try FunctionExamples.graph(of: name)), name, turn: turn)
  }

  @Test(arguments: zip(PackageFiles.shippedModels.indices, PackageFiles.shippedModels))
  func ofAShippedModel(turn: Int, name: String) throws {
    let model = try Model(contentsOf: PackageFiles.models.appending(path: name).path())
    let extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, 2) })
    try expectKnown(try model.graph(extents: extents, sampleRate: 48_000), name, turn: turn)
  }

  @Test(arguments: 1...30) func ofARandomGraph(seed: Int) throws {
    let graph = try GraphGenerator.graph(UInt64(seed))
    let pipeline = seed.isMultiple(of: 2) ? Pipeline() : .plain
    try expectKnown(graph, "seed \(seed)", turn: seed / 2, pipeline)
  }
}
