// SPDX-License-Identifier: Apache-2.0

internal import GraphPasses
internal import GraphPlanning
internal import NativeCode

/// Graphs of several ops: fused beside unfused, and beside calls of primitives.
struct GraphRows {
  let options: Options
  let race: Race
  let table: Table

  private struct Row {
    /// The comparison of the graph besides itself without fusion.
    enum Comparison {
      /// A cycle has no primitives, and a program for another target no equals among them.
      case none
      /// One op is one primitive: nothing is to be gained.
      case onePrimitive
      case primitives
    }

    let name: String
    let text: String
    var frames = 128
    /// The target that code is made for; nil for this machine.
    var level: String?
    var comparison = Comparison.primitives
    /// Whether a quick run does without it.
    var isSlowToCompile = false
  }

  private static let rows: [Row] = {
    var rows = [
      Row(name: "graph copy", text: Models.copy, comparison: .onePrimitive),
      Row(name: "graph one op", text: Models.stream(1, "dst = tanh(src)"), comparison: .onePrimitive),
    ]
    for (channels, name) in [(1, "mono"), (2, "stereo")] {
      for count in [1, 2, 4, 8, 16, 32, 64] {
        rows.append(
          Row(
            name: "graph chain of \(count), \(name)", text: Models.chain(count, channels: channels),
            isSlowToCompile: count > 8 && !(count == 64 && channels == 1)))
      }
    }
    rows.append(
      Row(name: "graph chain of 8, stereo 512", text: Models.chain(8, channels: 2), frames: 512))
    for count in [2, 4, 8, 16, 32, 64] {
      rows.append(Row(name: "graph mix of \(count)", text: Models.mix(count)))
    }
    for count in [1, 4, 16] {
      rows.append(Row(name: "graph diamonds \(count)", text: Models.diamonds(count)))
    }
    return rows + [
      Row(name: "graph tone shaping", text: Models.toneShaping),
      Row(name: "graph echo", text: Models.echo),
      Row(name: "graph feedback echo", text: Models.feedbackEcho, comparison: .none),
      Row(name: "graph widener", text: Models.widener),
      Row(name: "graph residual layer", text: Models.residualLayer),
    ] + ["x86-64-v3", "x86-64"].flatMap(rows(level:))
  }()

  /// Rows of other machines' code, where this one runs it.
  private static func rows(level: String) -> [Row] {
    [
      ("chain of 8, stereo", Models.chain(8, channels: 2)), ("mix of 16", Models.mix(16)),
      ("diamonds 4", Models.diamonds(4)), ("tone shaping", Models.toneShaping),
    ].map { Row(name: "graph \($0.0), \(level)", text: $0.1, level: level, comparison: .none) }
  }

  func run() throws {
    let wanted = try Self.rows.filter { row in
      try options.wants(row.name) && !(options.isQuick && row.isSlowToCompile)
        && (row.level.map { try Target.named($0).runsHere } ?? true)
    }
    guard !wanted.isEmpty else { return }
    table.section("graphs, fused beside unfused")
    var (calling, several): ([Figure], [Figure]) = ([], [])
    for row in wanted {
      guard let figure = try run(row) else { continue }
      calling.append(figure)
      if row.comparison == .primitives { several.append(figure) }
    }
    guard !calling.isEmpty else { return }
    table.section("the same graphs as calls of primitives, beside one execute: times as long")
    calling.forEach(table.add)
    table.add(.average("primitives, mean of all", of: calling))
    if !several.isEmpty {
      table.add(.average("primitives, mean of graphs of several ops,", of: several).promised(atLeast: 2))
    }
  }

  /// Adds the graph's row; the figure of its primitives, where it is compared with them.
  private func run(_ row: Row) throws -> Figure? {
    let target = try row.level.map { try Target.named($0) }
    let fused = try Instrument(row.text, frames: row.frames, target: target)
    let unfused = try Instrument(
      row.text, frames: row.frames, target: target, pipeline: Pipeline(disabled: [KernelPass.fusion.name]))
    let contenders = [
      Contender(name: "fused", run: fused.run), Contender(name: "unfused", run: unfused.run),
    ]
    let primitives = row.comparison == .none ? nil : try primitives(row, fused)
    let samples = race.run(
      contenders + (primitives.map { [Contender(name: "primitives", run: $0.run)] } ?? []))
    table.add(
      Figure(row.name, samples[0], of: fused).compared(to: samples[1], of: samples[0], "unfused")
        .promised("≤ 1.03 x unfused", samples[0].ratio(to: samples[1]) <= 1.03))
    guard let primitives else { return nil }
    return Figure("\(row.name), \(primitives.count) call\(primitives.count == 1 ? "" : "s")", samples[2])
      .compared(to: samples[0], of: samples[2], "one execute")
  }

  /// The graph as primitives, with the same result.
  private func primitives(_ row: Row, _ instrument: Instrument) throws -> Primitives {
    let inputs = unsafe (0..<instrument.inputRows).map { unsafe instrument.input($0) }
    let primitives = unsafe try Primitives(row.text, frames: row.frames, inputs: inputs)
    instrument.run(1)
    primitives.run(1)
    let outputs = unsafe primitives.outputs
    guard unsafe outputs.count == instrument.outputRows else {
      throw BenchError("\(row.name): the primitives give another number of rows")
    }
    for index in unsafe outputs.indices {
      for frame in 0..<row.frames
      where unsafe outputs[index][frame].bitPattern != instrument.output(index)[frame].bitPattern {
        throw BenchError("\(row.name): the primitives give other bits at row \(index), frame \(frame)")
      }
    }
    return primitives
  }
}
