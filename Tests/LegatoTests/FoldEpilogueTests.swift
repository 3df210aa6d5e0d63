// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// What a fold goes on to compute of its result while that is in registers.
@Suite struct FoldEpilogueTests {
  /// A layer whose epilogue has a parameter that moves, one that is stepped, and a residual.
  private static func layers(_ expression: String) -> String {
    """
    graph "layers" stream 48000
    input src [3, frames]
    parameter gain [frames] = 1 minimum 0 maximum 2 ramp 100 scale linear
    parameter shift [] = 0.25 minimum -1 maximum 1 ramp 0 scale linear
    weights "w" [3, 3, 2] = [0.5, -0.25, 1, 0.125, -1, 0.75, 0.5, 0.5, -0.5, 2, -0.125, 0.25, 1, 2, -1, -2, 0.5, 1]
    weights "m" [3, 3] = [0.5, -0.25, 1, 0.125, -1, 0.75, -2, 0.5, 1]
    weights "b" [3] = [0.25, -0.5, 1]
    x = tanh(src * 2)
    layer = \(expression)
    y = tanh(layer * (gain * gain)) + x * shift
    output y = y
    """
  }

  private static let expressions = [
    "conv1d(x, \"w\", \"b\", dilation: 3)", "dense(x, \"m\", \"b\", axis: 0)",
    "sum(reshape(x, shape: [1, 3]), axis: 0)",
    "maximum(concatenate([reshape(x, shape: [1, 3]), reshape(-x, shape: [1, 3])], axis: 0), axis: 0)",
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
    let lowered = Pipeline().lower(example.graph).kernels
    let filled = EpilogueFilling(lowered)
    #expect(filled.count == 1, "\(lowered)")
    for target in [nil] + Target.runnableLevels.map(Target.x86(level:)) {
      let right = try NativeRun(lowered, target: target).outputs(of: example.stimulus)
      let run = try NativeRun(filled.graph, target: target)
      for blocks in [[128], [1, 5, 64, 300], [17]] {
        let outputs = try run.outputs(of: example.stimulus, blocks: blocks)
        example.expectSame(outputs, as: right, "an epilogue changes no bit")
      }
    }
  }

  @Test func randomGraphsAreTheSameWithEpilogues() throws {
    var count = 0
    for seed in UInt64(1)...300 {
      let example = try LawCase(seed: seed)
      let lowered = Pipeline().lower(example.graph).kernels
      let filled = EpilogueFilling(lowered)
      guard filled.count > 0 else { continue }
      count += filled.count
      let right = try NativeRun(lowered).outputs(of: example.stimulus)
      let outputs = try NativeRun(filled.graph).outputs(of: example.stimulus, blocks: [1, 60, 128])
      example.expectSame(outputs, as: right, flushed: true, "epilogues change no bit")
    }
    #expect(count >= 20, "\(count) epilogues: too few to say anything")
  }
}
