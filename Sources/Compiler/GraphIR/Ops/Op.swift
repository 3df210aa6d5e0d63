// SPDX-License-Identifier: Apache-2.0

/// The operation of a node, with its attributes.
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
  /// `x, index`: the positions of a fixed axis of x that the index says. In place of the axis stand those of the index.
  ///
  ///     x [8, 64]   index [5, frames]   axis 0    →   [5, 64, frames]      rows of x
  ///     x [8, 64]   index [frames]      axis 1    →   [8, frames]
  ///
  /// An index is rounded down and kept within the axis; one that is no number is 0. The result has frames where x or
  /// the index has them.
  case gather(axis: Int)
  /// Overlapping stretches of a fixed axis side by side, which makes two axes of it.
  case window(Window)
  /// The operand of so many positions before along a fixed axis, of later ones where `by` is negative; zero beyond the edge.
  ///
  /// In a graph of steps it may close a cycle along the first axis, which goes position by position, see `SequenceCycle`.
  case shift(axis: Int, by: Int)

  /// The sum over a fixed axis, which goes; added in the order of the positions, or in several ways.
  ///
  /// In w ways, a power of two up to `Limits.ways`, there are w partial sums: of the terms at the positions k, k + w,
  /// k + 2w … in this order. They are added by halves: of four ways (s0 + s2) + (s1 + s3). So a term waits for a w-th of
  /// those before it.
  case sum(axis: Int, ways: Int = 1)
  /// The largest number over a fixed axis, which goes; not-a-numbers are passed over.
  case maximum(axis: Int)

  /// `x, weight[, bias]`: a matrix `[out, in]` over a fixed axis of x. Its sums are added in several ways as `sum` is; the
  /// first partial sum begins with the bias.
  case dense(axis: Int, ways: Int = 1)
  /// `x, weight[, bias]`: a convolution with a weight `[out, in / groups, kernel…]`.
  case convolution(Convolution)
  /// `x [batch…, m, k], y [batch…, n, k]`: the sums of products over k, `[batch…, m, n]`; the axes before are broadcast, and
  /// the sums added in several ways as those of `sum` are. Both may have frames.
  case contraction(ways: Int = 1)

  /// The operand of so many frames (or steps) earlier; zero before the start.
  case delay(Int)
  /// `x, by`: x of so many frames earlier as the second operand says; zero before the start.
  case tap(Tap)
  /// The operand of so many frames later; all other values are delayed to match, which gives the outputs latency.
  case lookahead(Int)
  /// The operand at the latest multiple of 64 frames of the stream position, held.
  case control
  /// The turns, without whole ones, that something has made which goes around as often in a second as the operand says.
  case phasor
  /// White noise from -1 to 1: a function of the stream position and of this seed.
  case noise(Int)
}

extension Op {
  /// How an op runs, which is what most parts of the compiler have to know.
  package enum Kind: Hashable, Sendable {
    case given(Given)
    /// A function of the numbers at one place of all operands, broadcast; it runs in any loop over elements.
    case elementwise(Elementwise)
    /// The same numbers at other places.
    case movement(Movement)
    /// A fixed axis, which goes, becomes one number.
    case reduction(Reduction, axis: Int)
    /// `x, weight[, bias]`: sums of products with weights, which have no frames.
    case layer(Layer)
    /// Sums of products of two operands over the last axis of both.
    case contraction(ways: Int)
    /// Numbers of other frames (or steps).
    case time(Time)
    /// Sound, or movement, that begins in the op.
    case source(Source)
  }

  /// A given thing: what a node stands for that computes nothing.
  package enum Given: Hashable, Sendable {
    case input(Int)
    case parameter(Int)
    case literal(Float)
    case weights(WeightsID)
  }

  package enum Elementwise: Hashable, Sendable {
    case unary(UnaryOp)
    case binary(BinaryOp)
    case select
    case fma
  }

  package enum Movement: Hashable, Sendable {
    case slice(axis: Int, start: Int, count: Int)
    case concatenate(axis: Int)
    case reshape
    case transpose([Int])
    case pad(axis: Int, before: Int, after: Int)
    case broadcast
    case gather(axis: Int)
    case window(Window)
    case shift(axis: Int, by: Int)
  }

  package enum Reduction: Hashable, Sendable {
    case sum(ways: Int = 1)
    case maximum

    /// The partial results that are combined by halves in the end.
    package var ways: Int {
      switch self {
      case .sum(let ways): ways
      case .maximum: 1
      }
    }
  }

  package enum Time: Hashable, Sendable {
    case delay(Int)
    case tap(Tap)
    case lookahead(Int)
    case control
  }

  package enum Source: Hashable, Sendable {
    case phasor
    case noise(seed: Int)
  }

  package enum Layer: Hashable, Sendable {
    case dense(axis: Int, ways: Int)
    case convolution(Convolution)

    /// The fixed axis of x that holds its channels.
    package func channelAxis(of x: Shape) -> Int {
      switch self {
      case .dense(let axis, _): axis
      case .convolution(let convolution): convolution.channelAxis(of: x)
      }
    }
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
}
