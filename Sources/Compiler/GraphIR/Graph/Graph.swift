// SPDX-License-Identifier: Apache-2.0

/// The clock of a graph: what drives it.
package enum Clock: String, Hashable, Sendable {
  /// Frames of a stream; values may have the axis `frames`.
  case stream
  /// Steps: all shapes are fixed, one execute is one step.
  case step
}

/// A computation, as a value that passes rewrite one at a time.
///
/// Nodes and values are tables; the order of the nodes carries no meaning. Symbolic extents and the sample rate are
/// bound already: a graph holds numbers, and `frames`.
package struct Graph: Equatable, Sendable {
  package var name: String
  package var clock: Clock
  /// Frames per second.
  package var sampleRate: Double
  /// The latency of the outputs in frames, besides that of lookaheads.
  package var latency = 0
  /// Frames, or steps, that run in silence before the first one, with parameters at their initial values.
  package var prewarm = 0
  package var inputs: [InputPort] = []
  package var parameters: [ParameterDeclaration] = []
  package var weights: [Weights] = []
  package var nodes: [Node] = []
  package var values: [Value] = []
  package var outputs: [OutputPort] = []
  /// The names of the values and where they were written; takes no part in equality.
  package var origins = Origins()

  package init(name: String, clock: Clock, sampleRate: Double) {
    self.name = name
    self.clock = clock
    self.sampleRate = sampleRate
  }

  package subscript(id: NodeID) -> Node {
    get { nodes[Int(id.index)] }
    set { nodes[Int(id.index)] = newValue }
  }

  package subscript(id: ValueID) -> Value { values[Int(id.index)] }

  package subscript(id: WeightsID) -> Weights { weights[Int(id.index)] }

  /// The node whose result the value is.
  package func definition(of value: ValueID) -> Node { self[self[value].definition] }

  package func shape(of value: ValueID) -> Shape { self[value].type.shape }

  package var nodeIDs: some RandomAccessCollection<NodeID> { (0..<nodes.count).lazy.map { NodeID($0) } }

  /// Adds a node and its result.
  package mutating func append(_ op: Op, _ operands: [ValueID], type: TensorType) -> ValueID {
    let (node, value) = (NodeID(nodes.count), ValueID(values.count))
    nodes.append(Node(op: op, operands: operands, result: value))
    values.append(Value(type: type, definition: node))
    return value
  }
}

package struct Node: Equatable, Sendable {
  package var op: Op
  package var operands: [ValueID]
  package var result: ValueID
}

package struct Value: Equatable, Sendable {
  package var type: TensorType
  package var definition: NodeID
}

package struct InputPort: Equatable, Sendable {
  package var name: String
  package var type: TensorType
  /// Whether it is an array parameter, such as weights that learn: its numbers stay what they are until the context is reset.
  /// What depends on such alone is computed then, and not with each step.
  package var isArrayParameter = false

  package init(name: String, type: TensorType) {
    self.name = name
    self.type = type
  }
}

package struct OutputPort: Equatable, Sendable {
  package var name: String
  package var value: ValueID
  /// Whether it never lies where the input of the same number does, as other outputs may: a gradient, whose program is the
  /// trainer's own.
  package var isApart = false

  package init(name: String, value: ValueID) {
    self.name = name
    self.value = value
  }

  /// The same port of a graph in which values have other numbers.
  package func showing(_ value: ValueID) -> OutputPort {
    var port = self
    port.value = value
    return port
  }
}

/// A parameter as a model declares it.
package struct ParameterDeclaration: Equatable, Sendable {
  /// How a control spreads its travel over the range.
  package enum Scale: String, Sendable {
    case linear
    case logarithmic
  }

  package var name: String
  package var initial: Float
  package var minimum: Float
  package var maximum: Float
  package var unit: String
  package var scale: Scale
  /// Frames in which a change glides to its target; 0 steps.
  package var rampFrames: Int
  package var summary: String

  package init(
    name: String, initial: Float, minimum: Float, maximum: Float, unit: String = "",
    scale: Scale = .linear, rampFrames: Int, summary: String = ""
  ) {
    self.name = name
    self.initial = initial
    self.minimum = minimum
    self.maximum = maximum
    self.unit = unit
    self.scale = scale
    self.rampFrames = rampFrames
    self.summary = summary
  }

  /// The longest ramp: its frames are counted exactly in a float.
  package static let maximumRampFrames = 1 << 23

  /// The type of the parameter's value: a smoothed parameter varies from frame to frame.
  package func type(in clock: Clock) -> TensorType {
    TensorType(clock == .stream && rampFrames > 0 ? .frames : .scalar)
  }
}

/// Learned numbers, row-major.
package struct Weights: Equatable, Sendable {
  package var name: String
  package var shape: [Int]
  package var values: Numbers

  package init(name: String, shape: [Int], values: Numbers) {
    self.name = name
    self.shape = shape
    self.values = values
  }
}

/// The names of a graph's values, and the places in the file of these and of the parameters.
///
/// All origins are equal: two graphs are the same whatever their values are called.
package struct Origins: Equatable, Sendable {
  package var names: [ValueID: String] = [:]
  package var places: [ValueID: Place] = [:]
  /// The function that a value is a part of, where that is made of several.
  package var functions: [ValueID: String] = [:]
  /// The values of models that silence is to run through, where others of the graph begin with the first frame;
  /// `startingCold` has no use for them afterwards.
  package var warmed: Set<ValueID> = []
  /// By the parameters' positions.
  package var parameters: [Int: Place] = [:]

  package init() {}

  package static func == (a: Origins, b: Origins) -> Bool { true }
}
