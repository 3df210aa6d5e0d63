// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import RealtimeCore
internal import ReferenceInterpreter

extension Verification {
  /// The laws that streams keep.
  func streamLaws() throws(ContextError) -> [Check] {
    let trial = Trial(graph, frames: frames)
    let whole = try render(program, trial, blocks: [trial.frames])
    return [
      try splitting(trial, whole), try interpreted(trial, whole), try fresh(trial, whole),
      try apart(trial, whole), try finite(trial), try latency(), try variations(trial, whole),
      try placed(trial, whole),
    ]
  }

  private func render(
    _ program: Program, _ trial: Trial, blocks: [Int], inPlace: Bool = false
  ) throws(ContextError) -> [[Float]] {
    var context = try Context(program)
    let rendering = Rendering(blocks: blocks, changes: trial.changes, inPlace: inPlace)
    return rendering.run(&context, trial.inputs, frames: trial.frames)
  }

  private static let splits = [[1], [2], [3], [7], [16], [63], [64], [65], [128], [1000], [1, 127, 300, 5]]

  private func splitting(_ trial: Trial, _ whole: [[Float]]) throws(ContextError) -> Check {
    for blocks in Self.splits {
      if let frame = difference(try render(program, trial, blocks: blocks), whole) {
        return Check(
          name: "law 1: blocks", figure: "blocks of \(blocks) change frame \(frame)", passed: false)
      }
    }
    return Check(
      name: "law 1: blocks", figure: "\(Self.splits.count) ways to split give the same bits", passed: true)
  }

