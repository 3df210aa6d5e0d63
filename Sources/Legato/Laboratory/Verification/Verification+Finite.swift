// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses
internal import GraphPlanning
internal import LoopAnalysis
internal import RealtimeCore
internal import ReferenceInterpreter

/// Law 4: no infinity and no not-a-number from loud input, wherever the parameters are.
extension Verification {
  func finite(_ frames: Int) throws(ContextError) -> Finding {
    let name = "law 4: finite"
    var trials = [Stimulus.trial(of: graph, frames: frames, amplitude: Self.loudest)]
    trials += standing.map { trials[0].standing(at: $0.values) }
    var peak: Float = 0
    for trial in trials {
      let output = try render(program, trial)
      for (row, samples) in output.enumerated() {
        if let place = samples.firstIndex(where: { !$0.isFinite }) {
          let sentence = firstNonFinite(trial) ?? "row \(row), number \(place): \(samples[place])"
          return trying(name, holds: false, sentence)
        }
      }
      peak = Swift.max(peak, output.joined().lazy.map(Swift.abs).max() ?? 0)
    }
    var conditions: [String] = []
    if !graph.inputs.isEmpty { conditions.append("for input up to ±16") }
    if trials.count > 1 {
      conditions.append("parameters moving\(isTurned ? ", as set" : "") and at the ends of their ranges")
    }
    let seen =
      "peak \(Self.rounded(Double(peak)))" + (conditions.isEmpty ? "" : " ")
      + conditions.joined(separator: ", ")
    let figures: [String: Figure] = [
      "peak": .number(Double(peak)), "largestInput": .number(Double(Self.loudest)),
    ]
    guard let growing = growingLoop else { return trying(name, holds: true, seen, figures) }
    let length = counted(frames, isStream ? "frame" : "step")
    return Finding(.tried, name, .stated, "\(growing); in \(length) \(seen)", figures)
  }

  private var isTurned: Bool { settings != graph.parameters.map(\.initial) }

  /// The settings at which parameters rest in trials, each with its words.
  private var standing: [(place: String, values: [Float])] {
    guard !graph.parameters.isEmpty else { return [] }
    return (isTurned ? [(" with parameters as set", settings)] : []) + [
      (" with parameters at their minima", graph.parameters.map(\.minimum)),
      (" with parameters at their maxima", graph.parameters.map(\.maximum)),
    ]
  }

  /// The warning of a loop that grows without end, which a trial may be too short for; nil where none is known to.
  var growingLoop: String? {
    ((isTurned ? [] : [("", settings)]) + standing).lazy.compactMap { place, values in
      graph.growingLoops(settingParameters: values).first?.subject.map {
        "\(quoted($0)) grows without end\(place)"
      }
    }.first
  }

  /// The largest magnitude of an input's numbers.
  private static let loudest: Float = 16

  /// The cause of the first non-finite number of a trial; nil where there is none, or the model is too large
  /// to be watched.
  private func firstNonFinite(_ trial: Stimulus) -> String? {
    guard let check = try? FiniteCheck(graph, program, target: plan.target, file: graph.name) else {
      return nil
    }
    return check.run(trial)?.sentence
  }
}
