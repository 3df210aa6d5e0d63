// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// One run of a graph: its parameters on their way, and of each node the latest frames.
///
/// It counts frames from where the graph begins to warm up; frame 0 of the stream is the frame `warm`.
struct Run {
  let program: ReferenceInterpreter
  let inputs: [[Float]]
  let frames: Int
  /// The frames of silence before those of the inputs.
  private let warm: Int
  private(set) var outputs: [[Estimate]]
  let places: KeptFrames
  /// The kept frames of all nodes.
  var results: [Estimate]
  /// For each node how many numbers a delay by a signal was asked for outside of its range.
  var outside: [(certain: Int, possible: Int)]
  /// Of the delays by a signal, the one that floats have told least exactly.
  var coarsestDelay = Estimate.zero
  private var tracks: [ParameterTrack]
  private var parameters: [Estimate] = []
  /// How far each phasor has come.
  private var phases: [Int: PhaseEstimate] = [:]
  private var pending: ArraySlice<ParameterEvent>
  /// The way in which each result is rounded to a float, and each partial sum; nil in double precision.
  private let rounding: Rounding?
  var rounds: Bool { rounding != nil }
  /// In a run that rounds, how far that led, for each number of each node in a cycle.
  private var drifts: [Drift]
  private let driftPlaces: KeptFrames

  let isStream: Bool

  init(
    _ program: ReferenceInterpreter, inputs: [[Float]], frames: Int, events: [ParameterEvent],
    _ rounding: Rounding? = nil
  ) {
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
    warm = graph.prewarm
    self.rounding = rounding
    self.isStream = isStream
    let rows = graph.outputs.map { isStream ? graph.shape(of: $0.value).count : 1 }
    outputs = Array(repeating: [], count: rows.reduce(0, +))
    // A short run computes fewer frames than long delays look back.
    let computed = max(1, warm + frames + program.lead.most - program.latency)
    places = KeptFrames(kept: program.lead.kept.map { min($0, computed) }, counts: program.counts)
    results = Array(repeating: .zero, count: places.size)
    driftPlaces = KeptFrames(kept: program.counts.map { _ in 1 }, counts: program.counts)
    drifts = Array(repeating: Drift(), count: rounding == nil ? 0 : driftPlaces.size)
    outside = graph.nodes.map { _ in (0, 0) }
    tracks = graph.parameters.map { ParameterTrack($0, clock: graph.clock, rounding: rounding != nil) }
    pending = Self.effective(events)[...]
  }

  /// The events in the order of their frames, without what is ignored or replaced before it could act.
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

  /// Lets the outputs be wherever another run has them, too.
  mutating func unite(with other: Run) {
    for row in outputs.indices {
      outputs[row] = zip(outputs[row], other.outputs[row]).map { $0.united(with: $1) }
    }
  }

  /// The next frame of the outputs, with the program's latency; one that rounds beside the same frame without.
  mutating func advance(to frame: Int, beside exact: Run? = nil) {
    let own = frame - program.latency
    if frame == warm { outside = program.graph.nodes.map { _ in (0, 0) } }
    if own >= -program.lead.most { compute(own, exact) }
    if frame >= warm { collect(own) }
  }

  /// A frame of the outputs; each node's own is so much later as it runs ahead.
  private mutating func compute(_ frame: Int, _ exact: Run?) {
    // Parameters run ahead of everything.
    let latest = frame + program.lead.most
    var isStale = latest == 0
    while let event = pending.first, event.frame <= latest - warm {
      if tracks[event.parameter].beginsRamp(event.value, atFrame: latest - warm) {
        for index in tracks.indices { tracks[index].restart() }
      }
      tracks[event.parameter].set(event.value, atFrame: latest - warm)
      pending.removeFirst()
      isStale = true
    }
    parameters.removeAll(keepingCapacity: true)
    for index in tracks.indices { parameters.append(tracks[index].advance()) }
    for step in program.order {
      switch step {
      case .node(let node):
        if program.isHeld[node] {
          if isStale { evaluate(node, latest, exact) }
        } else if frame + program.lead.frames[node] >= 0 {
          evaluate(node, frame + program.lead.frames[node], exact)
        }
      case .sequence(let nodes, let positions):
        for position in positions {
          let part = ComputedPart(position: position, positions: positions.count)
          for node in nodes { evaluate(node, frame, exact, part) }
        }
      }
    }
  }

  private mutating func collect(_ frame: Int) {
    var row = 0
    guard frame >= 0 else {
      for row in outputs.indices { outputs[row].append(.zero) }
      return
    }
    for node in program.shown {
      let start = places[node, frame]!
      for offset in 0..<program.counts[node] {
        outputs[row].append(results[start + offset])
        if isStream { row += 1 }
      }
      if !isStream { row += 1 }
    }
  }

  private mutating func evaluate(
    _ node: Int, _ frame: Int, _ exact: Run?, _ part: ComputedPart = .whole
  ) {
    compute(node, frame, part)
    guard let exact else { return }
    let (start, drift) = (places[node, frame]!, driftPlaces[node, 0]!)
    for row in part.range(of: program.counts[node]) {
      let result = results[start + row]
      results[start + row] =
        program.isInCycle[node]
        ? drifts[drift + row].measured(result, beside: exact.results[start + row]) : result.rounded
    }
  }

