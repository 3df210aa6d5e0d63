// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes the loops over the reduced axes of a fold for one tile, with its accumulators in registers.
///
///     s0 += term 0, s1 += term 1, s0 += term 2 …       a sum in two ways: the terms by turns, then s0 + s1
///
/// A pointer for each operand goes along, and one for each row only where rows stand anywhere in memory: what a loop
/// does not change is computed outside it, so that the innermost loop adds a constant to its pointers, and rows are
/// constants behind them.
struct FoldReduction {
  /// An operand of the fold: its access, and the addresses of its rows.
  private struct Operand {
    let access: Access
    /// The rows whose beginnings are pointers: those of each line, or of one where all lines read the same; the first one
    /// alone where the others are constants behind it.
    let rows: [[String]]
    /// Bytes from one row of a line to the next; 0 where all rows read the same, nil where each has a pointer.
    let distance: Int?
    /// Whether all lines read the same.
    let isSameInLines: Bool
    /// How many reduced axes have to be known before the rest of the way is a constant distance for each round.
    let anchor: Int
  }

  private let emitter: KernelEmitter
  private let fold: FoldKernel
  private let left: Operand
  private let right: Operand?
  /// What is fetched for later, and its numbers for each term.
  private let ahead: (operand: Operand, numbers: Int)?
  private let position: StagePosition
  /// How many lines there are, and rows of each.
  private let (lines, rows): (Int, Int)
  private var builder: FunctionBuilder { emitter.builder }

  /// - Parameter lines: the indices of the rows of each line.
  init(_ emitter: KernelEmitter, _ fold: FoldKernel, _ lines: [[[String]]], at position: StagePosition) {
    self.emitter = emitter
    self.fold = fold
    self.position = position
    (self.lines, rows) = (lines.count, lines[0].count)
    let (rowAxis, lineAxis) = (fold.tile.rowAxis, fold.tile.lineAxis)
    func operand(_ access: Access) -> Operand {
      let distance = rowAxis.map { emitter.distance(access, along: $0) } ?? 0
      let isSame = lineAxis.map { emitter.distance(access, along: $0) == 0 } ?? true
      let read = isSame ? [lines[0]] : lines
      return Operand(
        access: access, rows: distance == nil ? read.flatMap(\.self) : read.map { $0[0] }, distance: distance,
        isSameInLines: isSame, anchor: emitter.anchor(of: access, reduced: fold.reduced.count))
    }
    left = operand(fold.left)
    right = fold.right.map(operand)
    ahead = fold.ahead.map { access, numbers in
      let anchor = emitter.anchor(of: access, reduced: fold.reduced.count)
      return (
        Operand(access: access, rows: [lines[0][0]], distance: 0, isSameInLines: true, anchor: anchor),
        numbers
      )
    }
  }

  /// The accumulators after all rounds of the reduced axes.
  func sums(from begun: [Lanes]) -> [Lanes] {
    let (lefts, rights) = (pointers(of: left, []), right.map { pointers(of: $0, []) } ?? [])
    let ways = fold.combination.ways
    let aheads = ahead.map { pointers(of: $0.operand, []) } ?? []
    return ways == 1 ? reduce([], lefts, rights, aheads, begun) : byTurns(ways, lefts, rights, begun)
  }

  /// The sums of partial sums to which the terms of the one reduced axis are added by turns.
  private func byTurns(_ ways: Int, _ lefts: [String], _ rights: [String], _ begun: [Lanes]) -> [Lanes] {
    let (extent, results) = (fold.reduced[0], begun.count)
    let whole = extent / ways * ways
    let zeros = begun.map { sum in
      Lanes(names: sum.names.map { _ in builder.constant(0)[0] }, element: sum.element, width: sum.width)
    }
    /// Adds some terms from one on, each to a partial sum of its own; those of a partial sum follow each other.
    func adding(_ count: Int, from first: String, _ sums: [Lanes]) -> [Lanes] {
      let (a, b) = (advance(left, lefts, [first]), right.map { advance($0, rights, [first]) } ?? [])
      return (0..<ways).flatMap { way in
        let sums = Array(sums[way * results..<(way + 1) * results])
        guard way < count else { return sums }
        return step(behind(a, left, first, way), right.map { behind(b, $0, first, way) } ?? [], sums)
      }
    }
    var sums = begun + (1..<ways).flatMap { _ in zeros }
    if whole > 0 {
      sums = builder.loop(to: String(whole), step: ways, carrying: sums) { adding(ways, from: $0, $1) }
    }
    if whole < extent { sums = adding(extent - whole, from: String(whole), sums) }
    while sums.count > results {
      let half = sums.count / 2
      sums = (0..<half).map { builder.add(sums[$0], sums[half + $0]) }
    }
    return sums
  }

