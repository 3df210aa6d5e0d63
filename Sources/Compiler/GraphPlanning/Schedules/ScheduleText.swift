// SPDX-License-Identifier: Apache-2.0

/// The text of schedules: one line each, and those of a cycle's kernels below it.
///
///     2: 4 vectors of 16 side by side
///        while parameters change: 2 vectors of 16 side by side
///     3: wavefront of 8 loops, 2 rows side by side, each 2 frames behind the one before it
struct ScheduleText {
  let schedules: Schedules

  var lines: [String] {
    Self.section("when a stepped parameter has changed", schedules.blockCodes.map { Self.lines($0.schedule) })
      + Self.section(
        "when the last ramp has landed", schedules.settling.map { [Self.lines($0.schedule)] } ?? [])
      + Self.section("for each tile or step", schedules.steps.map(Self.lines))
  }

  private static func section(_ title: String, _ kernels: [[String]]) -> [String] {
    guard !kernels.isEmpty else { return [] }
    return [title]
      + kernels.enumerated().flatMap { index, lines in
        lines.enumerated().map { row, line in row == 0 ? "  \(index): \(line)" : "     \(line)" }
      }
  }

  private static func lines(_ step: Schedules.Step) -> [String] {
    let settled = step.settled.map { lines($0.schedule) } ?? ["nothing"]
    guard let timeVarying = step.timeVarying.map({ lines($0.schedule) }), timeVarying != settled else {
      return settled
    }
    return settled + ["while parameters change: \(timeVarying[0])"] + timeVarying.dropFirst()
  }

  private static func lines(_ schedule: Schedule) -> [String] {
    [title(schedule)] + schedule.kernels.flatMap(lines).map { "  " + $0 }
  }

  private static func title(_ schedule: Schedule) -> String {
    switch schedule {
    case .map(_, let stages): text(stages)
    case .turn(_, let width), .transposition(_, _, let width): "squares of \(width) by \(width)"
    case .fold(let fold, _) where fold.tile.isAlongTerms: "along the terms"
    case .fold(let fold, let stages):
      fold.tile.rowCount == 1 ? text(stages) : "\(fold.tile.rowCount) rows of \(text(stages))"
    case .sample: "a sample"
    case .phase(_, _, .frameByFrame): "a phase"
    case .phase(_, _, .multiplied(let stages)): "phases, multiplied: \(text(stages))"
    case .phase(_, _, .added): "phases, added up: a vector at a time"
    case .hold(let hold): "hold, a vector at a time, \(rows(hold.rowsAtOnce))"
    case .tiledLoop(let tiles): "loop, \(tiles.front.rowsAtOnce) rows in lanes"
    case .loop(let loop): "loop, \(rows(loop.rowsAtOnce))"
    case .wavefront(let wavefront): text(wavefront.front, wavefront.columns)
    case .loopByLoop: "loop by loop"
    case .frameByFrame: "frame by frame"
    case .columnByColumn: "column by column"
    case .positionByPosition: "position by position"
    case .spans(let spans): "\(spans.frames) frames at a time, vectors of \(spans.width)"
    }
  }

  private static func text(_ stages: Stages) -> String {
    let vectors =
      switch (stages.vectors, stages.width) {
      case (1, 1): "numbers"
      case (1, let width): "vectors of \(width)"
      case (let count, let width): "\(count) vectors of \(width) side by side"
      }
    return stages.endsWhole ? vectors + ", the last one whole" : vectors
  }

  private static func rows(_ count: Int) -> String {
    count == 1 ? "row by row" : "\(count) rows side by side"
  }

  private static func text(_ front: Wavefront, _ columns: WavefrontColumns?) -> String {
    let lag = front.lag == 1 ? "a frame" : "\(front.lag) frames"
    let moments = columns.map { ", \($0.moments) moments at once" } ?? ""
    return "wavefront of \(front.loops.count) loops, \(rows(min(front.rows, front.rowsAtOnce))), each \(lag) "
      + "behind the one before it\(moments)"
  }
}