  private mutating func compute(_ node: Int, _ frame: Int, _ part: ComputedPart) {
    let operands = program.operands[node]
    let start = places[node, frame]!
    let count = program.counts[node]
    let part = part.range
    let all = part(count)
    switch program.kernels[node] {
    case .input(let first):
      readInput(first, count, into: start, frame)
    case .parameter(let index):
      results[start] = parameters[index]
    case .fixed(let numbers):
      for row in 0..<count { results[start + row] = numbers[row] }
    case .unary(let op):
      let x = places[operands[0], frame]!
      for row in all {
        let operand = results[x + row]
        var result = op.estimate(operand)
        if let rounding, op.isApproximated {
          result = result.off(rounding, as: op.estimate(Estimate(certain: operand.value)))
        }
        results[start + row] = result
      }
    case .binary(let op, let rows, let ofItself):
      let (x, y) = (places[operands[0], frame]!, places[operands[1], frame]!)
      for row in all {
        let a = results[x + rows[0][row]]
        results[start + row] = ofItself ? op.estimate(ofItself: a) : op.estimate(a, results[y + rows[1][row]])
      }
    case .select(let rows, let whereNumber):
      evaluateTernary(operands, frame, into: start, rows, all) {
        whereNumber && !$0.sitsOnJump ? Estimate.either($0, $1, $2) : Estimate.select($0, $1, $2)
      }
    case .fma(let rows):
      evaluateTernary(operands, frame, into: start, rows, all) { Estimate.fma($0, $1, $2) }
    case .move(let rows):
      let x = places[operands[0], frame]!
      for row in all { results[start + row] = rows[row] < 0 ? .zero : results[x + rows[row]] }
    case .join(let sources):
      let bases = operands.map { places[$0, frame]! }
      for row in all {
        let source = sources[row]
        results[start + row] = results[bases[source.operand] + source.row]
      }
    case .pick(let rows, let count, let stride):
      let (x, indices) = (places[operands[0], frame]!, places[operands[1], frame]!)
      for row in all {
        let source = rows[row]
        results[start + row] = Estimate.picked(results[indices + source.index], of: count) { position in
          results[x + source.x + position * stride]
        }
      }
    case .reduce(let kind, let outer, let extent, let inner):
      reduce(
        kind, outer: part(outer), extent: extent, inner: inner, from: places[operands[0], frame]!, into: start
      )
    case .dense(let outer, let inputs, let outputs, let inner):
      dense(
        outer: part(outer), inputs: inputs, outputs: outputs, inner: inner,
        from: operands.map { places[$0, frame]! }, into: start)
    case .convolution(let walk):
      convolve(operands, frame, into: start, walk, outer: part(walk.outer))
    case .contraction(let rows, let terms):
      let (x, y) = (places[operands[0], frame]!, places[operands[1], frame]!)
      for row in all {
        let source = rows[row]
        var sum = EstimateSum(rounding: rounds)
        for term in 0..<terms { sum.add(results[x + source.x + term], times: results[y + source.y + term]) }
        results[start + row] = sum.result
      }
    case .delay(let length):
      let earlier = places[operands[0], frame - length]
      for row in 0..<count { results[start + row] = earlier.map { results[$0 + row] } ?? .zero }
    case .lookahead(let length):
      let later = places[operands[0], frame + length]!
      for row in 0..<count { results[start + row] = results[later + row] }
    case .tap(let tap, let rows):
      self.tap(node, frame, into: start, tap, rows)
    case .source(let source):
      results[start] = self.source(source, node, frame)
    case .control:
      let isDue = (frame - warm).isMultiple(of: Op.controlFrames)
      let held = isDue ? places[operands[0], frame] : places[node, frame - 1]
      results[start] = held.map { results[$0] } ?? .zero
    }
  }

  private mutating func source(_ source: Op.Source, _ node: Int, _ frame: Int) -> Estimate {
    switch source {
    case .phasor:
      let phase = phases[node, default: PhaseEstimate()]
      let frequency = results[places[program.operands[node][0], frame]!]
      phases[node] = phase.advanced(by: frequency, sampleRate: program.graph.sampleRate)
      return phase.shown
    case .noise(let seed):
      return Estimate(WhiteNoise.sample(seed: seed, position: frame - warm))
    }
  }

  private mutating func evaluateTernary(
    _ operands: [Int], _ frame: Int, into start: Int, _ rows: [[Int]], _ all: Range<Int>,
    _ function: (Estimate, Estimate, Estimate) -> Estimate
  ) {
    let a = places[operands[0], frame]!
    let b = places[operands[1], frame]!
    let c = places[operands[2], frame]!
    for row in all {
      results[start + row] = function(
        results[a + rows[0][row]], results[b + rows[1][row]], results[c + rows[2][row]])
    }
  }

  /// Copies a frame of a stream's input, or a step's whole array.
  private mutating func readInput(_ first: Int, _ count: Int, into start: Int, _ frame: Int) {
    let frame = frame - warm
    if frame < 0 {
      for row in 0..<count { results[start + row] = .zero }
    } else if isStream {
      for row in 0..<count { results[start + row] = Estimate(inputs[first + row][frame]) }
    } else {
      for row in 0..<count { results[start + row] = Estimate(inputs[first][frame * count + row]) }
    }
  }
}
