// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import GraphPlanning
internal import HandKernels
internal import NativeCode
internal import RealtimeCore

/// Feedback loops and delays beside loops in C; and the same in silence, which must cost no more.
struct LoopRows {
  let options: Options
  let race: Race
  let table: Table

  private struct Row {
    let name: String
    let kind: hand_loop_kind
    let channels: Int
    /// How many times as long as C an execute may take.
    var bar = 1.5
    /// How far the samples may lie from C's. 0: every bit is the same.
    var tolerance: Float = 0
    /// The settings of parameters; the others keep their initial values.
    var parameters: [String: Float] = [:]
    /// The values that they glide to, as slowly as they can; empty where they are settled.
    var ends: [String: Float] = [:]
    /// The settings of the C code.
    var settings: [Float] = []
    let graph: () throws -> Graph?
  }

  /// Blocks after which the longest delay has come round twice.
  private static let blocksCompared = 2 * Int(HAND_RING) / HandLoop.frames

  /// -90 dB: what recurrent output may differ from double precision.
  private static let nearly: Float = 3.2e-5
  /// Between two frames of noise: a float has room for 600 frames and 6e-5 of one.
  private static let nearlyInTime: Float = 2e-4

  private static var rows: [Row] {
    [
      Row(name: "loop feedback delay of 12000, stereo", kind: HAND_FEEDBACK, channels: 2) {
        try Graph(parsing: Models.feedbackDelay)
      },
      Row(
        name: "loop feedback delay by a parameter, 12000, stereo", kind: HAND_FEEDBACK, channels: 2, bar: 2
      ) {
        try Graph(parsing: Models.tappedFeedbackDelay)
      },
      Row(name: "loop one-pole, 2 channels", kind: HAND_ONE_POLE, channels: 2) {
        try Graph(parsing: Models.onePole(2))
      },
      Row(name: "loop one-pole, 16 channels", kind: HAND_ONE_POLE, channels: 16) {
        try Graph(parsing: Models.onePole(16))
      },
      Row(name: "loop tape echo, stereo", kind: HAND_ECHO, channels: 2) {
        try shipped("echo stereo")
      },
      Row(
        name: "loop eq8, stereo", kind: HAND_EQUALIZER, channels: 2, bar: 1.25, tolerance: nearly,
        parameters: EqualizerSetting.parameters, settings: EqualizerSetting.coefficients(sampleRate: 48_000)
      ) {
        try shipped("eq8 stereo")
      },
      Row(
        name: "loop eq8, stereo, all moving", kind: HAND_GLIDING_EQUALIZER, channels: 2, bar: 1.25,
        tolerance: nearly, parameters: EqualizerSetting.parameters, ends: EqualizerSetting.ends,
        settings: EqualizerSetting.ramps
      ) {
        try shipped("eq8 stereo")
      },
      Row(
        name: "loop chorus, stereo", kind: HAND_CHORUS, channels: 2, tolerance: nearlyInTime
      ) {
        try shipped("chorus stereo")
      },
      Row(
        name: "loop compressor, stereo", kind: HAND_COMPRESSOR, channels: 2, tolerance: nearly
      ) {
        try shipped("compressor stereo")
      },
      bitcrusher("at 12 kHz", rate: 12_000), bitcrusher("at all of the rate", rate: 96_000),
      finiteResponse(256, HAND_FINITE_RESPONSE_256), finiteResponse(1024, HAND_FINITE_RESPONSE_1024),
    ]
  }

  private static func bitcrusher(_ what: String, rate: Float) -> Row {
    let (resolution, gain, wet): (Float, Float, Float) = (11, 1.7, 0.7)
    return Row(
      name: "loop bitcrusher \(what), stereo", kind: HAND_HOLD, channels: 2,
      parameters: ["rate": rate, "resolution": resolution, "saturationGain": gain, "dryWet": wet],
      settings: [rate, resolution, gain, wet]
    ) {
      try shipped("bitcrusher stereo")
    }
  }

  private static func finiteResponse(_ taps: Int, _ kind: hand_loop_kind) -> Row {
    Row(
      name: "filter of \(taps) taps, stereo", kind: kind, channels: 2, bar: 1.25,
      settings: Models.impulseResponse(taps)
    ) {
      try Graph(parsing: Models.finiteResponse(taps))
    }
  }

  /// nil where there is no folder of models.
  private static func shipped(_ name: String) throws -> Graph? {
    guard FileManager.default.fileExists(atPath: Subject.folder) else { return nil }
    return try Subject.shipped().first { $0.name == "model \(name)" }?.graph()
  }

  func run() throws {
    let wanted = Self.rows.filter { options.wants($0.name) }
    guard !wanted.isEmpty else { return }
    table.section("loops, the whole execute beside the fastest in C, and in silence")
    for row in wanted { try run(row) }
  }

  private func run(_ row: Row) throws {
    guard let graph = try row.graph() else { return }
    var program = try CompiledGraph(graph, options: CompileOptions(target: try .host())).program()
    if !row.ends.isEmpty { program = try program.withEndlessRamps() }
    let instrument = try Instrument(program, frames: HandLoop.frames)
    let silent = try Instrument(program, frames: HandLoop.frames)
    let hands = unsafe HandLoop.all(
      row.kind, inputs: (0..<row.channels).map { unsafe instrument.input($0) },
      settings: row.settings)
    for hand in hands {
      begin(instrument, row)
      hand.run(1)
      for _ in 1..<Self.blocksCompared {
        try compare(instrument, hand, row)
        instrument.run(1)
        hand.run(1)
      }
      try compare(instrument, hand, row)
    }
    // A sound dies away before silence is measured: what is left of it are the smallest numbers.
    begin(silent, row)
    silent.run(Self.blocksCompared)
    silent.silenceInputs()
    silent.run(Self.blocksCompared)
    let fastest = Race.fastest(of: hands.map { Contender(name: $0.name, run: $0.run) })
    let samples = race.run([
      Contender(name: row.name, run: instrument.run), fastest, Contender(name: "silence", run: silent.run),
    ])
    let figure = Figure(row.name, samples[0], of: instrument).compared(
      to: samples[1], of: samples[0], "C, \(fastest.name)")
    table.add(
      figure.promised("≤ \(Table.number(row.bar)) x C", samples[0].ratio(to: samples[1]) <= row.bar))
    table.add(
      Figure("\(row.name), silence", samples[2], of: silent).compared(
        to: samples[0], of: samples[2], "sound"
      )
      .promised("≤ 1.05 x sound", samples[2].ratio(to: samples[0]) <= 1.05))
  }

  /// Executes the first block, with parameters where a row wants them; those that glide then go on from there.
  private func begin(_ instrument: Instrument, _ row: Row) {
    instrument.reset()
    instrument.set(row.parameters)
    instrument.run(1)
    instrument.set(row.ends)
  }

  private func compare(_ instrument: Instrument, _ hand: HandLoop, _ row: Row) throws {
    for channel in 0..<row.channels {
      for frame in 0..<HandLoop.frames {
        let (ours, theirs) = unsafe (instrument.output(channel)[frame], hand.outputs[channel][frame])
        guard ours.bitPattern != theirs.bitPattern,
          row.tolerance == 0 || !(abs(ours - theirs) <= row.tolerance)
        else { continue }
        throw BenchError(
          "\(row.name): row \(channel), frame \(frame) is \(ours), and \(theirs) in C, \(hand.name)")
      }
    }
  }
}
