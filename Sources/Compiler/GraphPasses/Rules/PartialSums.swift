// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Pass {
  /// Adds the terms of a sum that feeds back at once, or whose terms lie side by side in a step, in several ways.
  ///
  ///     %3 = dense(%2, w, axis: 0)               of 64 rows of 16 terms, %2 of a frame earlier
  /// →
  ///     %3 = dense(%2, w, axis: 0, ways: 2)
  ///
  /// Each term of a sum waits for the one before it, and in a loop from frame to frame nothing else is left to be done
  /// meanwhile: two partial sums take half of the time. A single sum has its terms side by side, a lane for each of 16
  /// ways, in any graph of steps, too; and so have the many sums over a last axis of more than a few numbers, which would
  /// otherwise be transposed first, and layers of few rows whose weights are given with each step. Where a matrix has so many
  /// rows that they keep a core busy, and outside of such loops, sums stay as they are.
  ///
  /// The terms are added in another order: this pass may change bits. What an author wrote in several ways stays so.
  package static let partialSums = Pass(
    name: "partial-sums",
    summary: "adds terms of a sum that feeds back at once, or that lie side by side, in several ways"
  ) { graph, context in
    let loops = graph.closeLoops()
    for id in graph.nodeIDs {
      let node = graph[id]
      let (extents, results) = (
        graph.shape(of: node.operands.first ?? node.result).fixed, graph.shape(of: node.result).count
      )
      guard let axis = node.op.axisOfTerms(among: extents.count) else { continue }
      let ways: Int
      if loops[id] != nil || (graph.clock == .step && results == 1) {
        ways = Self.ways(ofTerms: extents[axis], results: results)
      } else if graph.clock == .step, case .reduction = node.op.kind, axis == extents.count - 1,
        extents[axis] >= Limits.fewestTermsInVectors
      {
        ways = Limits.ways
      } else if graph.goesAlongTerms(node, axis: axis) {
        ways = Limits.ways
      } else {
        continue
      }
      guard ways > 1, context.mayRewrite() else { continue }
      graph[id].op = node.op.added(inWays: ways)
    }
  }

  /// The most results that wait for their terms: more of them, side by side, keep a core busy meanwhile.
  private static let mostResults = 64
  /// The fewest terms of which two partial sums are worth being added up.
  private static let fewestTerms = 8

  private static func ways(ofTerms count: Int, results: Int) -> Int {
    if results == 1 { return count >= Limits.ways ? Limits.ways : 1 }
    return results <= mostResults && count >= fewestTerms ? 2 : 1
  }
}

extension Op {
  /// The axis of the terms of a sum that is added in one way; nil of anything else.
  ///
  /// - Parameter axisCount: how many axes its first operand has.
  fileprivate func axisOfTerms(among axisCount: Int) -> Int? {
    switch kind {
    case .reduction(.sum(ways: 1), let axis), .layer(.dense(let axis, ways: 1)): axis
    case .contraction(ways: 1): axisCount - 1
    case .given, .elementwise, .movement, .reduction, .layer, .contraction, .time, .source: nil
    }
  }

  fileprivate func added(inWays ways: Int) -> Op {
    switch kind {
    case .reduction(.sum, let axis): .sum(axis: axis, ways: ways)
    case .layer(.dense(let axis, _)): .dense(axis: axis, ways: ways)
    case .contraction: .contraction(ways: ways)
    case .given, .elementwise, .movement, .reduction, .layer, .time, .source: self
    }
  }
}

extension Graph {
  /// The most rows of which a layer's outputs are computed along their terms, and the terms for each of several ones; more
  /// of them, side by side, fill vectors.
  private static let (mostRowsAlongTerms, termsOfARow) = (12, 12)
  /// The fewest terms of which vectors that are half empty take no longer than a transposed copy of a large weight.
  private static let fewestTermsAlong = 8

  /// Whether a layer of a step reads the lines of its weight in vectors: of a weight that is computed, or given with each
  /// step, which would else be transposed, and where the input has one row, or few ones for as many terms.
  fileprivate func goesAlongTerms(_ node: Node, axis: Int) -> Bool {
    guard clock == .step, node.op.layer != nil else { return false }
    let (x, weight) = (shape(of: node.operands[0]).fixed, node.operands[1])
    let rows = x.dropLast().reduce(1, *)
    guard axis == x.count - 1, x[axis] >= Self.fewestTermsAlong,
      rows == 1 || rows <= min(Self.mostRowsAlongTerms, x[axis] / Self.termsOfARow)
    else { return false }
    return !definition(of: weight).op.isFixed && !isTransposed(weight)
  }

  /// Whether a value is a transposed one, or a view of such, whose lines do not lie side by side.
  private func isTransposed(_ value: ValueID) -> Bool {
    let node = definition(of: value)
    switch node.op.kind {
    case .movement(.transpose): return true
    case .movement(.reshape), .movement(.slice): return isTransposed(node.operands[0])
    case .movement, .given, .elementwise, .reduction, .layer, .contraction, .time, .source: return false
    }
  }
}
