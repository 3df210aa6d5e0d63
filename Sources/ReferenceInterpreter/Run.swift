// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// One run of a graph: its parameters on their way, and of each node the latest frames.
struct Run {
  let program: ReferenceInterpreter
  let inputs: [[Float]]
  let frames: Int
  private(set) var outputs: [[Estimate]]
  /// For each node its kept frames one after the other, used in turn.
  var results: [[Estimate]]
  /// For each node how many numbers a delay by a signal was asked for outside of its range.
  var outside: [(certain: Int, possible: Int)]
  private var tracks: [ParameterTrack]
  private var parameters: [Estimate] = []
  /// How far each phasor has come.
  private var phases: [Int: PhaseEstimate] = [:]
  private var pending: ArraySlice<ParameterEvent>

  private var isStream: Bool { program.graph.clock == .stream }

  init(_ program: ReferenceInterpreter, inputs: [[Float]], frames: Int, events: [ParameterEvent]) {
    let graph = program.graph
    let isStream = graph.clock == .stream
    let lengths = graph.inputs.flatMap { input in
      let count = input.type.shape.count
      return isStream ? Array(repeating: frames, count: count) : [count * frames]
    }
    precondition(
      inputs.map(\.count) == lengths, "the inputs have \(inputs.map(\.count)) numbers instead of \(lengths)")
    self.program = program
    self.inputs = inputs
    self.frames = frames
    let rows = graph.outputs.map { isStream ? graph.shape(of: $0.value).count : 1 }
    outputs = Array(repeating: [], count: rows.reduce(0, +))
    results = zip(program.counts, program.kept).map { Array(repeating: .zero, count: $0 * $1) }
    outside = graph.nodes.map { _ in (0, 0) }
    tracks = graph.parameters.map { ParameterTrack($0, clock: graph.clock) }
    pending = Self.effective(events)[...]
  }

  /// The events in the order of their frames, without what is ignored or replaced before it could be heard.
  private static func effective(_ events: [ParameterEvent]) -> [ParameterEvent] {
    var result: [ParameterEvent] = []
    // Sorting by frame and place keeps the order of those at one frame.
    for (_, event) in events.enumerated().sorted(by: { ($0.1.frame, $0.0) < ($1.1.frame, $1.0) })
    where !event.value.isNaN {
      let earlier = result.lastIndex { $0.frame != event.frame }.map { $0 + 1 } ?? 0
      if let same = result[earlier...].firstIndex(where: { $0.parameter == event.parameter }) {
        result[same] = event
      } else {
        result.append(event)
      }
    }
    return result
  }

  /// The next frame of what comes out, which is as late as the program is.
  mutating func advance(to frame: Int) {
    let own = frame - program.latency
    if own >= -program.lead.most { compute(own) }
    collect(own)
  }

  /// A frame of the outputs; each node's own is so much later as it runs ahead.
  private mutating func compute(_ frame: Int) {
    // Parameters run ahead of everything.
    let latest = frame + program.lead.most
    var isStale = latest == 0
    while let event = pending.first, event.frame <= latest {
      if tracks[event.parameter].beginsRamp(event.value, atFrame: latest) {
        for index in tracks.indices { tracks[index].restart() }
      }
      tracks[event.parameter].set(event.value, atFrame: latest)
      pending.removeFirst()
      isStale = true
    }
    parameters.removeAll(keepingCapacity: true)
    for index in tracks.indices { parameters.append(tracks[index].advance()) }
    for node in program.order {
      if program.isHeld[node] {
        if isStale { evaluate(node, latest) }
      } else if frame + program.lead.frames[node] >= 0 {
        evaluate(node, frame + program.lead.frames[node])
      }
    }
  }

  /// Where in `results[node]` the numbers of a frame begin, or nil before the start.
  func base(_ node: Int, _ frame: Int) -> Int? {
    frame < 0 ? nil : frame % program.kept[node] * program.counts[node]
  }

