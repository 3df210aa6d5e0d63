// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR

/// The random graphs that the laws are checked with: few that have in them what many have.
///
///     seeds 1 … 160 ─▶ ops, and what reads them, on each clock ─▶ the seed that adds most, then of the rest, …
///
/// `LEGATO_SEEDS=5000` takes that many one after the other, `LEGATO_FIRST_SEED=77` others than the first.
enum ChosenSeeds {
  private static let count = 48
  private static let candidates = UInt64(1)...160

  /// An op by itself, with calm or wild input, or with one that reads it.
  private struct Feature: Hashable {
    let clock: Clock
    let op: OpKind
    let reader: OpKind?
    let isWild: Bool
  }

  /// Whether others are asked for.
  static var isAsked: Bool { number("LEGATO_SEEDS") != nil || number("LEGATO_FIRST_SEED") != nil }

  private static func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init)
  }

  /// From the one that has most in it on.
  static let seeds: [UInt64] = {
    let (asked, first) = (number("LEGATO_SEEDS"), number("LEGATO_FIRST_SEED"))
    if isAsked { return Array((first ?? 1)..<(first ?? 1) + (asked ?? 80)) }
    var left = candidates.compactMap { seed in
      (try? GraphGenerator.graph(seed)).map { graph in
        (seed: seed, features: features(of: graph, isWild: LawCase.isWild(seed)))
      }
    }
    let chosen = (1..<count).map { _ in
      let best = left.indices.max { left[$0].features.count < left[$1].features.count }!
      let (seed, met) = left.remove(at: best)
      for index in left.indices { left[index].features.subtract(met) }
      return seed
    }
    // A loop that reads a number of parameters alone of the one before it: it was compiled wrongly.
    return chosen + [173]
  }()

  /// How many features graphs have in them together.
  static func features(of seeds: some Sequence<UInt64>) throws -> Int {
    try seeds.reduce(into: Set()) {
      $0.formUnion(features(of: try GraphGenerator.graph($1), isWild: LawCase.isWild($1)))
    }.count
  }

  private static func features(of graph: Graph, isWild: Bool) -> Set<Feature> {
    var features: Set<Feature> = []
    for node in graph.nodes {
      let kind = OpKind(node.op)
      features.insert(Feature(clock: graph.clock, op: kind, reader: nil, isWild: isWild))
      for operand in node.operands {
        let read = OpKind(graph.definition(of: operand).op)
        features.insert(Feature(clock: graph.clock, op: read, reader: kind, isWild: false))
      }
    }
    return features
  }
}
