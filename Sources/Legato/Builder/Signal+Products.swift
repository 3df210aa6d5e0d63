// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Convolutions over several axes, products of computed values, and attention.
extension Signal {
  /// The padding of a convolution over several fixed axes; `same` leaves the extents as they are where the stride is 1.
  public enum FixedPadding: String, Sendable {
    case valid, same
  }

  /// A convolution over two fixed axes with a weight `[out, in / groups, kernel1, kernel2]`, plus a bias `[out]`.
  ///
  /// - Parameters:
  ///   - weight: `[out, in / groups, kernel1, kernel2]`.
  ///   - bias: `[out]`.
  ///   - axis: The first of the two; without it they are the last ones. Channels are the axis before.
  ///   - dilation: One number for both axes, or one for each.
  ///   - stride: One number for both axes, or one for each.
  ///   - groups: Parts of the channels that are apart.
  ///   - padding: Zeros around.
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
  ///   - keys: What queries are compared with.
  ///   - values: What is gathered.
  ///   - mask: What is added to the scores `[batch…, heads, n, m]`.
  ///   - heads: Parts of the channels that attend apart.
  ///   - sees: All positions, or those up to the query's own.
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
}
