// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes a fold: tiles of accumulators in registers over the reduced axes, then the epilogue, row by row.
///
///     for lines, for rows of the tile                  all tiles, then one of the rows that are left
///       for stages of frames                           full stages, then one vector at a time
///         accumulators = bias
///         for taps, for channels                       in this order, wherever a result falls
///           load vectors, broadcast weights, multiply and add
///         for each row: epilogue
///
/// Where all that it reads and writes stands in the workspace, the last vector is a whole one and goes beyond the last
/// frame: with one vector a stage there is one code for all. A caller's memory ends with its last frame; there the last
/// vector is masked, and so it is where something is counted.
struct FoldEmission {
  let emitter: KernelEmitter
  let fold: FoldKernel
  private let stages: Stages
  private let body: MapBody
  var builder: FunctionBuilder { emitter.builder }

  init(_ emitter: KernelEmitter, _ fold: FoldKernel, _ stages: Stages) {
    self.emitter = emitter
    self.fold = fold
    self.stages = stages
    body = MapBody(emitter, fold.epilogue)
  }

  private var tile: FoldTile { fold.tile }

  func emit() {
    var extents = fold.space.extents
    guard let axis = tile.rowAxis else {
      return emitter.rounds(of: fold.space) { emit(lines: [[$0]]) }
    }
    extents[axis] = 1
    let steps = tile.lineAxis.map { [$0: tile.lines] } ?? [:]
    emitter.rounds(of: fold.space, extents, inSteps: steps) { indices in
      let lines = (0..<tile.lines).map { line in
        tile.lineAxis.map { Self.round(indices, $0, emitter.add(indices[$0], line)) } ?? indices
      }
      emitter.rowGroups(of: fold.space.extents[axis], by: tile.rows) { rows in
        emit(lines: lines.map { line in rows.map { Self.round(line, axis, $0) } })
      }
    }
  }

  /// The round with another index of an axis.
  private static func round(_ indices: [String], _ axis: Int, _ index: String) -> [String] {
    var indices = indices
    indices[axis] = index
    return indices
  }

  /// Writes all stages of the rows of some lines, given by the indices of their rounds.
  private func emit(lines: [[[String]]]) {
    emitter.inner(fold.space, stages) { position in
      let begun = lines.flatMap { beginning($0, at: position) }
      let results =
        tile.isAlongTerms
        ? TermReduction(emitter, fold, lines[0], at: position).results(from: begun)
        : FoldReduction(emitter, fold, lines, at: position).sums(from: begun)
      let value = emitter.graph[fold.node].result
      let rounds = lines.flatMap { body.rounds($0, along: tile.rowAxis) }
      for (round, result) in zip(rounds, results) {
        body.compute(round, at: position, given: [value: ended(result)])
      }
    }
  }

  /// A result: of zeros of both signs, whose order is up to the tile, the largest is +0.
  private func ended(_ result: Lanes) -> Lanes {
    switch fold.combination {
    case .sum: result
    case .maximum: builder.add(result, builder.constant(0))
    }
  }

  private func beginning(_ rows: [[String]], at position: StagePosition) -> [Lanes] {
    func spread(_ first: Lanes) -> Lanes {
      let names = (0..<position.vectors).map { first[$0] }
      return Lanes(names: names, element: first.element, width: first.width)
    }
    switch fold.combination {
    case .sum:
      guard let bias = fold.bias else { return rows.map { _ in spread(builder.constant(0)) } }
      return emitter.addresses(bias, rows, along: tile.rowAxis).map {
        spread(emitter.load(bias, $0, at: position))
      }
    // Not a number gives way to whatever comes.
    case .maximum: return rows.map { _ in spread(builder.constant(.nan)) }
    }
  }
}
