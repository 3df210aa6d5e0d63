// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import Legato

/// Random weights to begin with.
extension Trainer {
  /// Gives the layers random weights, as PyTorch's begin with: the same seed makes the same numbers.
  ///
  ///     head.weight [out, in, …], head.bias [out]              ±1 / √(in …)        torch.nn.Linear, Conv1d
  ///     lstm.weight, lstm.recurrent [gates n, n], lstm.bias    ±1 / √n             torch.nn.LSTM, GRU, RNN
  ///
  /// Numbers are even within these bounds (PyTorch: `kaiming_uniform_` with a = √5, which comes to the first line, and
  /// `reset_parameters` of `RNNBase`). A layer is what goes by one name before the last point: a recurrent one has an array
  /// `recurrent`. Its bias stands for PyTorch's two and is the sum of two such numbers. What is no layer's, such as a gain,
  /// stays as it is.
  ///
  /// - Returns: the names of the arrays that stay as they are.
  @discardableResult
  public func initializeLayers(seed: UInt64) -> [String] {
    var kept: [String] = []
    for (row, array) in arrays.enumerated() {
      guard let bound = bound(of: array) else {
        kept.append(array.name)
        continue
      }
      let isSum = recurrent(besides: array.name) != nil && array.shape.count == 1
      var numbers = SeededNumbers(seed: seed &* 0xD1B5_4A32_D192_ED03 &+ UInt64(row))
      let values = (0..<array.values.count).map { _ in
        Float(numbers.uniform(bound) + (isSum ? numbers.uniform(bound) : 0))
      }
      weights.write(values, at: layout.starts[row])
    }
    resetGradients()
    return kept
  }

  /// Whether what learns is several layers, and all their weights and biases are 0: where one is behind the other, the
  /// gradient of each is a product with the weights of the others, and so 0, too.
  package var hasOnlyBlankLayers: Bool {
    let layers = arrays.filter { bound(of: $0) != nil }
    return layers.count { $0.shape.count > 1 } > 1
      && layers.allSatisfy { weights(named: $0.name)?.values.allSatisfy { $0 == 0 } ?? false }
  }

  /// The size of the largest numbers that an array begins with; nil where it is no layer's.
  private func bound(of array: GraphIR.Weights) -> Double? {
    if let recurrent = recurrent(besides: array.name) { return 1 / Double(recurrent.shape[1]).squareRoot() }
    let weight = array.shape.count > 1 ? array : sibling("weight", besides: array.name)
    guard let weight, weight.shape.count > 1 else { return nil }
    return 1 / Double(weight.shape.dropFirst().reduce(1, *)).squareRoot()
  }

  private func recurrent(besides name: String) -> GraphIR.Weights? {
    sibling("recurrent", besides: name).flatMap { $0.shape.count == 2 ? $0 : nil }
  }

  /// The array of the same layer with another last name.
  private func sibling(_ last: String, besides name: String) -> GraphIR.Weights? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return arrays.first { $0.name == name[...dot] + last }
  }
}
