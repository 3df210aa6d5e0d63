// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Shapes: everything here works along fixed axes; negative axes count from the last one.
extension Signal {
  /// The positions `start ..< start + count` of an axis.
  public func slice(axis: Int, start: Int, count: Int = 1) -> Signal {
    call("slice", [], ["axis": .integer(axis), "start": .integer(start), "count": .integer(count)])
  }

  /// The same numbers, row-major, under other extents.
  public func reshape(_ shape: [Int]) -> Signal { call("reshape", [], ["shape": .integers(shape)]) }

  /// Axis i becomes what was axis `order[i]`.
  public func transpose(_ order: [Int]) -> Signal { call("transpose", [], ["order": .integers(order)]) }

  /// Zeros before and after along an axis.
  public func pad(axis: Int, before: Int = 0, after: Int = 0) -> Signal {
    call("pad", [], ["axis": .integer(axis), "before": .integer(before), "after": .integer(after)])
  }

  /// Stretched to these extents.
  public func broadcast(_ shape: [Int]) -> Signal { call("broadcast", [], ["shape": .integers(shape)]) }

  /// The positions of an axis that an index gives, rounded down and clamped to the axis; NaN is 0.
  ///
  /// In place of the axis stand those of the index: of a table `[8, 64]` along axis 0 an index `[5, frames]` makes
  /// `[5, 64, frames]`.
  public func gather(_ index: Signal, axis: Int = 0) -> Signal {
    call("gather", [("index", index)], ["axis": .integer(axis)])
  }

  /// The interpolation between two entries of a table: linear, cubic, or the entry before.
  public enum TableInterpolation: String, Sendable {
    case linear, cubic, none
  }

  /// The continuation of a table beyond its ends: clamped to the end, or wrapped to the other one.
  public enum TableEdges: String, Sendable {
    case clamped, wrapped
  }

  /// The signal as a table, an axis of it read at a position that counts entries.
  ///
  /// An oscillator reads a table of one turn with `table.lookup(2048 * frequency.phasor(), edges: .wrapped)`. In place
  /// of the axis stand those of the position.
  public func lookup(
    _ position: Signal, axis: Int = -1, interpolation: TableInterpolation = .linear,
    edges: TableEdges = .clamped
  ) -> Signal {
    call(
      "lookup", [("position", position)],
      [
        "axis": .integer(axis), "interpolation": .choice(interpolation.rawValue),
        "edges": .choice(edges.rawValue),
      ], as: "table")
  }

  /// Stretches of `size` numbers along an axis, `hop` apart, their numbers `dilation` apart: `[n]` becomes
  /// `[positions, size]`.
  public func windows(axis: Int = -1, size: Int, hop: Int = 1, dilation: Int = 1) -> Signal {
    call(
      "windows", [],
      [
        "axis": .integer(axis), "size": .integer(size), "hop": .integer(hop), "dilation": .integer(dilation),
      ])
  }

  /// The signal of so many positions before along an axis, zero before the first; of later ones where `by` is negative.
  ///
  /// In a model of steps it may close a cycle along the first axis, which goes position by position.
  public func shift(axis: Int = 0, by: Int = 1) -> Signal {
    call("shift", [], ["axis": .integer(axis), "by": .integer(by)])
  }

  /// The sum over axes, which go.
  ///
  /// In several ways, a power of two up to 16, partial sums by turns wait less for each other.
  public func sum(axis: Int..., ways: Int = 1) -> Signal {
    call("sum", [], ["axis": .integers(axis), "ways": .integer(ways)])
  }

  /// The mean over axes, which go.
  public func mean(axis: Int...) -> Signal { call("mean", [], ["axis": .integers(axis)]) }

  /// The largest number over axes, which go.
  public func maximum(axis: Int...) -> Signal { call("maximum", [], ["axis": .integers(axis)]) }

  /// exp(x - maximum) divided by its sum over an axis.
  public func softmax(axis: Int = -1) -> Signal { call("softmax", [], ["axis": .integer(axis)]) }
}

/// Pooling, positions and running sums.
extension Signal {
  /// The largest numbers of windows over as many of the last axes as `size` has numbers; `stride`: the size where it is nil.
  public func maxPool(size: [Int], stride: [Int]? = nil, dilation: [Int] = [1]) -> Signal {
    pool("maxPool", size, stride, dilation)
  }

  /// The means of windows over as many of the last axes as `size` has numbers; `stride`: the size where it is nil.
  public func averagePool(size: [Int], stride: [Int]? = nil, dilation: [Int] = [1]) -> Signal {
    pool("averagePool", size, stride, dilation)
  }

