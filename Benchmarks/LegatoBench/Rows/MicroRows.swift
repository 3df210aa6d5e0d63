// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Small graphs: what one op costs, and what the way to it costs.
struct MicroRows {
  let options: Options
  let race: Race
  let table: Table

  private static let graphs: [(name: String, text: String, frames: [Int])] = [
    ("copy", Models.copy, [16, 128, 4096]),
    ("add", Models.stream(1, "dst = src + 0.5"), [16, 128, 4096]),
    ("tanh", Models.stream(1, "dst = tanh(src)"), [128]),
    ("exp", Models.stream(1, "dst = exp(src)"), [128]),
    ("sin", Models.stream(1, "dst = sin(src)"), [128]),
    ("log", Models.stream(1, "dst = log(src)"), [128]),
    ("pow", Models.stream(1, "dst = pow(src, 2.5)"), [128]),
    ("delay 100", Models.stream(1, "dst = delay(src, frames: 100)"), [128]),
    ("one-pole", Models.stream(1, "last = delay(dst, frames: 1)", "dst = src * 0.1 + last * 0.9"), [128]),
    ("chain of 8 bitcrushers", Models.chain(8), [128, 512]),
  ]

  func run() throws {
    let wanted = Self.graphs.flatMap { graph in
      graph.frames.map { (name: "\(graph.name) \($0)", text: graph.text, frames: $0) }
    }.filter { options.wants($0.name) }
    if options.wants("empty") || !wanted.isEmpty { table.section("small graphs") }
    if options.wants("empty") { try runEmpty() }
    for row in wanted {
      let instrument = try Instrument(row.text, frames: row.frames)
      let samples = race.run([Contender(name: row.name, run: instrument.run)])
      table.add(Figure(row.name, samples[0]))
    }
  }

  /// The way in and out alone: a graph of one frame that is copied.
  private func runEmpty() throws {
    let instrument = try Instrument(Models.copy, frames: 1)
    let nothing = try Instrument(Models.copy, frames: 0)
    let samples = race.run([
      Contender(name: "empty", run: instrument.run), Contender(name: "nothing", run: nothing.run),
    ])
    table.add(Figure("empty: a copy of 1 frame", samples[0]).promised(atMost: 25))
    table.add(Figure("empty: a block of 0 frames", samples[1]))
  }
}