  private mutating func collect(_ frame: Int) {
    var row = 0
    guard frame >= 0 else {
      for row in outputs.indices { outputs[row].append(.zero) }
      return
    }
    for output in program.graph.outputs {
      let node = Int(program.graph[output.value].definition.index)
      let start = base(node, frame)!
      for offset in 0..<program.counts[node] {
        outputs[row].append(results[node][start + offset])
        if isStream { row += 1 }
      }
      if !isStream { row += 1 }
    }
  }

  private mutating func evaluate(_ node: Int, _ frame: Int) {
    let operands = program.operands[node]
    let start = base(node, frame)!
    let count = program.counts[node]
    func bases() -> [Int] { operands.map { base($0, frame)! } }
    switch program.kernels[node] {
    case .input(let port):
      readInput(port, into: node, start, frame)
    case .parameter(let index):
      results[node][start] = parameters[index]
    case .fixed(let numbers):
      for row in 0..<count { results[node][start + row] = numbers[row] }
    case .unary(let op):
      let (x, base) = (results[operands[0]], bases()[0])
      for row in 0..<count { results[node][start + row] = op.estimate(x[base + row]) }
    case .binary(let op, let rows, let isSquare):
      let (x, y, bases) = (results[operands[0]], results[operands[1]], bases())
      for row in 0..<count {
        let a = x[bases[0] + rows[0][row]]
        results[node][start + row] = isSquare ? a.squared : op.estimate(a, y[bases[1] + rows[1][row]])
      }
    case .select(let rows):
      evaluateTernary(node, start, rows, bases()) { Estimate.select($0, $1, $2) }
    case .fma(let rows):
      evaluateTernary(node, start, rows, bases()) { Estimate.fma($0, $1, $2) }
    case .gather(let rows):
      let (x, base) = (results[operands[0]], bases()[0])
      for row in 0..<count { results[node][start + row] = rows[row] < 0 ? .zero : x[base + rows[row]] }
    case .join(let sources):
      let bases = bases()
      for row in 0..<count {
        let source = sources[row]
        results[node][start + row] = results[operands[source.operand]][bases[source.operand] + source.row]
      }
    case .reduce(let kind, let outer, let extent, let inner):
      reduce(kind, node, start, outer: outer, extent: extent, inner: inner, from: bases()[0])
    case .dense(let outer, let inputs, let outputs, let inner):
      dense(node, start, outer: outer, inputs: inputs, outputs: outputs, inner: inner, bases())
    case .convolution(let walk):
      convolve(node, frame, walk)
    case .delay(let length):
      let earlier = base(operands[0], frame - length)
      for row in 0..<count {
        results[node][start + row] = earlier.map { results[operands[0]][$0 + row] } ?? .zero
      }
    case .lookahead(let length):
      let later = base(operands[0], frame + length)!
      for row in 0..<count { results[node][start + row] = results[operands[0]][later + row] }
    case .tap(let tap, let rows):
      self.tap(node, frame, tap, rows)
    case .phasor:
      let phase = phases[node, default: PhaseEstimate()]
      results[node][start] = phase.shown
      phases[node] = phase.advanced(
        by: results[operands[0]][bases()[0]], sampleRate: program.graph.sampleRate)
    case .noise(let seed):
      results[node][start] = Estimate(WhiteNoise.sample(seed: seed, position: frame))
    case .control:
      results[node][start] =
        frame % 64 == 0 ? results[operands[0]][bases()[0]] : results[node][base(node, frame - 1)!]
    }
  }

  private mutating func evaluateTernary(
    _ node: Int, _ start: Int, _ rows: [[Int]], _ bases: [Int],
    _ function: (Estimate, Estimate, Estimate) -> Estimate
  ) {
    let operands = program.operands[node]
    let (a, b, c) = (results[operands[0]], results[operands[1]], results[operands[2]])
    for row in rows[0].indices {
      results[node][start + row] = function(
        a[bases[0] + rows[0][row]], b[bases[1] + rows[1][row]], c[bases[2] + rows[2][row]])
    }
  }
}
