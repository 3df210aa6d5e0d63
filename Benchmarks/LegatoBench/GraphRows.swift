// SPDX-License-Identifier: Apache-2.0

internal import GraphPasses

/// Graphs of several ops: fused beside unfused, and beside calls of primitives.
struct GraphRows {
  let options: Options
  let race: Race
  let table: Table

  private struct Row {
    let name: String
    let text: String
    var frames = 128
    /// A cycle has no primitives.
    var hasPrimitives = true
    /// Whether there is something to gain: a graph of one op is one primitive.
    var hasSeveralOps = true
  }

  private static let rows: [Row] = {
    var rows = [
      Row(name: "graph copy", text: Models.copy, hasSeveralOps: false),
      Row(name: "graph one op", text: Models.stream(1, "dst = tanh(src)"), hasSeveralOps: false),
    ]
    for (channels, name) in [(1, "mono"), (2, "stereo")] {
      for count in [1, 2, 4, 8, 16, 32, 64] {
        rows.append(
          Row(name: "graph chain of \(count), \(name)", text: Models.chain(count, channels: channels)))
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
      Row(name: "graph feedback echo", text: Models.feedbackEcho, hasPrimitives: false),
      Row(name: "graph widener", text: Models.widener),
      Row(name: "graph residual layer", text: Models.residualLayer),
    ]
  }()

  func run() throws {
    let wanted = Self.rows.filter { options.wants($0.name) }
    guard !wanted.isEmpty else { return }
    table.section("graphs, fused beside unfused")
    var (calling, several): ([Figure], [Figure]) = ([], [])
    for row in wanted {
      let (fused, unfused) = (
        try Instrument(row.text, frames: row.frames),
        try Instrument(row.text, frames: row.frames, pipeline: Pipeline(disabled: ["fusion"]))
      )
      var contenders = [
        Contender(name: "fused", run: fused.run), Contender(name: "unfused", run: unfused.run),
      ]
      var calls = 0
      if row.hasPrimitives {
        let primitives = try primitives(row, fused)
        contenders.append(Contender(name: "primitives", run: primitives.run))
        calls = primitives.count
      }
      let samples = race.run(contenders)
      table.add(
        Figure(row.name, samples[0]).compared(to: samples[1], of: samples[0], "unfused")
          .promised("≤ 1.03 x unfused", samples[0].ratio(to: samples[1]) <= 1.03))
      if row.hasPrimitives {
        let figure = Figure("\(row.name), \(calls) call\(calls == 1 ? "" : "s")", samples[2])
          .compared(to: samples[0], of: samples[2], "one execute")
        calling.append(figure)
        if row.hasSeveralOps { several.append(figure) }
      }
    }
    guard !calling.isEmpty else { return }
    table.section("the same graphs as calls of primitives, beside one execute: times as long")
    calling.forEach(table.add)
    table.add(.average("primitives, mean of all", of: calling))
    if !several.isEmpty {
      table.add(.average("primitives, mean of graphs of several ops,", of: several).promised(atLeast: 2))
    }
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
