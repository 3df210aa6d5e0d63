// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// A stream as a graph of steps, of which each is so many frames from the stream's beginning.
  ///
  ///     src [2, frames] ──▶ delay 3 ──▶ dst          src [480, 2] ──▶ shift 3 ──▶ dst [480, 2]
  ///
  /// Frames become the first axis, and what is remembered from frame to frame becomes a cycle along it (`SequenceCycle`);
  /// parameters rest. Outputs are as late as those of the stream. Where state is carried there are an input and an output
  /// `state.0`, … more for each thing that is remembered, earliest frame first; else each step begins with silence.
  ///
  /// - Parameters:
  ///   - frames: how many, at least 1; where something is sampled and held, a multiple of 64 lets the next step go on.
  ///   - carriesState: whether what the last frames leave is given to the next step.
  ///   - countsPhases: whether phases are whole numbers, as in a stream, through which no gradient goes; else they are
  ///     floats.
  /// - Throws: `TypingError` where a cycle goes through something that works along all frames only.
  package func bound(
    frames: Int, carryingState carriesState: Bool = false, countingPhases countsPhases: Bool = false
  ) throws(TypingError) -> Graph {
    precondition(clock == .stream && frames >= 1, "a stream is bound to so many frames")
    var binding = FrameBinding(
      aligned().canonical(), frames: frames, carriesState: carriesState, countsPhases: countsPhases)
    let result = try binding.graph()
    if let violation = Verifier.violations(in: result).first { throw TypingError(violation.message) }
    return result
  }
}

/// The walk that binds a stream.
private struct FrameBinding {
  private let source: Graph
  private let frames: Int
  private let carriesState: Bool
  private let countsPhases: Bool
  private let isInCycle: [Bool]
  private var lifting: LeadingAxis
  /// The frames that are left for the next step.
  private var states: [ValueID] = []

  init(_ source: Graph, frames: Int, carriesState: Bool, countsPhases: Bool) {
    self.source = source
    self.frames = frames
    self.carriesState = carriesState
    self.countsPhases = countsPhases
    var isInCycle = [Bool](repeating: false, count: source.nodes.count)
    for component in source.components() where source.isCycle(component) {
      for node in component { isInCycle[Int(node.index)] = true }
    }
    self.isInCycle = isInCycle
    let start = source.nodes.filter { $0.op.hasFramesOfItsOwn(in: source) }
    lifting = LeadingAxis(
      source, extent: frames, has: source.dependents(of: start.map(\.result)),
      in: source.emptyAssembler(clock: .step))
  }

  mutating func graph() throws(TypingError) -> Graph {
    lifting.declareGiven { [frames] port in
      let shape = port.type.shape
      return shape.frames == nil ? shape : Shape([frames] + shape.fixed)
    }
    for (row, node) in source.nodes.enumerated() where !node.op.isLeaf {
      lifting.define(node.result, as: try bound(node, isInCycle: isInCycle[row]))
    }
    for output in source.outputs { lifting.assembler.output(output.name, try lifting.lifted(output.value)) }
    for (row, state) in states.enumerated() { lifting.assembler.output("state.\(row)", state) }
    return lifting.assembler.finished()
  }

  private mutating func bound(_ node: Node, isInCycle: Bool) throws(TypingError) -> ValueID {
    guard lifting.has(node.result) else {
      // What rests is sampled and held as it is.
      if case .time(.control) = node.op.kind { return lifting.value(node.operands[0]) }
      return try lifting.assembler.apply(node.op, node.operands.map { lifting.value($0) })
    }
    switch node.op.kind {
    case .time(.delay(let count)):
      return try delayed(lifting.lifted(node.operands[0]), by: count)
    case .time(.tap(let tap)):
      // A frame further back than the step is in the past only.
      guard !isInCycle || carriesState && frames <= tap.minimum else {
        guard tap.minimum > 0 else {
          throw TypingError(
            "a delay by a signal in a cycle, which may be of no frame, has no steps of many frames")
        }
        let least = "\(tap.minimum) frame" + (tap.minimum == 1 ? "" : "s")
        throw TypingError(
          "a delay by a signal in a cycle, of \(least) at least, has steps of \(least) at most"
            + (carriesState ? "" : " that carry state; learning has them with --recompute \(tap.minimum)"))
      }
      return try tapped(node, tap, isInCycle: isInCycle)
    case .time(.control):
      guard !isInCycle else { throw TypingError("control in a cycle has no steps of many frames") }
      let index = lifting.assembler.numbers("held frames", (0..<frames).map { Float($0 / 64 * 64) })
      return try lifting.assembler.apply(.gather(axis: 0), lifting.lifted(node.operands[0]), index)
    case .time(.lookahead):
      preconditionFailure("an aligned graph looks at no later frames")
    case .source(.phasor):
      return countsPhases
        ? try countedPhase(of: node.operands[0]) : try phase(of: node.operands[0])
    case .source(.noise(let seed)):
      return lifting.assembler.numbers(
        "noise \(seed)", (0..<frames).map { WhiteNoise.sample(seed: seed, position: $0) })
    case .layer(.convolution(let convolution)) where convolution.axis == .frames:
      return isInCycle ? try taps(node, convolution) : try convolved(node, convolution)
    case .given, .elementwise, .movement, .reduction, .layer, .contraction:
      return try lifting.apply(node)
    }
  }