  private func pool(_ name: String, _ size: [Int], _ stride: [Int]?, _ dilation: [Int]) -> Signal {
    var attributes: [String: Call.Argument] = ["size": .integers(size), "dilation": .integers(dilation)]
    if let stride { attributes["stride"] = .integers(stride) }
    return call(name, [], attributes)
  }

  /// The first position of the largest number over an axis, which goes.
  public func argmax(axis: Int = -1) -> Signal { call("argmax", [], ["axis": .integer(axis)]) }

  /// 1 at the position that the signal, rounded down, gives of a further last axis of `count`, 0 at the others.
  public func oneHot(count: Int) -> Signal { call("oneHot", [], ["count": .integer(count)]) }

  /// The rows of a weight `[count, channels]` that the signal gives, as a further last axis.
  public func embedding(weight: Signal) -> Signal { call("embedding", [("weight", weight)], [:]) }

  /// The way of a running sum along its axis.
  public enum SumDirection: String, Sendable {
    case forward, backward
  }

  /// At each position of an axis the sum of those up to it, or from it on.
  ///
  /// - Parameter excludesOwn: Whether a position's own number is left out.
  public func cumsum(
    axis: Int = -1, direction: SumDirection = .forward, excludesOwn: Bool = false
  ) -> Signal {
    call(
      "cumsum", [],
      [
        "axis": .integer(axis), "direction": .choice(direction.rawValue),
        "own": .choice(excludesOwn ? "excluded" : "included"),
      ])
  }

  /// What lies between two positions of a signal that is resized.
  public enum Resizing: String, Sendable {
    case linear, nearest
  }

  /// The last axes brought to other extents, with half of a position between an end and its first number.
  public func resize(_ shape: [Int], interpolation: Resizing = .linear) -> Signal {
    call("resize", [], ["shape": .integers(shape), "interpolation": .choice(interpolation.rawValue)])
  }
}

/// Signals one after the other along an axis; one without channels is one channel.
///
/// Precondition: there is at least one; without any there is no model that the result belongs to.
public func concatenate(_ parts: [Signal], axis: Int = 0) -> Signal {
  precondition(!parts.isEmpty, "concatenate needs at least one signal")
  return parts[0].builder.call(
    "concatenate", ["parts": .values(parts.map(\.value)), "axis": .integer(axis)], parts)
}

/// Layers and time.
extension Signal {
  /// The padding of a convolution at the ends of its axis; along frames `same` looks ahead.
  public enum Padding: String, Sendable {
    case causal, same, valid
  }

  /// A matrix `[out, in]` over an axis, plus a bias `[out]`; ways: as of `sum`.
  public func dense(weight: Signal, bias: Signal? = nil, axis: Int = -1, ways: Int = 1) -> Signal {
    call(
      "dense", [("weight", weight)] + (bias.map { [("bias", $0)] } ?? []),
      ["axis": .integer(axis), "ways": .integer(ways)])
  }

  /// A convolution with a weight `[out, in / groups, kernel]`, plus a bias `[out]`.
  ///
  /// Without an axis it runs along frames where there are any, with history, else along the last axis. Channels are
  /// the axis before.
  public func conv1d(
    weight: Signal, bias: Signal? = nil, axis: Int? = nil, dilation: Int = 1, stride: Int = 1,
    groups: Int = 1, padding: Padding = .causal
  ) -> Signal {
    var attributes: [String: Call.Argument] = [
      "dilation": .integer(dilation), "stride": .integer(stride), "groups": .integer(groups),
      "padding": .choice(padding.rawValue),
    ]
    if let axis { attributes["axis"] = .integer(axis) }
    return call("conv1d", [("weight", weight)] + (bias.map { [("bias", $0)] } ?? []), attributes)
  }

  /// The padding of a convolution over several fixed axes; `same` leaves the extents as they are where the stride is 1.
  public enum FixedPadding: String, Sendable {
    case valid, same
  }

  /// A convolution over two fixed axes with a weight `[out, in / groups, kernel1, kernel2]`, plus a bias `[out]`.
  ///
  /// - Parameters:
  ///   - axis: The first of the two; without it they are the last ones. Channels are the axis before.
  ///   - dilation: One number for both axes, or one for each; so is `stride`.
  public func conv2d(
    weight: Signal, bias: Signal? = nil, axis: Int? = nil, dilation: [Int] = [1], stride: [Int] = [1],
    groups: Int = 1, padding: FixedPadding = .valid
  ) -> Signal {
    convolution("conv2d", weight, bias, axis, dilation, stride, groups, padding)
  }

