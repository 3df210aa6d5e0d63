// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning
internal import RealtimeCore
internal import ReferenceInterpreter

extension Verification {
  /// The laws that can be tried on signals.
  func laws() throws(ContextError) -> [Check] {
    let trial = Stimulus.trial(of: graph, frames: isStream ? frames : Self.steps)
    let whole = try render(program, trial)
    var checks = [
      try interpreted(trial, whole), try fresh(trial, whole), try apart(trial, whole),
      try finite(trial.frames),
      try variations(trial, whole), try placed(trial, whole),
    ]
    if isStream { checks += [try splitting(trial, whole), try latency()] }
    return checks
  }

  private var isStream: Bool { graph.clock == .stream }

  private static let steps = 24

  private func render(
    _ program: Program, _ trial: Stimulus, blocks: [Int] = [128], inPlace: Bool = false
  ) throws(ContextError) -> [[Float]] {
    var context = try Context(program)
    return render(&context, trial, blocks: blocks, inPlace: inPlace)
  }

  private func render(
    _ context: inout Context, _ trial: Stimulus, blocks: [Int] = [128], inPlace: Bool = false
  ) -> [[Float]] {
    let playback = Playback(trial, through: context.program, inPlace: inPlace)
    playback.finish(&context, blocks)
    return playback.outputs
  }

  private static let splits = [
    [1], [2], [3], [7], [16], [63], [64], [65], [128], [1000], [1, 127, 300, 5],
  ]

