// SPDX-License-Identifier: Apache-2.0

import GradientEquipment
import GraphGradients
import GraphIR
import Legato
import ReferenceInterpreter
import TestEquipment
import Testing

/// Laws 9 and 10 over random graphs, all functions and all models: gradients are what differences say, and native code
/// computes them.
@Suite struct GradientLawTests {
  /// Graphs of steps as they are, streams bound to some frames.
  private func steps(_ graph: Graph, frames: Int) throws -> Graph {
    graph.clock == .step ? graph : try graph.bound(frames: frames)
  }

  /// The error of a stream that cannot be bound; nil where it can be.
  private func refusal(of graph: Graph) -> String? {
    do throws(TypingError) {
      _ = try graph.bound(frames: 4)
      return nil
    } catch {
      return error.description
    }
  }

  /// Law 9, in random graphs of every op, with cycles in both directions, and in batches of them.
  @Test func randomGraphs() throws {
    var (compared, skipped) = (0, 0)
    for seed in ChosenSeeds.seeds {
      let graph = try GraphGenerator.graph(seed)
      if graph.clock == .stream, let refusal = refusal(of: graph) {
        #expect(refusal.contains("in a cycle"), "\(refusal)\n\(graph)")
        continue
      }
      let step = try steps(graph, frames: 9)
      for (graph, directions) in [(step, 4), (try step.batched(by: 3), 2)] {
        let check = try checked(graph, seed: seed, directions: directions)
        compared += check.compared
        skipped += check.skipped
      }
    }
    #expect(compared > 2 * skipped, "\(compared) directions were compared, \(skipped) were not")
  }

  @Test(arguments: Function.all.map(\.name)) func function(name: String) throws {
    let graph = try #require(try FunctionExamples.graph(of: name))
    let bound = try graph.bound(frames: 7)
    // Roots and logarithms are of positive numbers.
    let positive = Dictionary(uniqueKeysWithValues: bound.inputs.map { ($0.name, 0.125...0.875) })
    let checks = try [
      checked(bound, seed: 3, directions: 6), checked(bound, seed: 3, directions: 6, ranges: positive),
    ]
    #expect(checks.contains { $0.compared > 0 })
    try expectNative(checks[0].gradient, seed: 3)
  }

  /// Law 9 over the shipped models: what comes in, and every parameter.
  @Test(arguments: ShippedModelTests.names) func model(name: String) throws {
    var graph = try ShippedModelTests().graph(name, extent: 1, sampleRate: 8000)
    var frames = 40
    // A delay by a signal in a feedback is bound in steps no longer than it, whose state, a short one, is an input.
    let isPiece = refusal(of: graph) != nil
    if isPiece {
      graph = try ShippedModelTests().graph(name, extent: 1, sampleRate: 800)
      let delays = graph.nodes.compactMap { node -> Int? in
        if case .tap(let tap) = node.op, tap.minimum > 0 { tap.minimum } else { nil }
      }
      frames = min(frames, try #require(delays.min()))
    }
    let step = try graph.bound(frames: frames, carryingState: isPiece).releasing(graph.parameters.map(\.name))
    let ranges = graph.parameters.map { ($0.name, Double($0.minimum)...Double($0.maximum)) }
    let check = try checked(
      step, seed: 5, directions: 6, ranges: Dictionary(uniqueKeysWithValues: ranges))
    #expect((check.compared > 0) != Self.jumping.contains(name))
    try expectNative(check.gradient, seed: 5)
  }

  /// Models that jump, or have a kink, on each little way through all of their parameters.
  private static let jumping: Set<String> = ["bitcrusher.json", "limiter.json"]

  /// Law 10: native code computes the gradient. Of some, all other laws: a gradient is a graph like any other.
  @Test(arguments: ChosenSeeds.seeds) func nativeGradient(seed: UInt64) throws {
    let graph = try GraphGenerator.graph(seed)
    guard graph.clock == .step || refusal(of: graph) == nil else { return }
    let gradient = try GradientCheck(steps(graph, frames: 9), seed: seed).gradient
    guard ChosenSeeds.seeds.prefix(10).contains(seed) else { return try expectNative(gradient, seed: seed) }
    try Laws(LawCase(label: "gradient of seed \(seed)", graph: gradient, seed: seed)).check(seed: seed)
  }

  private func expectNative(_ gradient: Graph, seed: UInt64) throws {
    let example = LawCase(label: gradient.name, graph: gradient, seed: seed)
    let stimulus = example.stimulus
    let reference = ReferenceInterpreter(gradient.canonical()).run(
      inputs: stimulus.inputs, frames: stimulus.frames, events: stimulus.changes)
    let native = try NativeRun(gradient).outputs(of: stimulus, blocks: [stimulus.frames])
    example.expectInside(native, reference, "native code computes the gradient")
  }

  private func checked(
    _ graph: Graph, seed: UInt64, directions: Int, ranges: [String: ClosedRange<Double>] = [:]
  ) throws -> GradientCheck {
    var check = try GradientCheck(graph, seed: seed, ranges: ranges)
    let violations = Verifier.violations(in: check.gradient)
    #expect(violations.isEmpty, "\(violations)\n\(graph)")
    check.compare(directions: directions)
    #expect(check.worst <= 1e-6, "off by \(check.worst)\n\(graph)")
    return check
  }
}
