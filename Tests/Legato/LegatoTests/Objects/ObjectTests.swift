// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// Object files in a C program, on the machine at hand: the same bits as a context gives.
@Suite(.waits) struct ObjectTests {
  static let levels = ["host"] + Target.runnableLevels

  @Test(arguments: levels) func aBitcrusherInCGivesTheBitsOfAContext(target: String) throws {
    try check(try Self.bitcrusher(), Target.named(target))
  }

  @Test(arguments: UInt64(1)...12) func aRandomGraphInCGivesTheBitsOfAContext(seed: UInt64) throws {
    let levels = Self.levels
    try check(LawCase(seed: seed), Target.named(levels[Int(seed) % levels.count]))
  }

  @Test func theHeaderIsCPlusPlus() throws {
    let example = try Self.bitcrusher()
    let right = try NativeRun(example.graph).outputs(of: example.stimulus)
    let object = try ObjectRun(example.graph, target: .host(), standard: "c++11")
    example.expectSame(try object.outputs(of: example.stimulus), as: right, "C++ gives the same bits")
  }

  /// A glide is left where it stands within a ten-thousandth of half a unit in the last place: what double makes of
  /// it, rounded as it is, is half a unit exactly and would be rounded down.
  @Test(arguments: levels) func aGlideThatIsLeftHalfwayIsRoundedOnce(target: String) throws {
    let graph = try Graph(
      parsing: """
        graph "glide" stream 48000
        input x [frames]
        parameter gain [frames] = 1 minimum 0 maximum 4 ramp 1206 scale linear
        y = x * gain
        output y = y
        """)
    let changes = [
      ParameterEvent(frame: 1, parameter: 0, value: 1 + .ulpOfOne),
      ParameterEvent(frame: 604, parameter: 0, value: 2),
    ]
    let example = LawCase(
      label: "a glide that is left halfway", graph: graph,
      stimulus: Stimulus(inputs: [[Float](repeating: 1, count: 700)], frames: 700, changes: changes))
    let step = Float.ulpOfOne / 1206
    #expect(Float(1).addingProduct(603, step) == 1 + .ulpOfOne && Float(1 + 603 * Double(step)) == 1)
    try check(example, Target.named(target))
  }

  @Test(arguments: ["x86-64", "x86-64-v3", "x86-64-v4", "aarch64"])
  func anObjectExportsOneFunctionAndRefersToNothing(target: String) throws {
    for graph in [try Self.bitcrusher().graph, try #require(try FunctionExamples.graph(of: "conv1d"))] {
      let compiled = try CompiledGraph(graph, options: CompileOptions(target: Target.named(target)))
      let contents = try ELFContents(compiled.libraryObject(exporting: "wah_execute").bytes)
      #expect(contents.exportedSymbols == ["wah_execute"])
      #expect(contents.undefinedSymbols.isEmpty)
      #expect(!contents.sections.contains { $0.isExecutable && $0.isWritable })
    }
  }

  /// A graph with weights, which stand in the object.
  @Test func weightsAreInTheObject() throws {
    let graph = try #require(try FunctionExamples.graph(of: "dense"))
    let compiled = try CompiledGraph(graph, options: CompileOptions(target: .host()))
    let bytes = try compiled.libraryObject(exporting: "dense_execute").bytes
    let numbers = compiled.plan.weights.flatMap { weight in
      (0..<4).map { UInt8(truncatingIfNeeded: weight.bitPattern >> (8 * $0)) }
    }
    #expect(numbers.count > 24 && bytes.firstRange(of: numbers) != nil)
  }

  static func bitcrusher() throws -> LawCase {
    let model = try Model(contentsOf: PackageFiles.models.appending(path: "bitcrusher.json").path)
    return LawCase(
      label: "bitcrusher", graph: try model.graph(extents: ["channels": 2], sampleRate: 8000), seed: 5)
  }

  private func check(_ example: LawCase, _ target: Target) throws {
    let right = try NativeRun(example.graph, target: target).outputs(of: example.stimulus)
    let object = try ObjectRun(example.graph, target: target)
    for blocks in [[128], [1, 17, 300, 3]] {
      example.expectSame(
        try object.outputs(of: example.stimulus, blocks: blocks), as: right,
        "C gives the same bits in \(blocks)")
    }
    example.expectSame(try object.outputsAfterReset(of: example.stimulus), as: right, "a reset in C is fresh")
  }
}
