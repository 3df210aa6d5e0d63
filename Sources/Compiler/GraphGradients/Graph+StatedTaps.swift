// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// The graph with the taps of `fir` turned round while it computes, so that the arrays of the model learn.
  ///
  ///     "room, last tap first" [1, 1, n] ─▶ conv1d
  ///     "room" [n] ─▶ gather n-1 … 0 ─▶ reshape [1, 1, n] ─▶ conv1d
  ///
  /// The gradient of a gather is a product with a matrix of n x n: arrays of more than 1024 numbers stay as
  /// they are, and do not learn.
  ///
  /// - Parameter names: those of the weights that may learn.
  package func withStatedTaps(of names: [String]) throws(TypingError) -> Graph {
    let source = canonical()
    var assembler = emptyAssembler(clock: clock)
    var known: [String: ValueID] = [:]
    for taps in source.weights where names.contains(taps.name) && taps.values.count <= Self.mostTurnedTaps {
      for array in source.weights where source.isTurned(array, of: taps) {
        if known[taps.name] == nil { known[taps.name] = assembler.weights(taps) }
        let (rows, count) = (array.shape[0], array.shape[2])
        let places = (0..<rows).flatMap { row in (0..<count).reversed().map { Float(row * count + $0) } }
        let index = assembler.weights(
          Weights(name: array.name + ", places", shape: [rows * count], values: Numbers(places)))
        let flat = try assembler.apply(.reshape([rows * count]), known[taps.name]!)
        let turned = try assembler.apply(.gather(axis: 0), flat, index)
        known[array.name] = try assembler.apply(.reshape(array.shape), turned)
      }
    }
    guard !known.isEmpty else { return self }
    let inputs = source.inputs.map { assembler.input($0.name, $0.type) }
    let results = try assembler.splice(source, inputs: inputs, prefix: "", weights: known)
    for (output, result) in zip(source.outputs, results) { assembler.output(output.name, result) }
    var graph = assembler.finished()
    (graph.latency, graph.prewarm) = (latency, prewarm)
    return graph
  }

  /// The most numbers of an array that is turned round.
  private static let mostTurnedTaps = 1024

  /// Whether an array is what `fir` has made of another one.
  private func isTurned(_ array: Weights, of taps: Weights) -> Bool {
    let beginning = taps.name + GraphAssembler.lastTapFirst
    let rows = taps.shape.count == 2 ? taps.shape[0] : 1
    return array.name.hasPrefix(beginning) && array.name.dropFirst(beginning.count).allSatisfy { $0 == "'" }
      && (1...2).contains(taps.shape.count) && array.shape == [rows, 1, taps.values.count / rows]
  }
}
