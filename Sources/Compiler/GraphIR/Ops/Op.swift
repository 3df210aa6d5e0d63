// SPDX-License-Identifier: Apache-2.0

/// What a node computes, with its attributes.
///
/// The set is closed and small: what can be composed of these is composed when a graph is built. Every `switch` over
/// it is exhaustive, so that a new op fails to compile wherever something has to be known about it.
package enum Op: Hashable, Sendable {
  /// A port of the graph, by its position.
  case input(Int)
  /// A parameter of the graph, by its position.
  case parameter(Int)
  /// One number, the same for ever.
  case literal(Float)
  /// An array of weights.
  case weights(WeightsID)

  /// One operand, element by element.
  case unary(UnaryOp)
  /// Two operands, element by element, broadcast.
  case binary(BinaryOp)
  /// `condition, a, b`: a where the condition is not zero, else b; broadcast.
  case select
  /// `a, b, c`: a * b + c, rounded once where the target can.
  case fma

  /// The positions `start ..< start + count` of a fixed axis.
  case slice(axis: Int, start: Int, count: Int)
  /// The operands one after the other along a fixed axis.
  case concatenate(axis: Int)
  /// The same numbers in row-major order under other fixed extents.
  case reshape([Int])
  /// Fixed axis i of the result is fixed axis `order[i]` of the operand.
  case transpose([Int])
  /// Zeros before and after along a fixed axis.
  case pad(axis: Int, before: Int, after: Int)
  /// Stretched to these fixed extents.
  case broadcast([Int])

  /// The sum over a fixed axis, which goes; added in the order of the positions.
  case sum(axis: Int)
  /// The largest number over a fixed axis, which goes; not-a-numbers are passed over.
  case maximum(axis: Int)

  /// `x, weight[, bias]`: a matrix `[out, in]` over a fixed axis of x.
  case dense(axis: Int)
  /// `x, weight[, bias]`: a convolution with a weight `[out, in / groups, kernel]`.
  case convolution(Convolution)

  /// The operand of so many frames (or steps) earlier; zero before the start.
  case delay(Int)
  /// `x, by`: x of so many frames earlier as the second operand says; zero before the start.
  case tap(Tap)
  /// The operand of so many frames later; all other values wait for it, so that the outputs are late.
  case lookahead(Int)
  /// The operand at the latest multiple of 64 frames of the stream position, held.
  case control
  /// The turns, without whole ones, that something has made which goes around as often in a second as the operand says.
  case phasor
  /// White noise from -1 to 1: a function of the stream position and of this seed.
  case noise(Int)
}

/// How a convolution walks.
package struct Convolution: Hashable, Sendable {
  package enum Axis: Hashable, Sendable {
    /// Over time, causal: it owns the earlier frames as state. Channels are the last fixed axis.
    case frames
    /// Over a fixed axis, without padding. Channels are the axis before it.
    case fixed(Int)
  }

  package var axis: Axis
  package var kernelSize: Int
  package var dilation: Int
  package var stride: Int
  package var groups: Int

  package init(axis: Axis, kernelSize: Int, dilation: Int = 1, stride: Int = 1, groups: Int = 1) {
    self.axis = axis
    self.kernelSize = kernelSize
    self.dilation = dilation
    self.stride = stride
    self.groups = groups
  }

  /// Positions from the first to the last that one output depends on, less one; 2^50 stands for more than that.
  package var span: Int {
    let (span, overflow) = (max(1, kernelSize) - 1).multipliedReportingOverflow(by: max(1, dilation))
    return overflow ? 1 << 50 : min(span, 1 << 50)
  }
}

/// Functions of one number.
package enum UnaryOp: String, CaseIterable, Hashable, Sendable {
  case negate
  case abs
  case sqrt
  case exp
  case log
  case sin
  case cos
  case tan
  case tanh
  case sigmoid
  case erf
  case floor
  case ceil
  case round
  case truncate
  case sign
}

/// Functions of two numbers; the raw value is how an expression writes them.
package enum BinaryOp: String, CaseIterable, Hashable, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case modulo = "%"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case equal = "=="
  case notEqual = "!="
  case min
  case max
  case pow
  case atan2

  /// Whether it stands between its operands.
  package var isInfix: Bool {
    switch self {
    case .add, .subtract, .multiply, .divide, .modulo: true
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: true
    case .min, .max, .pow, .atan2: false
    }
  }
}

extension Op {
  /// Whether it computes element by element, so that it can run inside any loop over elements.
  package var isElementwise: Bool {
    switch self {
    case .unary, .binary, .select, .fma: true
    case .input, .parameter, .literal, .weights: false
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: false
    case .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise: false
    }
  }

  /// Whether the node stands for something given instead of computed.
  package var isLeaf: Bool {
    switch self {
    case .input, .parameter, .literal, .weights: true
    case .unary, .binary, .select, .fma: false
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: false
    case .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise: false
    }
  }

  /// How many earlier frames (or steps) of its operand the op keeps as state.
  package var history: Int {
    switch self {
    case .delay(let count): count
    case .convolution(let convolution): convolution.axis == .frames ? convolution.span : 0
    case .input, .parameter, .literal, .weights, .unary, .binary, .select, .fma: 0
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: 0
    case .tap(let tap): tap.maximum
    // The sum of all of them is one number.
    case .phasor: 1
    case .sum, .maximum, .dense, .lookahead, .control, .noise: 0
    }
  }

  /// Whether the result is numbers that stand in the model: the same for ever.
  package var isFixed: Bool {
    switch self {
    case .literal, .weights: true
    case .input, .parameter, .unary, .binary, .select, .fma: false
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: false
    case .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise: false
    }
  }
}

extension Op {
  /// Whether its first two operands may change places without changing a bit.
  package var commutes: Bool {
    switch self {
    case .fma: true
    case .binary(let op):
      switch op {
      case .add, .multiply, .equal, .notEqual: true
      // Of two zeros min and max return the second one.
      case .subtract, .divide, .modulo, .less, .lessOrEqual, .greater, .greaterOrEqual: false
      case .min, .max, .pow, .atan2: false
      }
    case .input, .parameter, .literal, .weights, .unary, .select: false
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: false
    case .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise: false
    }
  }
}

extension Op {
  /// One word for the op, as lists and pictures show it.
  package var shortName: String {
    switch self {
    case .input: "input"
    case .parameter: "parameter"
    case .literal: "literal"
    case .weights: "weights"
    case .unary(let op): op.rawValue
    case .binary(let op): op.rawValue
    case .select: "select"
    case .fma: "fma"
    case .slice: "slice"
    case .concatenate: "concatenate"
    case .reshape: "reshape"
    case .transpose: "transpose"
    case .pad: "pad"
    case .broadcast: "broadcast"
    case .sum: "sum"
    case .maximum: "maximum"
    case .dense: "dense"
    case .convolution: "conv1d"
    case .delay: "delay"
    case .lookahead: "lookahead"
    case .tap: "tap"
    case .control: "control"
    case .phasor: "phasor"
    case .noise: "noise"
    }
  }

  /// Whether the node is a number that a user turns.
  package var isParameter: Bool {
    if case .parameter = self { true } else { false }
  }

  /// Whether the node is one number that is written into the code.
  package var isLiteral: Bool {
    switch self {
    case .literal: true
    case .input, .parameter, .weights, .unary, .binary, .select, .fma: false
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: false
    case .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise: false
    }
  }
}
