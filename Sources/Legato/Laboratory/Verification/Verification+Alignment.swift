// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import RealtimeCore
internal import ReferenceInterpreter

/// Law 5 for models that look ahead: the latency is the planned one.
extension Verification {
  /// The output equals the meaning, which the interpreter finds without delays, at one latency only, and that is the
  /// planned one.
  ///
  ///     means      a b c d …
  ///     comes out  0 0 a b c d …       late by 2
  func alignment() throws(ContextError) -> Finding {
    let name = "law 5: latency"
    let planned = program.layout.latency
    guard planned < frames else {
      return Finding(
        .tried, name, .idle, "nothing to measure: a trial of \(frames) frames ends before the output begins")
    }
    guard hasTimeToWarm else { return try cold().alignment() }
    let trial = Stimulus.trial(of: graph, frames: Swift.min(frames, planned + 1_500))
    let meant = ReferenceInterpreter(graph).run(
      inputs: trial.inputs, frames: trial.frames, events: trial.changes
    ).outputs.map { $0.dropFirst(Latencies(graph).latency) }
    let native = try render(program, trial)
    // Before the first sample that is not zero it may have begun anywhere.
    let silent = native.map { row in row.firstIndex { $0 != 0 } ?? row.count }.min() ?? 0
    let others = (0...Swift.min(silent, 2 * planned + 64)).lazy.filter { $0 != planned }
    let isPlanned = planned <= silent && Self.fits(native, meant, late: planned)
    let other = others.first { Self.fits(native, meant, late: $0) }
    if isPlanned, other != nil {
      return Finding(.tried, name, .idle, "nothing to measure: the output is the same however late it is")
    }
    guard let measured = isPlanned ? planned : other else {
      return trying(name, holds: false, "not \(planned) frames: the output is aligned with the input nowhere")
    }
    let holds = measured == planned
    return trying(
      name, holds: holds, holds ? "\(planned) frames, as planned" : "\(measured) frames, not \(planned)",
      ["measuredLatencyFrames": .count(measured)])
  }

  /// Whether what comes out is what is meant, from a frame on before which there are only zeros.
  private static func fits(_ native: [[Float]], _ meant: [ArraySlice<Estimate>], late: Int) -> Bool {
    zip(native, meant).allSatisfy { samples, estimates in
      zip(samples.dropFirst(late), estimates).allSatisfy { $1.contains($0) }
    }
  }
}
