// SPDX-License-Identifier: Apache-2.0

internal import HandKernels

/// A chain of bitcrushers beside the best schedule written by hand.
struct ChainRows {
  let options: Options
  let race: Race
  let table: Table

  private static let stages = 8
  private static let setting: [Float] = [8, 2, 0.7]

  func run() throws {
    let wanted = [(1, 128), (2, 128), (2, 512)].map { channels, frames in
      (name: "chain by hand, \(channels == 1 ? "mono" : "stereo") \(frames)", channels, frames)
    }.filter { options.wants($0.name) }
    guard !wanted.isEmpty, !HandChain.all.isEmpty else { return }
    table.section("a chain of \(Self.stages) bitcrushers, beside the fastest of the schedules in C")
    for (name, channels, frames) in wanted {
      let instrument = try Instrument(Models.chain(Self.stages, channels: channels), frames: frames)
      instrument.set(Self.setting)
      instrument.run(1)
      let rows = Rows([Int](repeating: frames, count: channels))
      let hands = HandChain.all.filter { frames % $0.frames == 0 }
      let contenders = hands.map { hand in
        Contender(name: hand.name) { times in
          unsafe hand.run(
            (0..<channels).map { unsafe instrument.input($0) }, (0..<channels).map { unsafe rows[$0] },
            frames, stages: Self.stages, Self.setting, times: times)
        }
      }
      for contender in contenders {
        contender.run(1)
        let differing = (0..<channels).reduce(0) { sum, row in
          sum
            + (0..<frames).count {
              unsafe rows[row][$0].bitPattern != instrument.output(row)[$0].bitPattern
            }
        }
        guard differing == 0 else {
          throw BenchError("\(name): \(differing) samples differ from the C kernel's, \(contender.name)")
        }
      }
      let fastest = Race.fastest(of: contenders)
      let samples = race.run([Contender(name: name, run: instrument.run), fastest])
      table.add(
        Figure(name, samples[0], of: instrument).compared(
          to: samples[1], of: samples[0], "C, \(fastest.name)"
        )
        .promised("≤ 1.25 x C", samples[0].ratio(to: samples[1]) <= 1.25))
    }
  }
}
