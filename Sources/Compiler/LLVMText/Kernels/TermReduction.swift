// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes the sum of one result whose terms are vectors, or the largest of them: in each lane a way of combining them.
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
  private let position: StagePosition
  private let ways = Limits.ways
  private let lanes: Int
  private var builder: FunctionBuilder { emitter.builder }

  /// - Parameter position: That of the result along the innermost axis.
  init(_ emitter: KernelEmitter, _ fold: FoldKernel, _ round: [String], at position: StagePosition) {
    (self.emitter, self.fold, self.round, self.position) = (emitter, fold, round, position)
    lanes = min(ways, emitter.plan.target.lanes)
  }

  /// - Parameter begun: the number that the first way begins with.
  func result(from begun: Lanes) -> Lanes {
    let addresses = [fold.left, fold.right].compactMap(\.self).map { access in
      let address = emitter.address(access, round + ["0"])
      return emitter.isScalar(access) ? address : emitter.strided(access, address, position)
    }
    let extent = fold.reduced[0]
    let whole = extent / ways * ways
    var results: [Lanes] = []
    builder.inVectors(of: lanes) {
      results = (0..<ways / lanes).map { begin($0 == 0 ? begun[0] : nil) }
      if whole > 0 {
        results = builder.loop(to: String(whole), step: ways, carrying: results) { index, results in
          taking(ways, from: addresses.map { builder.address($0, floats: index) }, results)
        }
      }
      let rest = addresses.map { builder.address($0, floats: String(whole)) }
      results = taking(extent - whole, from: rest, results)
      while results.count > 1 {
        let half = results.count / 2
        results = (0..<half).map { combine(results[$0], results[half + $0]) }
      }
    }
    return builder.halved(results[0], combine)
  }

  /// The lanes before the first term.
  private func begin(_ first: String?) -> Lanes {
    switch fold.combination {
    case .sum: first.map { builder.gathered([$0]) } ?? builder.constant(0)
    case .maximum: builder.constant(.nan)
    }
  }

  private func combine(_ a: Lanes, _ b: Lanes) -> Lanes {
    switch fold.combination {
    case .sum: builder.add(a, b)
    case .maximum: builder.maximum(a, b)
    }
  }

  /// Takes so many terms, one into each way.
  private func taking(_ count: Int, from addresses: [String], _ results: [Lanes]) -> [Lanes] {
    results.enumerated().map { vector, result in
      let left = count - vector * lanes
      guard left > 0 else { return result }
      let mask = left < lanes ? builder.mask(first: left) : nil
      let position = StagePosition(index: "0", vectors: 1, mask: mask)
      let terms = addresses.map {
        builder.load(builder.address($0, floats: String(vector * lanes)), at: position)
      }
      if terms.count > 1 { return builder.fma(terms[1], terms[0], result) }
      guard let mask, case .maximum = fold.combination else { return combine(result, terms[0]) }
      // The zeros of lanes without a term are none.
      let isTerm = Lanes(names: [mask], element: .i1, width: lanes)
      return builder.select(isTerm, combine(result, terms[0]), result)
    }
  }
}
