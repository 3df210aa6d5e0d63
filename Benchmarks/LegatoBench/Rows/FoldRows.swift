// SPDX-License-Identifier: Apache-2.0

internal import GraphPasses
internal import GraphPlanning
internal import NativeCode

/// Convolutions and dense layers beside what the core can at most, and beside C.
struct FoldRows {
  private static let channels = [1, 2, 3, 8, 12, 16, 20, 33, 64]
  private static let frames = HandConvolution.frames

  let options: Options
  let race: Race
  let table: Table

  func run() throws {
    guard let best = HandLevel.here.first else { return }
    let shares =
      Self.channels.map { channels in
        (
          name: "conv1d \(channels) to \(channels), k 3, 128", text: Models.convolution(channels),
          count: channels * channels * 3, share: [16: 0.6, 12: 0.45, 20: 0.45, 33: 0.45][channels]
        )
      }
      + Self.channels.map { channels in
        (
          name: "dense \(channels) to \(channels), 128", text: Models.dense(channels),
          count: channels * channels, share: nil
        )
      }
    let wanted = shares.filter { options.wants($0.name) }
    if !wanted.isEmpty { table.section("layers of 128 frames, beside multiply-adds in registers alone") }
    for row in wanted { try run(row.name, row.text, row.count * Self.frames, row.share, best) }

    let names = HandLevel.here.flatMap { level in
      [
        ("conv1d 16 to 16, k 3, dilation 2, \(level.rawValue)", level, false),
        ("conv stack 128, \(level.rawValue)", level, true),
      ]
    }.filter { options.wants($0.0) }
    if !names.isEmpty { table.section("convolutions, the whole execute beside the fastest C kernel") }
    for (name, level, isStack) in names { try run(name, level, isStack: isStack, isBest: level == best) }
    try runNatural()
  }

  /// A layer's share of the peak.
  private func run(
    _ name: String, _ text: String, _ multiplyAdds: Int, _ share: Double?, _ level: HandLevel
  ) throws {
    let instrument = try Instrument(text, frames: Self.frames)
    let samples = race.run([
      Contender(name: name, run: instrument.run), level.peak(of: multiplyAdds),
    ])
    var figure = Figure(name, samples[0], of: instrument).compared(to: samples[1], of: samples[0], "peak")
    let reached = samples[1].ratio(to: samples[0])
    if let share {
      figure = figure.promised(
        "\(Table.number(reached * 100)) % of peak, ≥ \(Table.number(share * 100)) %", reached >= share)
    }
    table.add(figure)
  }

  /// A convolution, or a stack of them, beside what C does at the same level.
  private func run(_ name: String, _ level: HandLevel, isStack: Bool, isBest: Bool) throws {
    let text = isStack ? Models.stack : Models.stackLayer
    let target = isBest ? try Target.host() : level.target
    let instrument = try Instrument(text, frames: Self.frames, target: target)
    let output = Rows([Int](repeating: Self.frames, count: isStack ? 1 : 16))
    let hands = level.convolutions
    func call(_ hand: HandConvolution, _ times: Int) {
      if isStack {
        hand.stack(instrument, output, times: times)
      } else {
        hand.convolve(instrument, output, times: times)
      }
    }
    for hand in hands {
      instrument.reset()
      // The second block comes to what the first one has left behind.
      for _ in 0..<2 {
        instrument.run(1)
        call(hand, 1)
        let differing = (0..<(isStack ? 1 : 16)).reduce(0) { count, row in
          count
            + (0..<Self.frames).count {
              unsafe instrument.output(row)[$0].bitPattern != output[row][$0].bitPattern
            }
        }
        guard differing == 0 else {
          throw BenchError("\(name): \(differing) samples differ from the C kernel \(hand.name)")
        }
      }
    }
    let samples = race.run([
      Contender(name: name, run: instrument.run),
      Race.fastest(of: hands.map { hand in Contender(name: hand.name) { call(hand, $0) } }),
    ])
    let figure = Figure(name, samples[0], of: instrument).compared(to: samples[1], of: samples[0], "C kernel")
    let ratio = samples[0].ratio(to: samples[1])
    table.add(isStack && isBest ? figure.promised("≤ 1.25 x C kernel", ratio <= 1.25) : figure)
  }

  /// The cost of reading weights in the order of their file.
  private func runNatural() throws {
    let wanted = [
      ("conv stack 128", Models.stack), ("conv1d 64 to 64, k 3, 128", Models.convolution(64)),
      ("conv1d 256 to 256, k 3, 128", Models.convolution(256)),
      ("matrix 64 x 64 by a vector", Models.matrix(64)),
    ].map { ("\($0.0), natural weights", $0.1) }.filter { options.wants($0.0) }
    if !wanted.isEmpty { table.section("weights as they stand in the file, beside packed ones") }
    for (name, text) in wanted {
      let natural = try Instrument(
        text, frames: Self.frames, pipeline: Pipeline(disabled: [KernelPass.weightRepacking.name]))
      let packed = try Instrument(text, frames: Self.frames)
      let samples = race.run([
        Contender(name: name, run: natural.run), Contender(name: "packed", run: packed.run),
      ])
      table.add(
        Figure(name, samples[0], of: natural).compared(to: samples[1], of: samples[0], "packed weights"))
    }
  }
}
