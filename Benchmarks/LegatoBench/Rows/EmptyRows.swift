// SPDX-License-Identifier: Apache-2.0

/// The cost of calling a graph. A graph has an output at least: the smallest one passes a sample on.
struct EmptyRows {
  let options: Options
  let race: Race
  let table: Table

  private static let name = "empty graph"

  func run() throws {
    guard options.wants(Self.name) else { return }
    table.section("the way in and out")
    let instrument = try Instrument(Models.copy, frames: 1)
    let nothing = try Instrument(Models.copy, frames: 0)
    let samples = race.run([
      Contender(name: "one sample", run: instrument.run), Contender(name: "nothing", run: nothing.run),
    ])
    table.add(Figure("\(Self.name): one sample passed on", samples[0], of: instrument).promised(atMost: 25))
    table.add(Figure("\(Self.name): a block of 0 frames", samples[1], of: nothing))
  }
}