  /// The pointers so many rounds of the one reduced axis further than those of one.
  private func behind(_ pointers: [String], _ operand: Operand, _ first: String, _ rounds: Int) -> [String] {
    let axis = fold.space.extents.count
    guard rounds > 0 else { return pointers }
    guard let distance = emitter.distance(operand.access, along: axis) else {
      return self.pointers(of: operand, [emitter.add(first, rounds)])
    }
    let bytes = emitter.number(rounds * distance, of: operand.access, along: axis)
    return pointers.map { builder.address($0, bytes: bytes) }
  }

  /// - Parameter lefts, rights, aheads: addresses of the operands, once their way is known so far; empty before.
  private func reduce(
    _ indices: [String], _ lefts: [String], _ rights: [String], _ aheads: [String], _ accumulators: [Lanes]
  ) -> [Lanes] {
    let level = indices.count
    guard level < fold.reduced.count else {
      if let ahead {
        for first in stride(from: 0, to: ahead.numbers, by: Self.floatsOfLine) {
          builder.fetch(builder.address(aheads[0], floats: String(first)))
        }
      }
      return step(lefts, rights, accumulators)
    }
    func inside(_ index: String, _ accumulators: [Lanes]) -> [Lanes] {
      let all = indices + [index]
      return reduce(
        all, advance(left, lefts, all), right.map { advance($0, rights, all) } ?? [],
        ahead.map { advance($0.operand, aheads, all) } ?? [], accumulators)
    }
    return builder.loop(to: String(fold.reduced[level]), carrying: accumulators) { inside($0, $1) }
  }

  /// Numbers of a cache line.
  private static let floatsOfLine = 16

  private func step(_ lefts: [String], _ rights: [String], _ accumulators: [Lanes]) -> [Lanes] {
    // Vectors first: they are used by every row, and a row's broadcast by its own alone.
    let vectors = left.distance == 0 ? loads(left, lefts, row: 0) : nil
    let shared = right.flatMap { $0.distance == 0 ? loads($0, rights, row: 0) : nil }
    var results = accumulators
    for row in 0..<rows {
      let a = vectors ?? loads(left, lefts, row: row)
      let b = right.map { shared ?? loads($0, rights, row: row) }
      for line in 0..<lines {
        let sum = accumulators[line * rows + row]
        results[line * rows + row] =
          switch fold.combination {
          case .sum: b.map { builder.fma($0[line], a[line], sum) } ?? builder.add(sum, a[line])
          case .maximum: builder.maximum(sum, a[line])
          }
      }
    }
    return results
  }

  /// The numbers that a row reads, line by line; loaded once where all lines read the same.
  private func loads(_ operand: Operand, _ pointers: [String], row: Int) -> [Lanes] {
    if operand.isSameInLines {
      return [Lanes](repeating: load(operand, pointers, row: row, ofLine: 0), count: lines)
    }
    return (0..<lines).map { load(operand, pointers, row: row, ofLine: $0) }
  }

  private func load(_ operand: Operand, _ pointers: [String], row: Int, ofLine line: Int) -> Lanes {
    var position = position
    let address =
      operand.distance.map { distance in
        builder.address(
          pointers[line],
          bytes: emitter.number(row * distance, of: operand.access, along: fold.tile.rowAxis))
      } ?? pointers[line * rows + row]
    // The way along the innermost axis is in the address.
    position.index = "0"
    return emitter.load(operand.access, address, at: position)
  }

  // MARK: Pointers

  /// The beginnings of the rows as soon as enough reduced axes are known; until then none.
  private func pointers(of operand: Operand, _ known: [String]) -> [String] {
    guard known.count == operand.anchor else { return [] }
    let rest = [String](repeating: "0", count: fold.reduced.count - known.count)
    let addresses = operand.rows.map { emitter.address(operand.access, $0 + known + rest) }
    guard !emitter.isScalar(operand.access) else { return addresses }
    return addresses.map { emitter.strided(operand.access, $0, position) }
  }

  private func advance(_ operand: Operand, _ pointers: [String], _ known: [String]) -> [String] {
    guard known.count > operand.anchor else { return self.pointers(of: operand, known) }
    let axis = fold.space.extents.count + known.count - 1
    let bytes = emitter.distance(operand.access, along: axis)!
    let distance = emitter.multiply(known[known.count - 1], bytes, of: operand.access, along: axis)
    return pointers.map { builder.address($0, bytes: distance) }
  }
}
