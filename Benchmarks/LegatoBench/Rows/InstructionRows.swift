// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning
internal import HandKernels
internal import NativeCode

/// How many instructions an execute takes: a measure of energy that other programs on the machine do not touch.
struct InstructionRows {
  let options: Options
  let table: Table
  let subjects: [Subject]

  private static let executes = 64

  /// Something whose instructions are counted.
  private struct Row {
    let name: String
    let frames: Int
    /// The C kernels of the same algebra, of which the one with the fewest instructions is the rival.
    var hands: [HandBitcrusher] = []
    var channels = 1
    let graph: () throws -> Graph

    /// The beginning of the marks of the C kernels: in callgrind they are other ones than outside.
    var handMark: String { "\(name) in C, " }
  }

  private var rows: [Row] {
    let bitcrushers = [1, 2].map { channels in
      Row(
        name: "instructions, bitcrusher \(channels == 1 ? "mono" : "stereo") \(Subject.usualSize)",
        frames: Subject.usualSize, hands: HandBitcrusher.all, channels: channels,
        graph: { try Graph(parsing: Models.bitcrusher(channels: channels)) })
    }
    // In callgrind compiling takes a while.
    let chosen = options.isQuick ? [] : subjects.filter(\.isShipped)
    let others = chosen.map { subject in
      let frames = subject.sizes.contains(Subject.usualSize) ? Subject.usualSize : subject.sizes[0]
      return Row(name: "instructions, \(subject.rowName(frames))", frames: frames, graph: subject.graph)
    }
    return (bitcrushers + others).filter { options.wants($0.name) }
  }

  // MARK: Within callgrind

  /// Executes every row, with the counting around it.
  func count(cpu: String) throws {
    let target = try Target.named(cpu)
    for row in rows {
      let instrument = try Instrument(try row.graph(), frames: row.frames, target: target)
      count(row.name) { instrument.run(Self.executes) }
      let result = Rows([row.frames])
      for hand in row.hands {
        let setting = BitcrusherRows.initial
        count(row.handMark + hand.name) {
          for _ in 0..<Self.executes {
            for channel in 0..<row.channels {
              unsafe hand.settled(instrument.input(channel), result[0], row.frames, setting, times: 1)
            }
          }
        }
      }
    }
  }

  /// The first time settles what has to settle.
  private func count(_ mark: String, _ body: () -> Void) {
    body()
    hand_begin_counting()
    body()
    unsafe hand_end_counting(mark)
  }

  // MARK: Outside

  func run() throws {
    guard let first = rows.first else { return }
    let cpu = try ["x86-64-v3", "x86-64"].first { try Target.named($0).runsHere }
    guard let cpu else { return table.note("\n\(first.name): left out, as callgrind knows x86-64 only") }
    let counts: [String: Double]
    switch try Callgrind.run(options, cpu: cpu) {
    case .left(let reason): return table.note("\ninstructions are not counted: \(reason)")
    case .counted(let found): counts = found
    }
    table.section("instructions per frame of code for \(cpu), as callgrind counts them: it knows no AVX-512")
    for row in rows {
      guard let count = counts[row.name] else {
        throw BenchError("\(row.name): callgrind has not counted it")
      }
      let perFrame = 1 / Double(Self.executes * row.frames)
      var figure = Figure(row.name, count * perFrame, unit: .instructions)
      if let rival = counts.filter({ $0.key.hasPrefix(row.handMark) }).values.min() {
        figure.reference = "C kernel"
        figure.referenceMedian = rival * perFrame
        figure.ratio = count / rival
      }
      table.add(figure)
    }
  }
}
