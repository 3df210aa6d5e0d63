// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import Legato
import NativeCode
import TestEquipment
import Testing

/// A graph that warms up, before one that begins with the first frame: both are rendered one after the other, whatever
/// they are.
@Suite struct ColdStartLawTests {
  @Test(arguments: 0..<24) func halvesAreRenderedOneAfterTheOther(seed: UInt64) throws {
    var first = try Self.stream(1 + 10 * seed)
    var second = try Self.stream(6 + 10 * seed)
    (first.prewarm, second.prewarm) = (100, 0)
    first.origins.warmed = Set(first.nodes.filter { !$0.op.isLeaf }.map(\.result))

    var assembler = GraphAssembler(name: "both", clock: .stream, sampleRate: 48_000)
    let inputs = first.inputs.map { assembler.input("a.\($0.name)", $0.type) }
    let made = try assembler.splice(first, inputs: inputs, prefix: "a.", weights: [:])
    // An input of the second one is an output of the first one where that fits, or one of its own.
    let sources = second.inputs.map { port in first.outputs.firstIndex { first[$0.value].type == port.type } }
    let between = zip(second.inputs, sources).map { port, source in
      source.map { made[$0] } ?? assembler.input("b.\(port.name)", port.type)
    }
    let values = try assembler.splice(second, inputs: between, prefix: "b.", weights: [:])
    for (index, value) in values.enumerated() { assembler.output("y\(index)", value) }
    var both = assembler.finished()
    both.prewarm = 100
    both = both.startingCold()
    #expect(Verifier.violations(in: both).isEmpty)

    var random = SplitMix(seed: seed)
    func rows(_ graph: Graph, _ port: Int) -> Int { graph.inputs[port].type.shape.count }
    func sound() -> [Float] { (0..<Self.frames).map { _ in random.float(-1, 1) } }
    let firstRows = first.inputs.indices.flatMap { (0..<rows(first, $0)).map { _ in sound() } }
    let heard = try Self.outputs(first, firstRows)
    var (secondRows, ownRows) = ([[Float]](), [[Float]]())
    for (port, source) in sources.enumerated() {
      if let source {
        let before = first.outputs[..<source].reduce(0) { $0 + first.shape(of: $1.value).count }
        secondRows += heard[before..<before + rows(second, port)]
      } else {
        let own = (0..<rows(second, port)).map { _ in sound() }
        secondRows += own
        ownRows += own
      }
    }
    let alone = try Self.outputs(second, secondRows)
    let together = try Self.outputs(both, firstRows + ownRows)
    for (one, other) in zip(together, alone) {
      let differs = one.indices.first { one[$0] != other[$0] && !(one[$0].isNaN && other[$0].isNaN) }
      #expect(differs == nil, "at frame \(differs ?? 0)\n\(both)")
    }
  }

  private static let frames = 300

  /// A stream of a seed, or of one of the next ones, which is not early.
  private static func stream(_ seed: UInt64) throws -> Graph {
    for seed in seed... where !seed.isMultiple(of: 3) {
      let graph = try GraphGenerator.graph(seed)
      if graph.clock == .stream { return graph.canonical() }
    }
    preconditionFailure("no seed makes a stream")
  }

  /// No pass changes a bit.
  private static func outputs(_ graph: Graph, _ inputs: [[Float]]) throws -> [[Float]] {
    let run = try NativeRun(graph, options: CompileOptions(target: .host(), pipeline: .none))
    return try run.outputs(of: Stimulus(inputs: inputs, frames: frames))
  }
}
