// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

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
  /// - Parameters:
  ///   - axis: The axis that it goes along.
  ///   - direction: The positions that are added: those before, or those behind.
  ///   - excludesOwn: Whether a position's own number is left out.
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

  /// The interpolation between two positions of a signal that is resized.
  public enum Resizing: String, Sendable {
    case linear, nearest
  }

  /// The last axes brought to other extents, with half of a position between an end and its first number.
  public func resize(_ shape: [Int], interpolation: Resizing = .linear) -> Signal {
    call("resize", [], ["shape": .integers(shape), "interpolation": .choice(interpolation.rawValue)])
  }
}
