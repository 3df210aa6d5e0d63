// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Recurrent layers and normalisations, with the layouts and formulas of PyTorch; channels are a fixed axis.
extension Signal {
  /// The function of a plain recurrent layer.
  public enum RecurrentActivation: String, Sendable {
    case tanh, relu
  }

  /// The place of a gated recurrent unit's reset: behind its recurrent product, or before it.
  public enum Reset: String, Sendable {
    case after, before
  }

  /// The way of a recurrent layer: from frame to frame (or step to step), or, in a model of steps, along the positions of a
  /// sequence that is the first axis; there `initial` may have the other axes, too.
  public enum RecurrentWay: Sendable {
    case time, positions, positionsBackward

    var attributes: [String: Call.Argument] {
      [
        "along": .choice(self == .time ? "time" : "positions"),
        "direction": .choice(self == .positionsBackward ? "backward" : "forward"),
      ]
    }
  }

  /// The result of a long short-term memory: its output, or that and its cell in a row.
  public enum RecurrentResult: String, Sendable {
    case hidden, both
  }

  /// A plain recurrent layer: h = tanh(W x + b + U h₁ + b'), h₁ of a frame earlier.
  ///
  /// - Parameters:
  ///   - weight: W, `[units, in]`.
  ///   - recurrent: U, `[units, units]`.
  ///   - bias: b, `[units]`.
  ///   - recurrentBias: b', `[units]`.
  ///   - activation: tanh, or relu in its place.
  ///   - initial: h before the start, `[units]`; zero where it is left out.
  ///   - axis: the channels.
  ///   - along: the way that it goes.
  public func rnn(
    weight: Signal, recurrent: Signal, bias: Signal? = nil, recurrentBias: Signal? = nil,
    activation: RecurrentActivation = .tanh, initial: Signal? = nil, axis: Int = -1,
    along: RecurrentWay = .time
  ) -> Signal {
    layer(
      "rnn",
      [
        ("weight", weight), ("recurrent", recurrent), ("bias", bias), ("recurrentBias", recurrentBias),
        ("initial", initial),
      ],
      along.attributes.merging(["activation": .choice(activation.rawValue), "axis": .integer(axis)]) { $1 })
  }

  /// A gated recurrent unit, its gates r, z, n in a row.
  ///
  /// - Parameters:
  ///   - weight: `[3 units, in]`.
  ///   - recurrent: `[3 units, units]`.
  ///   - bias: `[3 units]`.
  ///   - recurrentBias: `[3 units]`.
  ///   - reset: the place of the reset.
  ///   - initial: h before the start, `[units]`; zero where it is left out.
  ///   - axis: the channels.
  ///   - along: the way that it goes.
  public func gru(
    weight: Signal, recurrent: Signal, bias: Signal? = nil, recurrentBias: Signal? = nil,
    reset: Reset = .after, initial: Signal? = nil, axis: Int = -1, along: RecurrentWay = .time
  ) -> Signal {
    layer(
      "gru",
      [
        ("weight", weight), ("recurrent", recurrent), ("bias", bias), ("recurrentBias", recurrentBias),
        ("initial", initial),
      ],
      along.attributes.merging(["reset": .choice(reset.rawValue), "axis": .integer(axis)]) { $1 })
  }

