// SPDX-License-Identifier: Apache-2.0

/// A filter whose impulse response is an array: each channel by itself, through the same taps.
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
    guard case .weights(let id) = graph.definition(of: taps).op.given, graph[id].shape.count == 1 else {
      let shape = shape(of: taps).map { "; these are \($0)" } ?? ""
      throw TypingError("fir needs taps that are weights of the model, one array [taps]\(shape)")
    }
    try graph.clock.checkStream("fir")
    let convolution = Op.convolution(Convolution(axis: .frames, kernelSize: graph[id].values.count))
    let weight = try reversed(graph[id])
    guard let shape = shape(of: x) else { return try apply(convolution, x, weight) }
    guard shape.frames != nil else {
      throw TypingError("fir needs a value with frames; this one is \(shape)")
    }
    let apart = try apply(.reshape(shape.fixed + [1]), x)
    return try apply(.reshape(shape.fixed), try apply(convolution, apart, weight))
  }

  /// The array from its last number to its first, as a weight of one channel.
  private mutating func reversed(_ taps: Weights) throws(TypingError) -> ValueID {
    let values = Numbers(taps.values.reversed())
    var name = taps.name + ", last tap first"
    while let known = weights(named: name) {
      if case .weights(let id) = graph.definition(of: known).op.given, graph[id].values == values,
        graph[id].shape == [1, 1, values.count]
      {
        return known
      }
      name += "'"
    }
    return weights(Weights(name: name, shape: [1, 1, values.count], values: values))
  }
}
