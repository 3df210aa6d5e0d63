// SPDX-License-Identifier: Apache-2.0

/// A model whose ports are bound and whose arithmetic is parsed: what elaboration turns into a graph.
///
/// Model files and the text form of graphs both become one of these.
package struct ModelSource: Sendable {
  package struct Definition: Sendable {
    package var name: String
    package var expression: Expression
    package var place: Place?
    /// The place in the file of a character of the expression.
    package var placeOfCharacter: (@Sendable (Int) -> Place)?
    /// The prefix of each name in the expression.
    package var scope: Scope
    /// The demand on the value, where it is an argument of a model within the model.
    package var demand: Demand?
    /// Whether it is of a model that silence runs through before the first frame.
    package var isWarm: Bool

    package init(
      name: String, expression: Expression, place: Place? = nil,
      placeOfCharacter: (@Sendable (Int) -> Place)? = nil, scope: Scope = Scope(), demand: Demand? = nil,
      isWarm: Bool = false
    ) {
      self.name = name
      self.expression = expression
      self.place = place
      self.placeOfCharacter = placeOfCharacter
      self.scope = scope
      self.demand = demand
      self.isWarm = isWarm
    }
  }

  /// The scope of an expression's names: those of a model within a model begin with its name there.
  ///
  ///     level  in the scope  cab.  is  cab.level
  package struct Scope: Hashable, Sendable {
    package var values: String
    /// Models of one file share their weights, under the names that the first of them has.
    package var weights: String

    package init(values: String = "", weights: String = "") {
      self.values = values
      self.weights = weights
    }
  }

  package var name: String
  package var clock: Clock
  package var sampleRate: Double
  /// The latency of the outputs in frames, besides that of lookaheads.
  package var latency = 0
  /// Frames, or steps, that run in silence before the first one.
  package var prewarm = 0
  package var inputs: [InputPort] = []
  package var parameters: [ParameterDeclaration] = []
  package var weights: [Weights] = []
  package var definitions: [Definition] = []
  /// The parts that could not be read. A source with such parts yields only a list of further errors.
  package var unread = UnreadParts()
  /// Each output's own name and the name of the value it shows.
  package var outputs: [(name: String, value: String)] = []
  /// Whether arithmetic of numbers is done while reading. The text form shows a graph as it is, and does not.
  package var foldsConstants = true

  package init(name: String, clock: Clock, sampleRate: Double) {
    self.name = name
    self.clock = clock
    self.sampleRate = sampleRate
  }
}

/// The flaws of a model source, and the parts that they are in.
package struct ElaborationError: Error, Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    /// A place in a definition's expression, in characters from its beginning.
    case expression(definition: Int, offset: Int)
    case definition(Int)
    case input(Int)
    case parameter(Int)
    case weights(Int)
    case output(Int)
  }

  package var part: Part
  package var message: String
}

/// All errors of a model source; none where all are in its unread parts.
package struct ElaborationErrors: Error, Sendable {
  package var all: [ElaborationError]
  /// The number of further ones, which are not shown.
  package var omitted = 0
  /// The shape of each output in which nothing is wrong, by its position.
  package var outputShapes: [Int: Shape] = [:]
}

/// The parts of a model that could not be read, and were reported for it: who uses them is not reported on top of it.
package struct UnreadParts: Sendable {
  /// Names of inputs, parameters and definitions.
  package var values: Set<String> = []
  package var weights: Set<String> = []
  /// Whether there may be values, or weights, of which not even the names are known.
  package var hidesValues = false
  package var hidesWeights = false

  package init() {}

  package var isEmpty: Bool { values.isEmpty && weights.isEmpty && !hidesValues && !hidesWeights }

  /// Notes that names may stand where nothing could be read.
  package mutating func hideNames() { (hidesValues, hidesWeights) = (true, true) }
}
