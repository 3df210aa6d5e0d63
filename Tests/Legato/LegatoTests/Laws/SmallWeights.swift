// SPDX-License-Identifier: Apache-2.0

/// Weights that keep a signal small, and of which no two neighbours are alike.
enum SmallWeights {
  static func number(_ index: Int) -> Float { Float((index * 7919) % 31 - 15) / 64 }

  /// `[2, 2] = [-0.234375, …]`, as stands behind the name of weights in a graph's text.
  static func text(_ shape: [Int]) -> String {
    let numbers = (0..<shape.reduce(1, *)).map { "\(number($0))" }
    return "\(shape) = [\(numbers.joined(separator: ", "))]"
  }
}
