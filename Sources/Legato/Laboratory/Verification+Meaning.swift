// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses
internal import LoopAnalysis
internal import RealtimeCore
internal import ReferenceInterpreter

/// Law 2: native output lies where double precision says it must.
extension Verification {
  func interpreted(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Finding {
    let result = interpretation(of: trial)
    let finding = agreement(whole, result)
    guard finding.outcome == .broken else { return finding }
    guard let growing = growingLoop else { return followed(finding, whole, trial, result) }
    // What grows, its roundings grow with: it has to lie inside of its radius, and near where nothing grows.
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
  /// no interval tells how far behind a loop. A run of the interpreter that rounds each result to a float does: native
  /// output may be as far away as a few times what that comes to in its row. Where that is much, as in chaos, nothing is
  /// promised; a delay that the model can compute otherwise is not forgiven.
  private func followed(
    _ finding: Finding, _ native: [[Float]], _ trial: Stimulus, _ result: ReferenceInterpreter.Result
  ) -> Finding {
    guard cause(in: result.coarsestDelay).isEmpty else { return finding }
    let rounded = interpretation(of: trial, rounding: true)
    let reach = zip(result.outputs, rounded.outputs).map { exact, rounded in
      zip(exact, rounded).reduce(0) { furthest, pair in
        let distance = Swift.abs(pair.0.value - pair.1.value)
        return pair.0.sitsOnJump || !distance.isFinite ? furthest : Swift.max(furthest, distance)
      }
    }
    return agreement(native, result, reach: reach.map { $0 * Self.roundingsApart })
  }

  /// Whether native output lies where the interpreter says it must.
  ///
  /// Around a cycle an error radius can grow without end although the signal does not: an output that is recurrent has to
  /// stay within -90 dB of its own peak in double precision as well, and its radius need not be finite. On a jump both
  /// sides are right; how many numbers lie there is up to the model, and is said.
  ///
  /// - Parameters:
  ///   - isBounded: Whether a loop has to stay near.
  ///   - reach: How far away the numbers of each row may be, where that is more.
  private func agreement(
    _ native: [[Float]], _ result: ReferenceInterpreter.Result, isBounded: Bool = true, reach: [Double] = []
  ) -> Finding {
    let name = "law 2: meaning"
    let recurrent = recurrentRows
    let peaks = result.outputs.map { row in
      row.reduce(0) { $1.value.isFinite ? Swift.max($0, Swift.abs($1.value)) : $0 }
    }
    var (widest, furthest) = (0.0, 0.0)
    for (row, estimates) in result.outputs.enumerated() {
      let staysNear = recurrent[row] && isBounded
      let nearest = peaks[row] * Self.minus90dB
      let allowed = reach.isEmpty ? nearest : Swift.max(nearest, reach[row])
      for (frame, estimate) in estimates.enumerated() {
        let sample = native[row][frame]
        let distance = Swift.abs(Double(sample) - estimate.value)
        let isNear = !staysNear || estimate.sitsOnJump || distance.isNaN || distance <= allowed
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
        if !estimate.sitsOnJump {
          if estimate.radius.isFinite, !recurrent[row] { widest = Swift.max(widest, estimate.radius) }
          if distance.isFinite { furthest = Swift.max(furthest, distance) }
        }
      }
    }
    let notFinite = native.reduce(0) { $0 + $1.count { !$0.isFinite } }
    let all = native.reduce(0) { $0 + $1.count }
    let figures: [String: Figure] = [
      "largestDistance": .number(furthest), "shareOnJumps": .number(result.shareOnJumps),
      "shareUnbounded": .number(result.shareUnbounded), "numbers": .count(all),
    ]
    let infinities =
      notFinite == 0 ? "" : ", \(Self.percent(Double(notFinite) / Double(all))) not finite, as may be"
    let tooFar = zip(reach, peaks).filter { $0 > $1 * Self.mostOfRoundings }.map(\.0).max()
    if let tooFar {
      let sentence = "little to compare: roundings alone may lead \(Self.rounded(tooFar)) away"
      return Finding(.tried, name, .idle, sentence, figures)
    }
    let jumps = "\(Self.percent(result.shareOnJumps)) on a jump\(infinities)"
    let isRecurrent = recurrent.contains(true)
    let shareUnbounded = result.shareUnbounded(among: recurrent.map { !$0 })
    let unbounded = recurrent.contains(false) ? ", \(Self.percent(shareUnbounded)) unbounded" : ""
    guard result.shareOnJumps <= Self.mostOnJumps, shareUnbounded <= Self.mostUnbounded else {
      return Finding(.tried, name, .idle, "little to compare: \(jumps)\(unbounded)", figures)
    }
    let radius = isRecurrent ? reach.max() ?? 0 : widest
    let comparison =
      "\(isRecurrent ? "recurrent, " : "")within \(Self.rounded(furthest)) of double precision"
      + (isRecurrent && reach.isEmpty ? "" : ", where \(Self.rounded(radius)) is allowed")
    return trying(name, holds: true, "\(comparison); \(jumps)\(unbounded)", figures)
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

  /// The share of numbers that may be of either side of a jump in a comparison that says something.
  private static let mostOnJumps = 0.5
  /// The same of numbers that may be anything.
  private static let mostUnbounded = 0.01

  /// How much further than one code's roundings those of another may lead.
  private static let roundingsApart = 8.0
  /// The share of the peak that roundings may come to in a comparison that says something.
  private static let mostOfRoundings = 0.01

  /// 90 dB below full level.
  private static let minus90dB = 3.1623e-5
}