  // MARK: State

  /// So many frames before the step: silence, or what the step before has left.
  ///
  /// - Parameter x: a value with frames, of which the last are left to the next step.
  private mutating func past(_ count: Int, of x: ValueID) throws(TypingError) -> ValueID? {
    guard carriesState else { return nil }
    let rest = lifting.assembler.shape(of: x)!.fixed.dropFirst()
    let past = lifting.assembler.input("state.\(states.count)", TensorType(Shape([count] + rest)))
    let whole = try lifting.assembler.apply(.concatenate(axis: 0), past, x)
    states.append(try lifting.assembler.apply(.slice(axis: 0, start: frames, count: count), whole))
    return past
  }

  /// x of so many frames before, in cycles and outside of them.
  private mutating func delayed(_ x: ValueID, by count: Int) throws(TypingError) -> ValueID {
    let shifted = try lifting.assembler.apply(.shift(axis: 0, by: count), x)
    guard let past = try past(count, of: x) else { return shifted }
    let first = min(count, frames)
    var begin = past
    if first < count { begin = try lifting.assembler.apply(.slice(axis: 0, start: 0, count: first), past) }
    if first < frames {
      begin = try lifting.assembler.apply(.pad(axis: 0, before: 0, after: frames - first), begin)
    }
    return try lifting.assembler.apply(.binary(.add), shifted, begin)
  }

  /// x with so many frames more in front, outside of cycles.
  private mutating func preceded(_ x: ValueID, by count: Int) throws(TypingError) -> ValueID {
    guard count > 0 else { return x }
    guard let past = try past(count, of: x) else {
      return try lifting.assembler.apply(.pad(axis: 0, before: count, after: 0), x)
    }
    return try lifting.assembler.apply(.concatenate(axis: 0), past, x)
  }

  // MARK: Convolutions

  /// Frames behind the channels, as a convolution has them:
  ///
  ///     [span + frames, batch…, in]   →   [batch…, in, span + frames]   →   [batch…, out, frames]
  private mutating func convolved(
    _ node: Node, _ convolution: Convolution
  ) throws(TypingError) -> ValueID {
    let x = try preceded(lifting.lifted(node.operands[0]), by: convolution.history)
    let rank = lifting.assembler.shape(of: x)!.fixed.count
    var fixed = convolution
    fixed.axis = .fixed(rank - 1)
    let turned = try lifting.assembler.apply(.transpose(Array(1..<rank) + [0]), x)
    let result = try lifting.assembler.apply(
      .convolution(fixed), [turned] + node.operands.dropFirst().map { lifting.value($0) })
    return try lifting.assembler.apply(.transpose([rank - 1] + (0..<rank - 1)), result)
  }

  /// In a cycle each tap of the kernel is a matrix for the frame that it reads.
  private mutating func taps(_ node: Node, _ convolution: Convolution) throws(TypingError) -> ValueID {
    guard convolution.groups == 1, convolution.walks[0].kernelSize <= Self.mostTaps else {
      throw TypingError(
        "conv1d in a cycle has steps of many frames with one group and up to \(Self.mostTaps) taps")
    }
    let x = lifting.value(node.operands[0])
    let walk = convolution.walks[0]
    let axis = lifting.assembler.shape(of: x)!.fixed.count - 1
    let weight = lifting.value(node.operands[1])
    let extents = Array(lifting.assembler.shape(of: weight)!.fixed[..<2])
    var result: ValueID?
    for tap in 0..<walk.kernelSize {
      let back = (walk.kernelSize - 1 - tap) * walk.dilation
      let read = back == 0 ? x : try delayed(x, by: back)
      let slice = try lifting.assembler.apply(.slice(axis: 2, start: tap, count: 1), weight)
      let matrix = try lifting.reshaped(slice, extents)
      let bias = tap == 0 ? node.operands.dropFirst(2).map { lifting.value($0) } : []
      let sum = try lifting.assembler.apply(.dense(axis: axis), [read, matrix] + bias)
      result =
        try result.map { other throws(TypingError) in
          try lifting.assembler.apply(.binary(.add), other, sum)
        } ?? sum
    }
    return result!
  }

  private static let mostTaps = 256

  // MARK: Time