  /// A long short-term memory, its gates i, f, g, o in a row.
  ///
  /// - Parameters:
  ///   - weight: `[4 units, in]`.
  ///   - recurrent: `[4 units, units]`, or `[4 units, out]` with a projection.
  ///   - bias: `[4 units]`.
  ///   - recurrentBias: `[4 units]`.
  ///   - projection: `[out, units]`: what makes the result of the units.
  ///   - initial: h before the start, `[units]`, or `[out]` with a projection; zero where it is left out.
  ///   - initialCell: the same of c, `[units]`.
  ///   - axis: the channels.
  ///   - along: the way that it goes.
  ///   - result: h, or h and c in a row.
  ///   - peepholes: `[3 units]`, by which the gates i and f see c of before, and o sees c.
  public func lstm(
    weight: Signal, recurrent: Signal, bias: Signal? = nil, recurrentBias: Signal? = nil,
    projection: Signal? = nil, initial: Signal? = nil, initialCell: Signal? = nil, axis: Int = -1,
    along: RecurrentWay = .time, result: RecurrentResult = .hidden, peepholes: Signal? = nil
  ) -> Signal {
    layer(
      "lstm",
      [
        ("weight", weight), ("recurrent", recurrent), ("bias", bias), ("recurrentBias", recurrentBias),
        ("projection", projection), ("initial", initial), ("initialCell", initialCell),
        ("peepholes", peepholes),
      ], along.attributes.merging(["axis": .integer(axis), "result": .choice(result.rawValue)]) { $1 })
  }

  /// (x - mean) / sqrt(variance + epsilon) over an axis, times a weight `[channels]`, plus a bias `[channels]`.
  public func layerNorm(
    weight: Signal? = nil, bias: Signal? = nil, axis: Int = -1, epsilon: Double = 1e-5
  ) -> Signal {
    layer(
      "layerNorm", [("weight", weight), ("bias", bias)],
      ["axis": .integer(axis), "epsilon": .number(epsilon)])
  }

  /// x / sqrt(mean of x² + epsilon) over an axis, times a weight `[channels]`.
  public func rmsNorm(weight: Signal? = nil, axis: Int = -1, epsilon: Double = 0x1p-23) -> Signal {
    layer("rmsNorm", [("weight", weight)], ["axis": .integer(axis), "epsilon": .number(epsilon)])
  }

  /// `layerNorm` over each of so many groups of channels, with all fixed axes behind theirs.
  public func groupNorm(
    groups: Int, weight: Signal? = nil, bias: Signal? = nil, axis: Int = 0, epsilon: Double = 1e-5
  ) -> Signal {
    layer(
      "groupNorm", [("weight", weight), ("bias", bias)],
      ["groups": .integer(groups), "axis": .integer(axis), "epsilon": .number(epsilon)])
  }

  /// (x - mean) / sqrt(variance + epsilon), times a weight, plus a bias, each `[channels]`, as learnt of many batches.
  public func batchNorm(
    mean: Signal, variance: Signal, weight: Signal? = nil, bias: Signal? = nil, axis: Int = 0,
    epsilon: Double = 1e-5
  ) -> Signal {
    layer(
      "batchNorm", [("mean", mean), ("variance", variance), ("weight", weight), ("bias", bias)],
      ["axis": .integer(axis), "epsilon": .number(epsilon)])
  }

  /// The signal times a scale plus a shift, which are `dense` of a condition with its channels along the same axis.
  ///
  /// - Parameters:
  ///   - condition: what decides them.
  ///   - weight: `[2 channels, in]` for both, the scales first; `[channels, in]` for the scales only.
  ///   - bias: as many as the weight has rows.
  ///   - axis: the channels.
  public func film(condition: Signal, weight: Signal, bias: Signal? = nil, axis: Int = 0) -> Signal {
    layer(
      "film", [("condition", condition), ("weight", weight), ("bias", bias)], ["axis": .integer(axis)])
  }

  /// x where it is above 0, else slope * x; slopes `[channels]` are those of an axis.
  public func prelu(slope: Signal, axis: Int = 0) -> Signal {
    call("prelu", [("slope", slope)], ["axis": .integer(axis)])
  }

  /// tanh of the first half of an axis, times sigmoid of the second half.
  public func gated(axis: Int = 0) -> Signal { call("gated", [], ["axis": .integer(axis)]) }

  private func layer(
    _ name: String, _ operands: [(String, Signal?)], _ attributes: [String: Call.Argument]
  ) -> Signal {
    call(name, operands.compactMap { name, signal in signal.map { (name, $0) } }, attributes)
  }
}
