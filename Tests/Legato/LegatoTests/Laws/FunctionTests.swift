// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import TestEquipment
import Testing

/// Every function that people can call, by itself, at the edges of its domain: native code against the interpreter.
@Suite struct FunctionTests {
  static let edges: [Float] = [
    0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, .pi, -0.75, 10, -90, 1e-10, 8_388_609, -3e9, 1e20,
    .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    .infinity, -.infinity, .nan,
  ]

  /// Every pair of edges in a and b, and what lies between them; three in a row of m and n.
  static func stimulus(for graph: Graph) -> Stimulus {
    var random = SplitMix(seed: 1)
    let pairs = edges.flatMap { a in edges.map { b in (a, b) } }
    var rows = [pairs.map(\.0), pairs.map(\.1)]
    while rows.count < graph.inputs.reduce(0, { $0 + $1.type.shape.count }) {
      let isCalm = rows.count > 3
      rows.append(
        pairs.indices.map { _ in
          random.chance(isCalm ? 0.03 : 0.5) ? random.pick(edges) : random.float(-3, 3)
        })
    }
    // So that functions of parameters are seen at rest and on the way.
    let changes = [
      ParameterEvent(frame: 200, parameter: 0, value: -1.75),
      ParameterEvent(frame: 250, parameter: 0, value: 2), ParameterEvent(frame: 300, parameter: 1, value: -1),
    ]
    return Stimulus(inputs: rows, frames: pairs.count, changes: changes)
  }

  @Test(arguments: Function.all.map(\.name)) func meansTheSameNativelyAndInterpreted(name: String) throws {
    let graph = try #require(
      try FunctionExamples.graph(of: name), "'\(name)' has no example; give it one in FunctionExamples")
    let example = LawCase(label: name, graph: graph, stimulus: Self.stimulus(for: graph))
    let reference = ReferenceInterpreter(graph).run(
      inputs: example.stimulus.inputs, frames: example.stimulus.frames, events: example.stimulus.changes)
    for target in ["host"] + Target.runnableLevels {
      let native = try NativeRun(graph, target: Target.named(target))
      let whole = try native.outputs(of: example.stimulus)
      example.expectInside(whole, reference, "\(target) is right")
      example.expectSame(
        try native.outputs(of: example.stimulus, blocks: [1, 50, 7]), as: whole,
        "\(target): splits do not matter")
    }
  }

  @Test func softplusHasItsLimits() throws {
    let graph = try Graph(
      parsing: "graph \"x\" step 48000\ninput x [3]\ny = softplus(x)\noutput y = y")
    let made = ReferenceInterpreter(graph).run(inputs: [[-.infinity, 0, .infinity]], frames: 1).outputs[0]
    #expect(made[0].value == 0 && abs(made[1].value - 0.693147180559945) < 1e-12)
    #expect(made[2].value == .infinity)
  }

  @Test func noExampleIsLeftOver() {
    #expect(Set(FunctionExamples.expressions.keys).subtracting(Function.all.map(\.name)).isEmpty)
  }

  @Test func everyOpHasAnExample() throws {
    var met: Set<OpKind> = []
    for name in FunctionExamples.expressions.keys {
      met.formUnion(try FunctionExamples.graph(of: name)!.nodes.map { OpKind($0.op) })
    }
    #expect(OpKind.all.subtracting(met).isEmpty)
  }

  @Test func randomGraphsHaveEveryOpOnBothClocks() throws {
    var met: [Clock: Set<OpKind>] = [:]
    for seed in UInt64(1)...500 {
      let graph = try GraphGenerator.graph(seed)
      met[graph.clock, default: []].formUnion(graph.nodes.map { OpKind($0.op) })
    }
    #expect(OpKind.all.subtracting(met[.stream]!).isEmpty)
    #expect(OpKind.all.subtracting(met[.step]!) == OpKind.ofStreams)
  }
}
