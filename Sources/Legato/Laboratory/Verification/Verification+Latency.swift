// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import RealtimeCore
internal import ReferenceInterpreter

/// Law 5: the planned latency is the measured latency.
extension Verification {
  /// Input that begins late must not show in the output before the planned latency has passed; and where nothing
  /// remembers, it has to show exactly then.
  ///
  /// It is as constant as the silence before it: where nothing remembers, a constant shows at once or never. Each row
  /// has another one, since differences of channels would not show, and there are several levels, since gates let
  /// some pass only.
  package func latency() throws(ContextError) -> Finding {
    let name = "law 5: latency"
    func idle(_ sentence: String) -> Finding {
      Finding(.tried, name, .idle, "nothing to measure: \(sentence)")
    }
    guard isStream else { return idle("a step answers at once") }
    if graph.looksAhead { return try alignment() }
    let planned = program.layout.latency
    let begin = 300
    let wait = begin + Swift.min(Self.memory(of: graph), Self.mostFrames(of: graph))
    guard let measured = try firstAnswer(after: begin, within: wait) else {
      return idle("the output does not follow the input within \(wait) frames")
    }
    let remembers = graph.nodes.contains { $0.op.history > 0 } || !graph.samplingPeriods.isEmpty
    let holds = remembers ? measured >= planned : measured == planned
    let sentence =
      switch (holds, measured - planned) {
      case (false, _): "\(measured) frames, not \(planned)"
      case (true, 0): "\(planned) frames, as planned"
      // A model that remembers may answer later than it has to.
      case (true, _): "\(planned) frames planned; no answer before, the first after \(measured)"
      }
    return trying(
      name, holds: holds, sentence,
      [remembers ? "firstAnswerFrames" : "measuredLatencyFrames": .count(measured)])
  }

  /// The frame at which the output first answers to input that begins, counted from there; nil where it does not.
  private func firstAnswer(after begin: Int, within wait: Int) throws(ContextError) -> Int? {
    let frames = begin + wait
    var silent = Stimulus.trial(of: graph, frames: frames, movesParameters: false)
    for row in silent.inputs.indices { silent.inputs[row] = [Float](repeating: 0, count: frames) }
    let quiet = try render(program, silent)
    let levels: [Float] = [0.5, -1, 4, -16]
    var first: Int?
    for level in levels {
      var late = silent
      for row in late.inputs.indices {
        for frame in begin..<frames { late.inputs[row][frame] = level / Float(row + 1) }
      }
      guard let frame = difference(quiet, try render(program, late)) else { continue }
      first = Swift.min(frame, first ?? frame)
    }
    return first.map { $0 - begin }
  }
}
