// SPDX-License-Identifier: Apache-2.0

/// How often examples of a class were taken for which.
///
///     actual      predicted 0    1    2
///     0                     9    1    0        9 of 10 are right
///     1                     0    8    2
///     2                     1    0    9
public struct Confusion: Hashable, Sendable {
  /// By the actual class, then by the one that it was taken for.
  public private(set) var counts: [[Int]]

  /// The most classes that are counted.
  static let mostClasses = 1000

  /// No example yet of so many classes.
  public init(classes: Int) { counts = Array(repeating: Array(repeating: 0, count: classes), count: classes) }

  /// Counts an example; what is no class counts for nothing.
  public mutating func add(actual: Int, predicted: Int) {
    guard counts.indices ~= actual, counts.indices ~= predicted else { return }
    counts[actual][predicted] += 1
  }

  /// Examples that were counted.
  public var total: Int { counts.reduce(0) { $0 + $1.reduce(0, +) } }

  /// The share of examples that were taken for what they are; 0 of none.
  public var accuracy: Double {
    total == 0 ? 0 : Double(counts.indices.reduce(0) { $0 + counts[$1][$1] }) / Double(total)
  }
}
