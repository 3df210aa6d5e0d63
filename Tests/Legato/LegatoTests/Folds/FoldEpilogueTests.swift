// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// Epilogues of folds, computed while their results are in registers.
@Suite struct FoldEpilogueTests {
  /// A layer whose epilogue has a parameter that moves, one that is stepped, and a residual.
  private static func layers(_ expression: String) -> String {
    """
    graph "layers" stream 48000
    input src [4, frames]
    parameter gain [frames] = 1 minimum 0 maximum 2 ramp 100 scale linear
    parameter shift [] = 0.25 minimum -1 maximum 1 ramp 0 scale linear
    weights "w" \(SmallWeights.text([4, 4, 2]))
    weights "g" \(SmallWeights.text([4, 2, 2]))
    weights "m" \(SmallWeights.text([4, 4]))
    weights "b" [4] = [0.25, -0.5, 1, 0.125]
    x = tanh(src * 2)
    layer = \(expression)
    y = max(layer * (gain * gain), 0) + x * shift
    output y = y
    """
  }

  private static let expressions = [
    "conv1d(x, \"w\", \"b\", dilation: 3)", "conv1d(x, \"g\", \"b\", groups: 2)",
    "dense(x, \"m\", \"b\", axis: 0)", "sum(reshape(x, shape: [1, 4]), axis: 0)",
    "maximum(concatenate([reshape(x, shape: [1, 4]), reshape(-x, shape: [1, 4])], axis: 0), axis: 0)",
  ]

  @Test(arguments: expressions)
  func aLayerGoesOnInRegisters(_ expression: String) throws {
    let graph = try Graph(parsing: Self.layers(expression))
    var random = SplitMix(seed: 5)
    var stimulus = Stimulus.random(for: graph, &random, isWild: false)
    stimulus.changes = [
      ParameterEvent(frame: 20, parameter: 0, value: 1.7), ParameterEvent(frame: 60, parameter: 1, value: -1),
    ]
    let example = LawCase(label: expression, graph: graph, stimulus: stimulus)
    for target in [nil] + Target.runnable {
      let apart = try NativeRun(example.graph, target: target, without: ["fusion"])
      let run = try NativeRun(example.graph, target: target)
      #expect(apart.plan.epilogues == 0)
      #expect(run.plan.epilogues == 1, "\(run.plan)")
      let right = try apart.outputs(of: example.stimulus)
      for blocks in [[128], [1, 5, 64, 300], [17]] {
        let outputs = try run.outputs(of: example.stimulus, blocks: blocks)
        example.expectSame(outputs, as: right, "an epilogue changes no bit")
      }
    }
  }

  /// A residual in the memory of the output: each number is read, added to, and written. What the layer itself reads
  /// there, all of its rounds read: then the output waits for a kernel of its own.
  @Test(arguments: [("conv1d(x, \"w\")", 1), ("dense(x, \"m\", axis: 0)", 0)])
  func aResidualIsOverwrittenInPlace(layer: String, epilogues: Int) throws {
    let graph = try Graph(
      parsing: """
        graph "residual" stream 48000
        input x [12, frames]
        weights "w" \(SmallWeights.text([12, 12, 2]))
        weights "m" \(SmallWeights.text([12, 12]))
        y = max(\(layer), 0) + x
        output y = y
        """)
    let example = LawCase(label: layer, graph: graph, seed: 4)
    let run = try NativeRun(graph)
    #expect(run.plan.epilogues == epilogues, "\(run.plan)")
    let right = try run.outputs(of: example.stimulus)
    let outputs = try run.outputs(of: example.stimulus, blocks: [1, 128, 17], inPlace: true)
    example.expectSame(outputs, as: right, "in place is the same")
  }

  /// A function wants registers for its coefficients, which not every machine has.
  @Test(arguments: [("x86-64-v3", 0), ("x86-64-v4", 1)])
  func aSeriesNeedsRegisters(level: String, epilogues: Int) throws {
    let text = Self.layers(Self.expressions[0]).replacing(
      "max(layer * (gain * gain), 0)", with: "tanh(layer)")
    let example = LawCase(label: level, graph: try Graph(parsing: text), seed: 8)
    let target = try #require(Target.x86(level: level))
    let kernels = Pipeline().lower(example.graph, for: target).kernels
    #expect(try Plan(kernels, target: target).epilogues == epilogues)
    guard Target.runnableLevels.contains(level) else { return }
    let right = try NativeRun(example.graph, target: target, without: ["fusion"]).outputs(
      of: example.stimulus)
    let outputs = try NativeRun(example.graph, target: target).outputs(of: example.stimulus, blocks: [70, 1])
    example.expectSame(outputs, as: right, "an epilogue changes no bit")
  }

  /// The laws say something about epilogues.
  @Test func randomGraphsHaveEpilogues() throws {
    let target = try #require(Target.x86(level: "x86-64-v4"))
    let count = try (UInt64(1)...300).reduce(0) { count, seed in
      let graph = Pipeline().run(try GraphGenerator.graph(seed)).graph
      return try count + Plan(Pipeline().lower(graph, for: target).kernels, target: target).epilogues
    }
    #expect(count >= 15, "\(count) epilogues")
  }
}

extension Plan {
  /// Folds that go on with their results.
  fileprivate var epilogues: Int {
    kernelGraph.kernels.count { kernel in
      if case .fold(let fold) = kernel { !fold.epilogue.nodes.isEmpty } else { false }
    }
  }
}
