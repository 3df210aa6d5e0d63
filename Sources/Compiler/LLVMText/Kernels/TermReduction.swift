// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes the sums of a tile's results whose terms are vectors, or the largest of them: in each lane a way of combining them.
///
///     Σ  x0 x1 x2 x3 | x4 x5 x6 x7 | x8 x9           four ways of ten terms, the last vector masked
///     →  s0 s1 s2 s3
///     →  s0 + s2, s1 + s3  →  (s0 + s2) + (s1 + s3)
///
/// Where a vector has fewer lanes than there are ways, some of them side by side are the ways. Rows of a tile have vectors of
/// one operand in common.
struct TermReduction {
  /// An operand: the addresses of its first terms, one where all rows read the same, and how far rows are behind them.
  private struct Operand {
    let access: Access
    var addresses: [String]
    /// Bytes from one row to the next; nil where each has an address.
    let distance: Int?
  }

  private let emitter: KernelEmitter
  private let fold: FoldKernel
  private let operands: [Operand]
  private let ways = Limits.ways
  private let lanes: Int
  private var builder: FunctionBuilder { emitter.builder }

  /// - Parameter position: That of the results along the innermost axis.
  init(_ emitter: KernelEmitter, _ fold: FoldKernel, _ rows: [[String]], at position: StagePosition) {
    self.emitter = emitter
    self.fold = fold
    lanes = min(ways, emitter.plan.target.lanes)
    operands = [fold.left, fold.right].compactMap(\.self).map { access in
      let distance = fold.tile.rowAxis.map { emitter.distance(access, along: $0) } ?? 0
      let addresses = (distance == nil ? rows : [rows[0]]).map { row in
        let address = emitter.address(access, row + ["0"])
        return emitter.isScalar(access) ? address : emitter.strided(access, address, position)
      }
      return Operand(access: access, addresses: addresses, distance: distance)
    }
  }

  /// - Parameter begun: the numbers that the first ways of the rows begin with.
  func results(from begun: [Lanes]) -> [Lanes] {
    let extent = fold.reduced[0]
    let whole = extent / ways * ways
    var results: [Lanes] = []
    builder.inVectors(of: lanes) {
      // Way by way, those of all rows.
      results = (0..<ways / lanes).flatMap { way in begun.map { begin(way == 0 ? $0[0] : nil) } }
      if whole > 0 {
        results = builder.loop(to: String(whole), step: ways, carrying: results) { index, results in
          taking(ways, from: index, results, rows: begun.count)
        }
      }
      results = taking(extent - whole, from: String(whole), results, rows: begun.count)
      while results.count > begun.count {
        let half = results.count / 2
        results = (0..<half).map { combine(results[$0], results[half + $0]) }
      }
    }
    return results.map { builder.halved($0, combine) }
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

  /// Takes so many terms of each row, one into each way.
  private func taking(_ count: Int, from first: String, _ results: [Lanes], rows: Int) -> [Lanes] {
    let operands = operands.map { operand in
      var operand = operand
      operand.addresses = operand.addresses.map { builder.address($0, floats: first) }
      return operand
    }
    return stride(from: 0, to: results.count, by: rows).flatMap { begin in
      let results = Array(results[begin..<begin + rows])
      let vector = begin / rows
      let left = count - vector * lanes
      guard left > 0 else { return results }
      let mask = left < lanes ? builder.mask(first: left) : nil
      let position = StagePosition(index: "0", vectors: 1, mask: mask)
      let shared = operands.map { $0.distance == 0 ? load($0, row: 0, vector, at: position) : nil }
      return results.enumerated().map { row, result in
        let terms = zip(operands, shared).map { operand, shared in
          shared ?? load(operand, row: row, vector, at: position)
        }
        if terms.count > 1 { return builder.fma(terms[1], terms[0], result) }
        guard let mask, case .maximum = fold.combination else { return combine(result, terms[0]) }
        // The zeros of lanes without a term are none.
        let isTerm = Lanes(names: [mask], element: .i1, width: lanes)
        return builder.select(isTerm, combine(result, terms[0]), result)
      }
    }
  }

  /// The terms of a row that are in a vector.
  private func load(_ operand: Operand, row: Int, _ vector: Int, at position: StagePosition) -> Lanes {
    let address =
      operand.distance.map { distance in
        builder.address(
          operand.addresses[0],
          bytes: emitter.number(row * distance, of: operand.access, along: fold.tile.rowAxis))
      } ?? operand.addresses[row]
    return builder.load(builder.address(address, floats: String(vector * lanes)), at: position)
  }
}
