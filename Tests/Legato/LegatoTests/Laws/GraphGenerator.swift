// SPDX-License-Identifier: Apache-2.0

import GraphIR
import TestEquipment
import Testing

/// Makes graphs by chance, of every op, that mean something: shapes fit, and what is fed back stays small.
struct GraphGenerator {
  var random: SplitMix
  var assembler: GraphAssembler
  /// The values that operands are chosen from.
  var pool: [ValueID] = []
  /// Values that depend on parameters only.
  var controls: [ValueID] = []
  var weightsCount = 0
  /// Whether some values may be those of later frames.
  var looksAhead = false
  /// The positions along which cells go instead of from step to step, and whether from the last one back.
  var positions: Int?
  var isBackward = false
  /// Whether there are recurrent cells.
  var recurs = false

  /// The graph of a seed.
  static func graph(_ seed: UInt64) throws -> Graph {
    var random = SplitMix(seed: seed)
    let clock = random.chance(0.75) ? Clock.stream : .step
    var generator = GraphGenerator(
      random: random,
      assembler: GraphAssembler(name: "seed \(seed)", clock: clock, sampleRate: 48_000))
    generator.looksAhead = clock == .stream && seed.isMultiple(of: 3)
    generator.recurs = seed.isMultiple(of: 4)
    return try generator.make(seed)
  }

  var clock: Clock { assembler.graph.clock }
  var isStream: Bool { clock == .stream }

  /// Numbers in one value, or rows: of steps enough to fill a stage of vectors and leave some over.
  var mostNumbers: Int { isStream ? 24 : 320 }

  private mutating func make(_ seed: UInt64) throws -> Graph {
    addPorts()
    addControls()
    for _ in 0..<(3 + random.below(16)) {
      // What does not fit is left out: the next one will.
      if let value = try? next() { pool.append(value) }
    }
    if recurs, let x = pool.last(where: { !isStream || hasFrames($0) }) { pool.append(try cells(from: x)) }
    for index in 0..<(1 + random.below(3)) { assembler.output("y\(index)", try shown(index)) }
    var graph = assembler.finished()
    if random.chance(0.2) { addDeadNodes(to: &graph) }
    if seed % 5 == 1 { graph.prewarm = random.pick([1, 64, 100, 333]) }
    let violations = Verifier.violations(in: graph)
    try #require(violations.isEmpty, "\(violations)\n\(graph)")
    return graph
  }

  // MARK: Ports

  private mutating func addPorts() {
    let rows: [[Int]] = [[], [], [1], [2], [2], [3], [2, 3], [4], [2, 2], [1, 2]]
    let blocks: [[Int]] = [
      [], [1], [3], [5], [2, 3], [4, 6], [17], [2, 3, 4], [1, 9], [24], [16], [4, 4],
    ]
    for index in 0..<(1 + random.below(3)) {
      let shape = Shape(random.pick(isStream ? rows : blocks), frames: isStream ? .init() : nil)
      pool.append(assembler.input("x\(index)", TensorType(shape)))
    }
    for index in 0..<random.below(4) {
      let (low, high) = random.pick([(0.1, 4.0), (-2, 2), (0, 1)])
      controls.append(
        assembler.parameter(
          ParameterDeclaration(
            name: "p\(index)", initial: random.float(low, high), minimum: Float(low), maximum: Float(high),
            rampFrames: random.pick([0, 0, 1, 2, 50, 127, 128, 200, 960]))))
    }
  }

  /// Chains of functions of parameters, cheap ones and dear ones.
  private mutating func addControls() {
    guard !controls.isEmpty else { return }
    for _ in 0..<random.below(6) {
      let x = random.pick(controls)
      let y = random.chance(0.3) ? literal() : random.pick(controls)
      let op: Op = random.pick([
        .unary(.tanh), .unary(.abs), .unary(.exp), .unary(.sigmoid), .unary(.round), .binary(.add),
        .binary(.multiply), .binary(.subtract), .binary(.max), .binary(.pow), .binary(.less),
        .binary(.divide),
      ])
      let operands = op.operandCounts.lowerBound == 1 ? [x] : [x, y]
      if let value = try? assembler.apply(op, operands) { controls.append(value) }
    }
    pool += controls
  }

  /// Weights of a shape, small enough that sums over them stay small.
  mutating func weights(_ shape: [Int], scale: Double = 1) -> ValueID {
    weightsCount += 1
    let values = (0..<shape.reduce(1, *)).map { _ in random.float(-scale, scale) }
    return assembler.weights(Weights(name: "w\(weightsCount)", shape: shape, values: Numbers(values)))
  }

  mutating func literal() -> ValueID {
    let denormal = Float.leastNormalMagnitude / 128
    let common: [Float] = [0, -0.0, 1, -1, 0.5, 2, 0.3, -1.5, 8, 1e-3, denormal]
    return assembler.literal(random.chance(0.6) ? random.pick(common) : random.float(-2, 2))
  }

  // MARK: Outputs

  /// A value that an output can show, the later ones first; sometimes one that is given.
  private mutating func shown(_ index: Int) throws -> ValueID {
    let recent = pool.suffix(random.chance(0.15) ? pool.count : 1 + index * 2)
    var value = random.pick(Array(recent))
    if isStream, assembler.shape(of: value)!.frames == nil {
      // A value of the block becomes a signal.
      let sum = try? assembler.apply(.binary(.add), value, random.pick(pool.filter(hasFrames)))
      value = try sum ?? assembler.apply(.delay(1 + random.below(3)), value)
    }
    return value
  }

  func hasFrames(_ value: ValueID) -> Bool { assembler.shape(of: value)?.frames != nil }

  /// Nodes that no output needs.
  private mutating func addDeadNodes(to graph: inout Graph) {
    var value = ValueID(random.below(graph.values.count))
    for op in [UnaryOp.exp, .tanh, .negate] {
      value = graph.append(.unary(op), [value], type: graph[value].type)
    }
  }
}