  /// A convolution over three fixed axes with a weight `[out, in / groups, kernel1, kernel2, kernel3]`, as `conv2d`.
  public func conv3d(
    weight: Signal, bias: Signal? = nil, axis: Int? = nil, dilation: [Int] = [1], stride: [Int] = [1],
    groups: Int = 1, padding: FixedPadding = .valid
  ) -> Signal {
    convolution("conv3d", weight, bias, axis, dilation, stride, groups, padding)
  }

  private func convolution(
    _ name: String, _ weight: Signal, _ bias: Signal?, _ axis: Int?, _ dilation: [Int], _ stride: [Int],
    _ groups: Int, _ padding: FixedPadding
  ) -> Signal {
    var attributes: [String: Call.Argument] = [
      "dilation": .integers(dilation), "stride": .integers(stride), "groups": .integer(groups),
      "padding": .choice(padding.rawValue),
    ]
    if let axis { attributes["axis"] = .integer(axis) }
    return call(name, [("weight", weight)] + (bias.map { [("bias", $0)] } ?? []), attributes)
  }

  /// The product of matrices `[batch…, m, k]` and `[batch…, k, n]`, both computed; the axes before are broadcast.
  ///
  /// A signal of one axis is a row on the left, a column on the right, and that axis goes. Ways: as of `sum`.
  public func matmul(_ y: Signal, ways: Int = 1) -> Signal {
    call("matmul", [("y", y)], ["ways": .integer(ways)])
  }

  /// The sums over k of `[batch…, m, k]` times `[batch…, n, k]`, which make `[batch…, m, n]`: rows by rows. Ways: as of
  /// `sum`.
  public func contraction(_ y: Signal, ways: Int = 1) -> Signal {
    call("contraction", [("y", y)], ["ways": .integer(ways)])
  }

  /// The positions that a query of `attention` sees.
  public enum Attended: String, Sendable {
    case all, past
  }

  /// The signal as queries `[batch…, n, heads · d]` of keys `[batch…, m, heads · d]` and values `[batch…, m, heads · e]`:
  /// softmax(q kᵀ · scale + mask) v, head by head (Vaswani et al. 2017).
  ///
  /// - Parameters:
  ///   - mask: What is added to the scores `[batch…, heads, n, m]`.
  ///   - scale: 1 / √d where it is nil.
  public func attention(
    keys: Signal, values: Signal, mask: Signal? = nil, heads: Int = 1, sees: Attended = .all,
    scale: Double? = nil
  ) -> Signal {
    var attributes: [String: Call.Argument] = ["heads": .integer(heads), "sees": .choice(sees.rawValue)]
    if let scale { attributes["scale"] = .number(scale) }
    return call(
      "attention", [("k", keys), ("v", values)] + (mask.map { [("mask", $0)] } ?? []), attributes, as: "q")
  }

  /// The padding of a transposed convolution; along frames `same` looks ahead, and `full` is for fixed axes.
  public enum TransposedPadding: String, Sendable {
    case causal, same, full
  }

  /// A transposed convolution of stride 1 with a weight `[in, out / groups, kernel]`, plus a bias `[out]`.
  ///
  /// Without an axis it runs along frames where there are any, else along the last axis. Channels are the axis before.
  public func convTranspose(
    weight: Signal, bias: Signal? = nil, axis: Int? = nil, dilation: Int = 1, groups: Int = 1,
    padding: TransposedPadding = .causal
  ) -> Signal {
    var attributes: [String: Call.Argument] = [
      "dilation": .integer(dilation), "groups": .integer(groups), "padding": .choice(padding.rawValue),
    ]
    if let axis { attributes["axis"] = .integer(axis) }
    return call("convTranspose", [("weight", weight)] + (bias.map { [("bias", $0)] } ?? []), attributes)
  }

  /// The signal of so many frames (or steps) earlier, zero before the start, or `initial`: an array of its channels, or
  /// of `[channels, frames]`, frame by frame.
  public func delay(_ frames: Int, initial: Signal? = nil) -> Signal {
    call(
      "delay", initial.map { [("initial", $0)] } ?? [], ["frames": .integer(frames), "minimum": .integer(0)])
  }

  /// The signal of so many frames later. Everything else is delayed: the model has that latency.
  public func lookahead(_ frames: Int) -> Signal { call("lookahead", [], ["frames": .integer(frames)]) }

  /// The signal, without channels, sampled at every multiple of 64 frames of the stream and held.
  public func control() -> Signal { call("control") }
}
