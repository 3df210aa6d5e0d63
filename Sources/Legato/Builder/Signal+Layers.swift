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
  public func shifted(axis: Int = 0, by: Int = 1) -> Signal {
    call("shifted", [], ["axis": .integer(axis), "by": .integer(by)])
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

  /// The padding of a transposed convolution: `causal` and `same` make stride times as many positions, of which `same` cuts
  /// off as many at the beginning as at the end; `full`, for fixed axes, keeps all. Along frames `same` looks ahead.
  public enum TransposedPadding: String, Sendable {
    case causal, same, full
  }

  /// A transposed convolution with a weight `[in, out / groups, kernel…]`, plus a bias `[out]`: each number is spread over
  /// so many positions, and the next one a stride further.
  ///
  /// With one kernel and no axis it runs along frames where there are any, of stride 1; else along as many fixed axes as
  /// there are kernels, the last ones or those from `axis` on. Channels are the axis before. Dilation and stride: one
  /// number for all axes, or one for each.
  public func convTranspose(
    weight: Signal, bias: Signal? = nil, axis: Int? = nil, dilation: [Int] = [1], stride: [Int] = [1],
    groups: Int = 1, padding: TransposedPadding = .causal
  ) -> Signal {
    var attributes: [String: Call.Argument] = [
      "dilation": .integers(dilation), "stride": .integers(stride), "groups": .integer(groups),
      "padding": .choice(padding.rawValue),
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
