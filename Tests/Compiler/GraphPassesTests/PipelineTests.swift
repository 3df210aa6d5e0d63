// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import Testing

@Suite struct PipelineTests {
  private static let text = """
    graph "x" stream 48000
    input src [2, frames]
    a = tanh(src * 1) + tanh(src * 1)
    b = pow(a, 2) * 1
    bad = 1 / 0
    dst = slice(b * (2 + 3) + min(a, bad), axis: 0, start: 1, count: 1)
    output dst = dst
    """

  @Test func namesDiffer() {
    #expect(Set(Pipeline.passes.map(\.name)).count == Pipeline.passes.count)
  }

  @Test func theLimitHoldsForAllPassesTogether() throws {
    let graph = try Graph(parsing: Self.text)
    let all = Pipeline().run(graph).reports.reduce(0) { $0 + $1.rewrites }
    #expect(all > 8)
    var seen: [Graph] = []
    for limit in 0...all {
      let (after, reports) = Pipeline(limit: limit).run(graph)
      #expect(reports.reduce(0) { $0 + $1.rewrites } == limit)
      seen.append(after)
    }
    #expect(seen.first == graph.canonical() && seen.last == Pipeline().run(graph).graph)
    // Each rewrite makes a difference.
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test func rulesAreCounted() throws {
    let report = try #require(
      Pipeline(only: ["algebraic-rules"]).run(Graph(parsing: Self.text)).reports.first)
    #expect(
      Set(report.rules) == [.init(name: "x * 1 → x", count: 3), .init(name: "pow(x, 2) → x * x", count: 1)])
    #expect(report.rewrites == 4)
  }

  /// Minus infinity where something is masked, of which softmax makes 0, or around a picture whose largest numbers are wanted.
  @Test(arguments: [
    ("select(src < 0, low, src)", 0), ("select(\"m\" == 0, src, \"m\" * low)", 0), ("low + src", 1),
    ("maximum(concatenate([src, broadcast(low, shape: [1])], axis: 0), axis: 0)", 0),
    ("concatenate([src, broadcast(low, shape: [1])], axis: 0)", 1),
    ("src + maximum(broadcast(low, shape: [2, 3]), axis: 1)", 1),
  ])
  func whatIsOnlyChosenMayBeInfinite(expression: String, count: Int) throws {
    let text = """
      graph "x" step 48000
      input src [2]
      weights "m" [2] = [0, 1]
      low = negate(1 / 0)
      dst = \(expression)
      output dst = dst
      """
    let notes = Pipeline().run(try Graph(parsing: text)).reports.flatMap(\.notes)
    #expect(notes.filter { $0.severity == .warning }.count == count, "\(notes)")
  }

  @Test func aConstantThatIsNotFiniteIsAWarningWithItsPlace() throws {
    let notes = Pipeline().run(try Graph(parsing: Self.text)).reports.flatMap(\.notes)
    let warnings = notes.filter { $0.severity == .warning }
    #expect(warnings.map(\.message) == ["this is inf, whatever comes in"])
    #expect(warnings.first?.subject == "bad" && warnings.first?.place?.line == 5)
  }
}