  private func interpreted(_ trial: Trial, _ whole: [[Float]]) throws(ContextError) -> Check {
    let events = trial.changes.map {
      ParameterEvent(frame: $0.frame, parameter: $0.parameter, value: $0.value)
    }
    let result = ReferenceInterpreter(graph).run(inputs: trial.inputs, frames: trial.frames, events: events)
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
    let jumps = "\(percent(result.shareOnJumps)) on a jump"
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

  private func fresh(_ trial: Trial, _ whole: [[Float]]) throws(ContextError) -> Check {
    var context = try Context(program)
    let rendering = Rendering(blocks: [128], changes: trial.changes)
    _ = rendering.run(&context, trial.inputs, frames: trial.frames)
    // A fresh context holds the initial values; so must this one before it begins again.
    for (parameter, declaration) in zip(context.parameters, graph.parameters) {
      parameter.set(declaration.initial)
    }
    context.reset()
    let frame = difference(rendering.run(&context, trial.inputs, frames: trial.frames), whole)
    return Check(
      name: "law 3: reset",
      figure: frame.map { "frame \($0) differs after a reset" } ?? "the same bits as a fresh context",
      passed: frame == nil)
  }

  private func apart(_ trial: Trial, _ whole: [[Float]]) throws(ContextError) -> Check {
    var one = try Context(program)
    var other = try Context(program)
    let rendering = Rendering(blocks: [128], changes: trial.changes)
    // The second context begins in the middle of the first one's signal, and goes on to its end.
    let loud = trial.inputs.map { row in row.map { $0 * 0.5 } }
    _ = rendering.run(&other, loud, frames: trial.frames / 2)
    let first = rendering.run(&one, trial.inputs, frames: trial.frames)
    let frame = difference(first, whole)
    return Check(
      name: "law 3: contexts",
      figure: frame.map { "another context changes frame \($0)" } ?? "two contexts do not touch",
      passed: frame == nil)
  }

  private func finite(_ trial: Trial) throws(ContextError) -> Check {
    let loud = Trial(graph, frames: trial.frames, amplitude: 16)
    let output = try render(program, loud, blocks: [128])
    for (row, samples) in output.enumerated() {
      if let frame = samples.firstIndex(where: { !$0.isFinite }) {
        return Check(
          name: "law 4: finite", figure: "row \(row), frame \(frame): \(samples[frame])", passed: false)
      }
    }
    let peak = output.joined().map(Swift.abs).max() ?? 0
    return Check(
      name: "law 4: finite", figure: "peak \(rounded(Double(peak))) for input up to ±16", passed: true)
  }

  /// Input that begins late begins to show in the output no earlier than the latency later.
  private func latency() throws(ContextError) -> Check {
    let (begin, frames) = (300, 600)
    let silent = Trial(graph, frames: frames, amplitude: 0, movesParameters: false)
    var late = silent
    for row in late.inputs.indices {
      for frame in begin..<frames { late.inputs[row][frame] = 0.5 }
    }
    let (a, b) = (try render(program, silent, blocks: [128]), try render(program, late, blocks: [128]))
    let planned = program.layout.latency
    let early = difference(a, b).map { $0 < begin + planned } ?? false
    return Check(
      name: "law 5: latency",
      figure: early ? "the output knows of the input before it comes" : "\(planned) frames, as planned",
      passed: !early)
  }

  private func variations(_ trial: Trial, _ whole: [[Float]]) throws(ContextError) -> Check {
    for variant in variants {
      if let frame = difference(try render(variant.program, trial, blocks: [128]), whole) {
        return Check(
          name: "law 7: passes", figure: "without \(variant.name) frame \(frame) differs", passed: false)
      }
    }
    let names = variants.map(\.name).joined(separator: ", ")
    return Check(name: "law 7: passes", figure: "the same bits without \(names)", passed: true)
  }

  private func placed(_ trial: Trial, _ whole: [[Float]]) throws(ContextError) -> Check {
    let frame = difference(try render(program, trial, blocks: [128, 77], inPlace: true), whole)
    return Check(
      name: "law 8: in place",
      figure: frame.map { "frame \($0) differs in place" } ?? "the same bits in place", passed: frame == nil)
  }

  // MARK: Steps

  /// The laws that programs of steps keep.
  func stepLaws() throws(ContextError) -> [Check] {
    let count = 8
    let steps = (0..<count).map { Trial.step(graph, number: $0) }
    func run(_ program: Program) throws(ContextError) -> [[[Float]]] {
      var context = try Context(program)
      return steps.map { Rendering.step(&context, $0) }
    }
    let first = try run(program)
    let inputs = graph.inputs.indices.map { input in steps.flatMap { $0[input] } }
    let result = ReferenceInterpreter(graph).run(inputs: inputs, frames: count, events: [])
    let flat = graph.outputs.indices.map { output in first.flatMap { $0[output] } }

    var context = try Context(program)
    _ = steps.map { Rendering.step(&context, $0) }
    context.reset()
    let again = steps.map { Rendering.step(&context, $0) }
    let isFresh = difference(again.flatMap(\.self), first.flatMap(\.self)) == nil
    var differing: String?
    for variant in variants
    where difference(try run(variant.program).flatMap(\.self), first.flatMap(\.self)) != nil {
      differing = variant.name
    }
    return [
      agreement(flat, result),
      Check(
        name: "law 3: reset",
        figure: isFresh ? "the same bits as a fresh context" : "a step differs after a reset", passed: isFresh
      ),
      Check(
        name: "law 7: passes",
        figure: differing.map { "without \($0) a step differs" } ?? "the same bits without fusion",
        passed: differing == nil),
    ]
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

/// A signal to try a graph on, with parameters that move through their ranges.
struct Trial {
  var inputs: [[Float]]
  var frames: Int
  var changes: [Rendering.Change] = []

  init(_ graph: Graph, frames: Int, amplitude: Float = 1, movesParameters: Bool = true) {
    self.frames = frames
    let rows = graph.inputs.reduce(0) { $0 + $1.type.shape.count }
    inputs = (0..<rows).map { row in
      var noise = Noise(seed: UInt64(row) + 1)
      return (0..<frames).map { frame in
        // Tones, noise and silence by turns: what effects meet.
        switch frame / 500 % 3 {
        case 0: amplitude * noise.next()
        case 1: amplitude * Float(1 - 2 * ((frame * (row + 3)) % 101) / 101) * noise.next()
        default: frame % 97 == 0 ? amplitude : 0
        }
      }
    }
    guard movesParameters else { return }
    var noise = Noise(seed: 99)
    for (index, parameter) in graph.parameters.enumerated() {
      for time in [0, 200, 333, 1_400, 1_401, 2_100] where time + index * 31 < frames {
        let share = (noise.next() + 1) / 2
        let value = parameter.minimum + share * (parameter.maximum - parameter.minimum)
        changes.append(.init(frame: time == 0 ? 0 : time + index * 31, parameter: index, value: value))
      }
    }
  }

  /// The elements of all inputs of one step.
  static func step(_ graph: Graph, number: Int) -> [[Float]] {
    graph.inputs.enumerated().map { index, input in
      var noise = Noise(seed: UInt64(number * 64 + index + 1))
      return (0..<input.type.shape.count).map { _ in noise.next() }
    }
  }
}

/// Numbers from -1 to 1 that a seed repeats (Marsaglia's xorshift, 2003).
private struct Noise {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(Int64(bitPattern: state) >> 40) / Float(1 << 23)
  }
}
