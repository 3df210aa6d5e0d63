// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses
internal import LoopAnalysis
internal import RealtimeCore
internal import ReferenceInterpreter

/// Law 2: native output lies where double precision says it must.
extension Verification {
  func interpreted(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Finding {
    guard hasTimeToWarm else {
      let cold = try cold()
      var finding = try cold.interpreted(trial, render(cold.program, trial))
      finding.sentence +=
        "; without the \(counted(graph.prewarm, isStream ? "frame" : "step")) of silence before"
      return finding
    }
    let result = interpretation(of: trial)
    let finding = agreement(whole, result)
    guard finding.outcome == .broken else { return finding }
    guard let growing = growingLoop else { return followed(finding, whole, trial, result) }
    // Roundings grow with a loop that grows: it has to lie inside of its radius, and near where nothing grows.
    let contained = agreement(whole, result, isBounded: false)
    guard contained.outcome != .broken else { return contained }
    let sentence = "\(growing), and roundings with it"
    guard graph.growingLoops(settingParameters: settings).isEmpty else {
      return Finding(.tried, contained.name, .stated, sentence, contained.figures)
    }
    let quiet = trial.standing(at: settings)
    let (rendered, interpreted) = (try render(program, quiet), interpretation(of: quiet))
    var still = agreement(rendered, interpreted)
    if still.outcome == .broken { still = followed(still, rendered, quiet, interpreted) }
    guard still.outcome != .broken else { return still }
    return Finding(
      .tried, still.name, .stated, "\(sentence); where parameters stand still: \(still.sentence)",
      still.figures)
  }

  private func interpretation(of trial: Stimulus, rounding: Bool = false) -> ReferenceInterpreter.Result {
    ReferenceInterpreter(graph).run(
      inputs: trial.inputs, frames: trial.frames, events: trial.changes, rounding: rounding)
  }

  /// The finding on a loop whose distance exceeds 90 dB below the peak, once its roundings are followed.
  ///
  ///     v = slew(x)                  a peak of 16, of which floats tell a millionth
  ///     y = v - delay(v, 1) + …      a peak of 0.05, of which as much is a share of 20 millionths
  ///
  /// Where large numbers cancel, or a steep function follows, roundings take any code away from double precision, and
  /// no interval tells how far around a loop. A run of the interpreter that rounds each result to a float does: native
  /// output may be a few times as far away, and as what follows the loop makes of that; on a jump, or a pole, it may be
  /// on either side. Where that is much, as in chaos, nothing is promised; a delay that the model can compute otherwise
  /// is not forgiven.
  private func followed(
    _ finding: Finding, _ native: [[Float]], _ trial: Stimulus, _ result: ReferenceInterpreter.Result
  ) -> Finding {
    guard cause(in: result.coarsestDelay).isEmpty else { return finding }
    return agreement(native, result, rounded: interpretation(of: trial, rounding: true))
  }

  /// Whether native output lies where the interpreter says it must.
  ///
  /// Around a cycle an error radius can grow without end although the signal does not: an output that is recurrent has to
  /// stay within -90 dB of its own peak in double precision as well, and its radius need not be finite. On a jump both
  /// sides are right; how many numbers lie there is up to the model, and is said.
  ///
  /// - Parameters:
  ///   - isBounded: Whether a loop has to stay near.
  ///   - rounded: A run with roundings, which may lead further than that.
  private func agreement(
    _ native: [[Float]], _ result: ReferenceInterpreter.Result, isBounded: Bool = true,
    rounded: ReferenceInterpreter.Result? = nil
  ) -> Finding {
    let name = "law 2: meaning"
    let recurrent = recurrentRows
    var comparison = Comparison(result, recurrent: recurrent)
    for (row, estimates) in result.outputs.enumerated() {
      let roundings = recurrent[row] ? rounded?.outputs[row] : nil
      func reach(_ frame: Int) -> Double {
        roundings.map { $0[frame].reach(from: estimates[frame].value) } ?? 0
      }
      let peak = estimates.indices.reduce(0) { peak, frame in
        let level = Swift.abs(estimates[frame].value)
        let counts = level.isFinite && reach(frame) <= level * Self.mostOfRoundings
        return counts ? Swift.max(peak, level) : peak
      }
      let nearest = peak * Self.minus90dB
      for (frame, estimate) in estimates.enumerated() {
        let sample = native[row][frame]
        let distance = Swift.abs(Double(sample) - estimate.value)
        let allowed = Swift.max(nearest, reach(frame))
        let sitsOnJump = estimate.sitsOnJump || roundings?[frame].sitsOnJump ?? false
        let isNear = !recurrent[row] || !isBounded || sitsOnJump || distance.isNaN || distance <= allowed
        guard estimate.contains(sample), isNear else {
          let reason =
            isNear
            ? ""
            : "; a loop may be \(Self.rounded(allowed)) away, "
              + (allowed == nearest ? "90 dB below the peak" : "as roundings alone take it")
              + cause(in: result.coarsestDelay)
          return trying(
            name, holds: false, "row \(row), number \(frame): \(sample), not \(estimate.value)\(reason)")
        }
        if !recurrent[row] {
          comparison.others.count(sample, distance, of: estimate.radius, sitsOnJump)
        } else if reach(frame) <= peak * Self.mostOfRoundings {
          comparison.loops.count(sample, distance, of: roundings == nil ? nil : allowed, sitsOnJump)
        } else {
          comparison.loops.countFar(sample, reach(frame), sitsOnJump)
        }
      }
    }
    return comparison.finding(name)
  }

  /// For each array of outputs, whether a cycle is in what it is computed of.
  private var recurrentRows: [Bool] {
    let components = graph.components()
    var recurrent = [Bool](repeating: false, count: graph.nodes.count)
    // Operands come first: what a component reads is known before it.
    for component in components {
      let reads = component.contains { id in
        graph[id].operands.contains { recurrent[Int(graph[$0].definition.index)] }
      }
      guard reads || graph.isCycle(component) else { continue }
      for id in component { recurrent[Int(id.index)] = true }
    }
    return graph.outputs.flatMap { output in
      let isRecurrent = recurrent[Int(graph[output.value].definition.index)]
      return [Bool](repeating: isRecurrent, count: isStream ? graph.shape(of: output.value).count : 1)
    }
  }

  /// The reason why a loop is further away, where it reads between two frames of which floats do not tell enough: from
  /// one to the next a signal may go through its whole range.
  private func cause(in delay: Estimate) -> String {
    guard 2 * delay.radius > Self.minus90dB else { return "" }
    let (frames, radius) = (Self.rounded(delay.value), Self.rounded(delay.radius))
    return
      "; floats tell a delay of \(frames) frames to within \(radius) of one only: compute whole frames and "
      + "the rest apart, as models/flanger.json does"
  }

  /// The share of the peak that roundings may come to in a comparison that says something.
  private static let mostOfRoundings = 0.01

  /// 90 dB below full level.
  private static let minus90dB = 3.1623e-5
}
