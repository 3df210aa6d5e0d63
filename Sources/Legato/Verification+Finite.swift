// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning
internal import RealtimeCore
internal import ReferenceInterpreter

/// Law 4: no infinity and no not-a-number from loud input, wherever the parameters are.
extension Verification {
  func finite(_ frames: Int) throws(ContextError) -> Finding {
    let name = "law 4: finite"
    var trials = [Stimulus.trial(of: graph, frames: frames, amplitude: Self.loudest)]
    if !graph.parameters.isEmpty {
      for isHigh in [false, true] {
        var trial = trials[0]
        trial.changes = graph.parameters.enumerated().map { index, parameter in
          ParameterEvent(frame: 0, parameter: index, value: isHigh ? parameter.maximum : parameter.minimum)
        }
        trials.append(trial)
      }
    }
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
    if trials.count > 1 { conditions.append("parameters moving and at the ends of their ranges") }
    return trying(
      name, holds: true,
      (["peak \(Self.rounded(Double(peak)))"] + [conditions.joined(separator: ", ")]).filter { !$0.isEmpty }
        .joined(separator: " "),
      ["peak": .number(Double(peak)), "largestInput": .number(Double(Self.loudest))])
  }

  /// What an input's numbers are at most.
  private static let loudest: Float = 16

  /// What made the first number of a trial that is not finite; nil where the model is too large to be looked at.
  private func firstNonFinite(_ trial: Stimulus) -> String? {
    guard let check = try? FiniteCheck(graph, program, target: plan.target, file: graph.name) else {
      return nil
    }
    return check.run(trial)?.sentence
  }
}
