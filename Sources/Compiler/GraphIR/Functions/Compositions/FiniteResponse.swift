// SPDX-License-Identifier: Apache-2.0

/// A filter whose impulse response is an array: each channel by itself, through the same taps, or through its own row of
/// an array [channels, taps].
///
///     x [2, frames]    reshape     conv1d, one channel     reshape    y [2, frames]
///       left      ─▶ [2, 1, frames] ─▶ … 2  1  0 ◀ taps ─▶ [2, frames]
///       right                          last tap first
///
/// A convolution's weight is in the order of time, an impulse response begins with the latest frame: the
/// array is reversed while the graph is made. The sum begins with the earliest frame, wherever a block ends.
extension GraphAssembler {
  mutating func finiteResponse(_ call: Call) throws(TypingError) -> ValueID {
    let (x, taps) = (call.value("x"), call.value("taps"))
    guard case .weights(let id) = graph.definition(of: taps).op.given, (1...2).contains(graph[id].shape.count)
    else {
      let shape = shape(of: taps).map { "; these are \($0)" } ?? ""
      throw TypingError(
        "fir needs taps that are weights of the model, one array [taps], or [channels, taps]\(shape)")
    }
    try graph.clock.checkStream("fir")
    let rows = graph[id].shape.count == 2 ? graph[id].shape[0] : 1
    let convolution = Op.convolution(
      Convolution(axis: .frames, kernelSize: graph[id].values.count / rows, groups: rows))
    let weight = try reversed(graph[id])
    guard let shape = shape(of: x) else { return try apply(convolution, x, weight) }
    guard shape.frames != nil else {
      throw TypingError("fir needs a value with frames; this one is \(shape)")
    }
    if graph[id].shape.count == 2 {
      guard shape.fixed.last == rows else {
        let remedy = shape.fixed.last ?? 1 == 1 ? "; broadcast(…, [\(rows)]) makes as many of one" : ""
        throw TypingError("fir has taps for \(rows) channels, and \(shape) has not as many\(remedy)")
      }
      return try apply(convolution, x, weight)
    }
    let apart = try apply(.reshape(shape.fixed + [1]), x)
    return try apply(.reshape(shape.fixed), try apply(convolution, apart, weight))
  }

  /// Each row of the array from its last number to its first, as a weight of one channel.
  private mutating func reversed(_ taps: Weights) throws(TypingError) -> ValueID {
    let rows = taps.shape.count == 2 ? taps.shape[0] : 1
    let count = taps.values.count / rows
    let values = Numbers(
      (0..<rows).flatMap { row in taps.values[row * count..<(row + 1) * count].reversed() })
    var name = taps.name + Self.lastTapFirst
    while let known = weights(named: name) {
      if case .weights(let id) = graph.definition(of: known).op.given, graph[id].values == values,
        graph[id].shape == [rows, 1, count]
      {
        return known
      }
      name += "'"
    }
    return weights(Weights(name: name, shape: [rows, 1, count], values: values))
  }

  /// The end of the name of an array whose rows were reversed.
  package static let lastTapFirst = ", last tap first"
}