  private func splitting(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Check {
    for blocks in Self.splits {
      if let frame = difference(try render(program, trial, blocks: blocks), whole) {
        return Check(
          name: "law 1: blocks", figure: "blocks of \(blocks) change frame \(frame)", passed: false)
      }
    }
    return Check(
      name: "law 1: blocks", figure: "\(Self.splits.count) ways to split give the same bits", passed: true)
  }

  private func interpreted(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Check {
    let result = ReferenceInterpreter(graph).run(
      inputs: trial.inputs, frames: trial.frames, events: trial.changes)
    return agreement(whole, result)
  }

  /// Whether native output lies where the interpreter says it must.
  ///
  /// Around a cycle an error radius can grow without end although the signal does not: what is recurrent has to stay
  /// within -90 dB of the peak of double precision as well, and its radius need not be finite.
  func agreement(_ native: [[Float]], _ result: ReferenceInterpreter.Result) -> Check {
    let name = "law 2: meaning"
    let isRecurrent = graph.components().contains(where: graph.isCycle)
    let peak = result.outputs.joined().lazy.map { Swift.abs($0.value) }.filter(\.isFinite).max() ?? 0
    var (widest, furthest) = (0.0, 0.0)
    for (row, estimates) in result.outputs.enumerated() {
      for (frame, estimate) in estimates.enumerated() {
        let sample = native[row][frame]
        let distance = Swift.abs(Double(sample) - estimate.value)
        let isNear =
          !isRecurrent || estimate.sitsOnJump || distance.isNaN || distance <= peak * Self.minus90dB
        guard estimate.contains(sample), isNear else {
          return Check(
            name: name, figure: "row \(row), frame \(frame): \(sample), not \(estimate.value)", passed: false)
        }
        if !estimate.sitsOnJump {
          if estimate.radius.isFinite { widest = Swift.max(widest, estimate.radius) }
          if distance.isFinite { furthest = Swift.max(furthest, distance) }
        }
      }
    }
    let notFinite = native.reduce(0) { $0 + $1.count { !$0.isFinite } }
    let all = native.reduce(0) { $0 + $1.count }
    let infinities =
      notFinite == 0 ? "" : ", \(percent(Double(notFinite) / Double(all))) not finite, as may be"
    let jumps = "\(percent(result.shareOnJumps)) on a jump\(infinities)"
    guard !isRecurrent else {
      let figure = "recurrent, within \(rounded(furthest)) of double precision; \(jumps)"
      return Check(name: name, figure: figure, passed: result.shareOnJumps < 0.01)
    }
    // A share of unbounded estimates would make the comparison say nothing.
    return Check(
      name: name,
      figure: "within \(rounded(widest)) of double precision; \(jumps), "
        + "\(percent(result.shareUnbounded)) unbounded",
      passed: result.shareUnbounded < 0.01 && result.shareOnJumps < 0.01)
  }

  /// 90 dB below full level.
  private static let minus90dB = 3.1623e-5

  private func fresh(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Check {
    var context = try Context(program)
    _ = render(&context, trial)
    // A fresh context holds the initial values; so must this one before it begins again.
    for (parameter, declaration) in zip(context.parameters, graph.parameters) {
      parameter.set(declaration.initial)
    }
    context.reset()
    let place = difference(render(&context, trial), whole)
    return Check(
      name: "law 3: reset",
      figure: place.map { "number \($0) differs after a reset" } ?? "the same bits as a fresh context",
      passed: place == nil)
  }

  private func apart(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Check {
    var one = try Context(program)
    var other = try Context(program)
    var quiet = trial
    for row in quiet.inputs.indices { quiet.inputs[row] = quiet.inputs[row].map { $0 * 0.5 } }
    _ = render(&other, quiet)
    let place = difference(render(&one, trial), whole)
    return Check(
      name: "law 3: contexts",
      figure: place.map { "another context changes number \($0)" } ?? "two contexts do not touch",
      passed: place == nil)
  }

  private func finite(_ frames: Int) throws(ContextError) -> Check {
    let name = "law 4: finite"
    var trials = [Stimulus.trial(of: graph, frames: frames, amplitude: 16)]
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
          let figure = firstNonFinite(trial) ?? "row \(row), number \(place): \(samples[place])"
          return Check(name: name, figure: figure, passed: false)
        }
      }
      peak = Swift.max(peak, output.joined().lazy.map(Swift.abs).max() ?? 0)
    }
    let settings = trials.count == 1 ? "" : ", parameters moving and at the ends of their ranges"
    return Check(
      name: name, figure: "peak \(rounded(Double(peak))) for input up to ±16\(settings)", passed: true)
  }

  /// What made the first number of a trial that is not finite; nil where the model is too large to be looked at.
  private func firstNonFinite(_ trial: Stimulus) -> String? {
    guard let check = try? FiniteCheck(graph, program, target: plan.target, file: graph.name) else {
      return nil
    }
    return check.run(trial)?.sentence
  }

  /// Input that begins late must not show in the output before the planned latency has passed; and where nothing
  /// remembers, it has to show exactly then.
  ///
  /// It is as constant as the silence before it: where nothing remembers, a constant shows at once or never. Each row
  /// has another one, since differences of channels would not show, and there are several levels, since gates let
  /// some pass only.
  private func latency() throws(ContextError) -> Check {
    let name = "law 5: latency"
    let (begin, frames, planned) = (300, 600, program.layout.latency)
    var silent = Stimulus.trial(of: graph, frames: frames, movesParameters: false)
    for row in silent.inputs.indices { silent.inputs[row] = [Float](repeating: 0, count: frames) }
    let quiet = try render(program, silent)
    let levels: [Float] = [0.5, -1, 4, -16]
    var shown: Int?
    for level in levels {
      var late = silent
      for row in late.inputs.indices {
        for frame in begin..<frames { late.inputs[row][frame] = level / Float(row + 1) }
      }
      guard let frame = difference(quiet, try render(program, late)) else { continue }
      shown = Swift.min(frame, shown ?? frame)
    }
    guard let first = shown else {
      return Check(name: name, figure: "the output does not follow the input", passed: true)
    }
    let remembers = graph.nodes.contains { $0.op.history > 0 || $0.op == .control }
    let measured = first - begin
    let passed = remembers ? measured >= planned : measured == planned
    return Check(
      name: name, figure: passed ? "\(planned) frames, as planned" : "\(measured) frames, not \(planned)",
      passed: passed)
  }

  private func variations(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Check {
    for variant in variants {
      let reference = try variant.reference.map { program throws(ContextError) in try render(program, trial) }
      if let place = difference(try render(variant.program, trial), reference ?? whole) {
        return Check(
          name: "law 7: passes", figure: "without \(variant.name) number \(place) differs", passed: false)
      }
    }
    let names = variants.map(\.name).joined(separator: ", ")
    return Check(name: "law 7: passes", figure: "the same bits without \(names)", passed: true)
  }

  private func placed(_ trial: Stimulus, _ whole: [[Float]]) throws(ContextError) -> Check {
    let place = difference(try render(program, trial, blocks: [128, 77], inPlace: true), whole)
    return Check(
      name: "law 8: in place",
      figure: place.map { "number \($0) differs in place" } ?? "the same bits in place", passed: place == nil)
  }

  // MARK: Figures

  /// The first position at which two sets of rows differ in a bit.
  private func difference(_ a: [[Float]], _ b: [[Float]]) -> Int? {
    zip(a, b).compactMap { a, b in
      zip(a, b).enumerated().first { $1.0.bitPattern != $1.1.bitPattern && !($1.0.isNaN && $1.1.isNaN) }?
        .offset
    }.min()
  }

  private func rounded(_ value: Double) -> String {
    guard value != 0, value.isFinite else { return "\(value)" }
    let digits = 1 - Int(value.magnitude.exponent) * 3 / 10
    let scale = (0..<Swift.abs(digits)).reduce(1.0) { power, _ in power * 10 }
    let result = digits > 0 ? (value * scale).rounded() / scale : (value / scale).rounded() * scale
    return "\(result)"
  }

  private func percent(_ share: Double) -> String { "\((share * 10_000).rounded() / 100) %" }
}
