// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes the sum of one result whose terms are vectors: in each lane a way of adding them.
///
///     Σ  x0 x1 x2 x3 | x4 x5 x6 x7 | x8 x9           four ways of ten terms, the last vector masked
///     →  s0 s1 s2 s3
///     →  s0 + s2, s1 + s3  →  (s0 + s2) + (s1 + s3)
///
/// Where a vector has fewer lanes than there are ways, some of them side by side are the ways.
struct TermReduction {
  private let emitter: KernelEmitter
  private let fold: FoldKernel
  private let round: [String]
  private let ways: Int
  private let lanes: Int
  private var builder: FunctionBuilder { emitter.builder }

  init(_ emitter: KernelEmitter, _ fold: FoldKernel, _ round: [String]) {
    self.emitter = emitter
    self.fold = fold
    self.round = round
    ways = fold.combination.ways
    lanes = min(ways, emitter.plan.target.lanes)
  }

  /// - Parameter begun: the number that the first way begins with.
  func sum(from begun: Lanes) -> Lanes {
    let addresses = [fold.left, fold.right].compactMap(\.self).map { emitter.address($0, round + ["0"]) }
    let extent = fold.reduced[0]
    let whole = extent / ways * ways
    var sums: [Lanes] = []
    builder.inVectors(of: lanes) {
      sums = (0..<ways / lanes).map { $0 == 0 ? builder.gathered([begun[0]]) : builder.constant(0) }
      if whole > 0 {
        sums = builder.loop(to: String(whole), step: ways, carrying: sums) { index, sums in
          adding(ways, from: addresses.map { builder.address($0, floats: index) }, sums)
        }
      }
      let rest = addresses.map { builder.address($0, floats: String(whole)) }
      sums = adding(extent - whole, from: rest, sums)
      while sums.count > 1 {
        let half = sums.count / 2
        sums = (0..<half).map { builder.add(sums[$0], sums[half + $0]) }
      }
    }
    return builder.halved(sums[0])
  }

  /// Adds so many terms, one to each way.
  private func adding(_ count: Int, from addresses: [String], _ sums: [Lanes]) -> [Lanes] {
    sums.enumerated().map { vector, sum in
      let left = count - vector * lanes
      guard left > 0 else { return sum }
      let position = StagePosition(
        index: "0", vectors: 1, mask: left < lanes ? builder.mask(first: left) : nil)
      let terms = addresses.map {
        builder.load(builder.address($0, floats: String(vector * lanes)), at: position)
      }
      return terms.count > 1 ? builder.fma(terms[1], terms[0], sum) : builder.add(sum, terms[0])
    }
  }
}
