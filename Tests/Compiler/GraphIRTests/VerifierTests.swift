// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Testing

/// Each promise of a graph is broken once, and the verifier has to say so.
@Suite struct VerifierTests {
  static func graph() throws -> Graph {
    try Graph(
      parsing: """
        graph "x" stream 48000
        input src [2, frames]
        parameter gain [frames] = 1 minimum 0 maximum 2 ramp 960 scale linear
        weights "w" [2, 2] = [1, 2, 3, 4]
        a = dense(src * gain, "w")
        b = a + 0.5 * delay(b, 10)
        output dst = b
        """)
  }

  @Test func aGraphThatWasReadKeepsItsPromises() throws {
    let graph = try Self.graph()
    #expect(Verifier.violations(in: graph).isEmpty)
  }

  typealias Break = @Sendable (inout Graph) -> Void

  static let breaks: [(String, Break)] = [
    ("an operand does not exist", { $0.nodes[4].operands[0] = ValueID(999) }),
    ("operands", { graph in graph.nodes[index(of: .binary(.add), in: graph)].operands.removeLast() }),
    ("its result belongs to another node", { $0.nodes[1].result = $0.nodes[0].result }),
    ("its result is stated as", { $0.values[0].type = TensorType(Shape([7], frames: .init())) }),
    ("there is no input 3", { graph in graph.nodes[index(of: .input(0), in: graph)].op = .input(3) }),
    (
      "weights 'w' of shape [2, 2] have 3 numbers",
      { $0.weights[0].values = Numbers($0.weights[0].values.dropLast()) }
    ),
    ("the sample rate is", { $0.sampleRate = .nan }),
    (
      "the literal is", { graph in graph.nodes[index(of: .literal(0.5), in: graph)].op = .literal(.infinity) }
    ),
    ("shows a value that does not exist", { $0.outputs[0].value = ValueID(999) }),
    (
      "needs the axis frames",
      { graph in graph.outputs[0].value = graph.nodes[index(of: .literal(0.5), in: graph)].result }
    ),
    (
      "cycle without a delay",
      { graph in graph.nodes[index(of: .delay(10), in: graph)].op = .unary(.negate) }
    ),
    (
      "bytes of state",
      { graph in graph.nodes[index(of: .delay(10), in: graph)].op = .delay(1 << 40) }
    ),
    ("a graph of steps has no axis frames", { $0.clock = .step }),
    (
      "'b' makes a cycle that looks ahead at itself",
      { graph in graph.nodes[index(of: .delay(10), in: graph)].op = .lookahead(10) }
    ),
    ("the latency is -1", { $0.latency = -1 }),
    ("the latency is \(Int.max)", { $0.latency = .max }),
    (
      "0 where it is denormal",
      { graph in graph.nodes[index(of: .literal(0.5), in: graph)].op = .literal(0x1p-133) }
    ),
    ("input 'src' would have", { $0.inputs[0].type = TensorType(Shape([0], frames: .init())) }),
    ("input 'src' would have", { $0.inputs[0].type = TensorType(Shape([.max, 2], frames: .init())) }),
    ("the axis of time is", { $0.inputs[0].type = TensorType(Shape([2], frames: .init(hop: 2))) }),
    ("would have 9 axes", { $0.inputs[0].type = TensorType(Shape(Array(repeating: 1, count: 9))) }),
    ("weights 'w' would have the shape", { $0.weights[0].shape = [.max, 2] }),
    ("weights 'w' would have the shape", { $0.weights[0].shape = [-2, -2] }),
    ("weights 'w' hold nan", { $0.weights[0].values = Numbers($0.weights[0].values.dropLast() + [.nan]) }),
    ("two weights are called 'w'", { $0.weights.append($0.weights[0]) }),
    ("two outputs are called 'dst'", { $0.outputs.append($0.outputs[0]) }),
    ("two inputs or parameters are called 'src'", { $0.parameters[0].name = "src" }),
    ("the graph has no outputs", { $0.outputs = [] }),
    ("'minimum' must be below 'maximum', but 2 is not below 2", { $0.parameters[0].minimum = 2 }),
    ("'maximum' must be a finite number", { $0.parameters[0].maximum = .infinity }),
    ("is too wide", { ($0.parameters[0].minimum, $0.parameters[0].maximum) = (-3e38, 3e38) }),
    ("'default' must lie within 0 to 2, this is 3", { $0.parameters[0].initial = 3 }),
    ("'default' must be a finite number", { $0.parameters[0].initial = .nan }),
    ("'minimum' above 0, this is 0", { $0.parameters[0].scale = .logarithmic }),
    ("'ramp' must last", { $0.parameters[0].rampFrames = -1 }),
    ("'ramp' must last", { $0.parameters[0].rampFrames = (1 << 23) + 1 }),
  ]

  private static func index(of op: Op, in graph: Graph) -> Int { graph.nodes.firstIndex { $0.op == op }! }

  @Test(arguments: breaks.indices)
  func aBrokenPromiseIsNamed(index: Int) throws {
    let (message, breaking) = Self.breaks[index]
    var graph = try Self.graph()
    breaking(&graph)
    let violations = Verifier.violations(in: graph)
    #expect(violations.contains { $0.description.contains(message) }, "\(message): \(violations)")
  }
}
