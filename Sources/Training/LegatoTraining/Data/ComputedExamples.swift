// SPDX-License-Identifier: Apache-2.0

/// Examples that a function makes or fetches, each when it is its turn.
///
///     ComputedExamples(count: 1000) { index in
///       let phase = Float(index) / 1000
///       return ["x": [phase], "target": [sin(2 * .pi * phase)]]
///     }
public struct ComputedExamples: Dataset {
  public let count: Int
  private let make: @Sendable (Int) throws -> [String: [Float]]

  /// - Parameters:
  ///   - count: how many there are.
  ///   - item: the numbers of an example from 0 to below the count, by the names of inputs and targets, row-major. It
  ///     gives the same each time it is asked; what it throws ends the run.
  public init(count: Int, _ item: @escaping @Sendable (Int) throws -> [String: [Float]]) {
    precondition(count >= 0, "there are no examples, or some")
    (self.count, make) = (count, item)
  }

  public func item(_ index: Int) throws -> [String: [Float]] { try make(index) }
}
