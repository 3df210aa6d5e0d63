// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato

/// Examples in arrays, one for each input and target, whose first axis counts them.
///
///     x [500, 64]   target [500]      ─▶   500 examples: x [64], target []
public struct TensorExamples: Dataset {
  private let arrays: [String: Tensor]
  public let count: Int

  /// - Parameters:
  ///   - arrays: by the names of inputs and targets.
  ///   - files: where they come from, for messages.
  /// - Throws: `TrainingError.data` where the arrays have other numbers of examples, or a number that is not finite.
  public init(_ arrays: [String: Tensor], files: [String: String] = [:]) throws(TrainingError) {
    self.arrays = arrays
    var counts: [String: Int] = [:]
    for (name, tensor) in arrays.sorted(by: { $0.key < $1.key }) {
      let what = (files[name].map { "\($0): " } ?? "") + quoted(name)
      guard let count = tensor.shape.first, count > 0 else {
        throw .data(
          "\(what) is \(tensor.shape): its first axis counts the examples"
            + (tensor.shape.isEmpty ? "" : ", and there is none"))
      }
      if let place = tensor.values.firstIndex(where: { !$0.isFinite }) {
        let size = tensor.values.count / count
        throw .data(
          "\(what): number \(place % size) of example \(place / size) is no finite number (counted from 0)")
      }
      counts[name] = count
    }
    guard Set(counts.values).count == 1, let count = counts.values.first else {
      let all = counts.sorted { $0.key < $1.key }.map { "\(quoted($0.key)) has \($0.value)" }
      throw .data("each array has as many examples as the others: \(all.joined(separator: ", "))")
    }
    self.count = count
  }

  public var shapes: [String: [Int]] { arrays.mapValues { Array($0.shape.dropFirst()) } }

  public func item(_ index: Int) -> [String: [Float]] {
    arrays.mapValues { tensor in
      let size = tensor.values.count / count
      return Array(tensor.values[index * size..<(index + 1) * size])
    }
  }
}