  /// A delay by a signal: rows of the past by their index, for each number that is read of it.
  private mutating func tapped(
    _ node: Node, _ tap: Tap, isInCycle: Bool
  ) throws(TypingError) -> ValueID {
    let fixed = source.shape(of: node.result).fixed
    let channels = fixed.reduce(1, *)
    let rows = frames + tap.maximum + 2
    guard rows * channels <= Limits.extent else {
      throw TypingError(
        "a delay by a signal would look among \(rows) x \(channels) numbers; \(Limits.extent) are the most")
    }
    func whole(_ operand: Int) throws(TypingError) -> ValueID {
      let stretched = try lifting.stretched(node.operands[operand], rank: fixed.count, at: 0)
      return try lifting.assembler.apply(.broadcast([frames] + fixed), stretched)
    }
    let read = tap.maximum + 2
    let past: ValueID
    if isInCycle, let earlier = try self.past(read, of: whole(0)) {
      past = try lifting.reshaped(earlier, [read * channels])
    } else {
      past = try lifting.reshaped(preceded(whole(0), by: read), [rows * channels])
    }
    let least = Formula(Double(tap.minimum))
    let most = Formula(Double(tap.maximum))
    let by = Formula.min(.max(Formula(try whole(1)), least), most)
    let back = Formula(.unary(.floor), by)
    let share = by - back
    // Where frame t of channel c stands.
    let own = lifting.assembler.numbers(
      "places of \(channels) channels behind \(tap.maximum) frames",
      (0..<frames * channels).map { Float($0 + (tap.maximum + 2) * channels) })
    let place = Formula(try lifting.reshaped(own, [frames] + fixed))
    func at(_ frame: Formula) -> Formula {
      let kept = Formula.min(.max(frame, least), most)
      return Formula(.gather(axis: 0), Formula(past), place - kept * Formula(Double(channels)))
    }
    let (a, b) = (at(back), at(back + 1))
    switch tap.interpolation {
    case .none: return try a.value(in: &lifting.assembler)
    case .linear: return try (a + share * (b - a)).value(in: &lifting.assembler)
    case .cubic:
      let (before, behind) = (at(back - 1), at(back + 2))
      let first = (b - before) * 0.5
      let second = before + a * -2.5 + b * 2 + behind * -0.5
      let third = (behind - before) * 0.5 + (a - b) * 1.5
      return try (a + share * (first + share * (second + share * third))).value(in: &lifting.assembler)
    }
  }

  /// The turns that have gone before each frame, without whole ones: a running sum.
  private mutating func phase(of frequency: ValueID) throws(TypingError) -> ValueID {
    let limit = Double(Phase.limit(sampleRate: source.sampleRate))
    let kept = Formula.max(.min(Formula(try lifting.lifted(frequency)), Formula(limit)), Formula(-limit))
    let sum = lifting.assembler.forward(TensorType(Shape([frames])))
    let before = try delayed(sum, by: 1)
    let next = Formula(before) + kept * Formula(1 / source.sampleRate)
    let rest = try (next - Formula(.unary(.floor), next)).value(in: &lifting.assembler)
    lifting.assembler.bind(sum, to: rest)
    return before
  }

  /// The same as a stream counts it (`Phase`), in whole numbers below 2^32, of which a float holds the upper and the lower
  /// 16 bits each.
  private mutating func countedPhase(of frequency: ValueID) throws(TypingError) -> ValueID {
    let half = Formula(65_536)
    let limit = Double(Phase.limit(sampleRate: source.sampleRate))
    let kept = Formula.max(.min(Formula(try lifting.lifted(frequency)), Formula(limit)), Formula(-limit))
    let scale = Formula(Double(Phase.scale(sampleRate: source.sampleRate)))
    let step = Formula(try Formula(.unary(.truncate), kept * scale).value(in: &lifting.assembler))
    let upper = Formula(.unary(.floor), step * Formula(0x1p-16))
    let (low, turns) = try counted(step - upper * half)
    let (high, _) = try counted(upper + turns)
    return try (high * Formula(0x1p-16) + Formula(.unary(.floor), low * Formula(0x1p-8)) * Formula(0x1p-24))
      .value(in: &lifting.assembler)
  }

  /// The sum of whole numbers before each frame, modulo 65536, and how often it is gone through with the frame.
  private mutating func counted(_ step: Formula) throws(TypingError) -> (sum: Formula, turns: Formula) {
    let sum = lifting.assembler.forward(TensorType(Shape([frames])))
    let before = Formula(try delayed(sum, by: 1))
    let next = Formula(try (before + step).value(in: &lifting.assembler))
    let turns = Formula(
      try Formula(.unary(.floor), next * Formula(0x1p-16)).value(in: &lifting.assembler))
    lifting.assembler.bind(sum, to: try (next - turns * Formula(65_536)).value(in: &lifting.assembler))
    return (before, turns)
  }
}

extension Op {
  /// Whether the result has frames whatever the operands have.
  fileprivate func hasFramesOfItsOwn(in graph: Graph) -> Bool {
    switch kind {
    case .given(.input(let port)): graph.inputs[port].type.shape.frames != nil
    case .layer(.convolution(let convolution)): convolution.axis == .frames
    case .time(.delay), .time(.tap), .source: true
    case .given, .elementwise, .movement, .reduction, .layer, .contraction, .time: false
    }
  }
}

extension GraphAssembler {
  /// Numbers that a step needs; one array for each name.
  fileprivate mutating func numbers(_ name: String, _ numbers: [Float]) -> ValueID {
    weights(named: name) ?? weights(Weights(name: name, shape: [numbers.count], values: Numbers(numbers)))
  }
}
