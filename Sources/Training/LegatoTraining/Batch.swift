// SPDX-License-Identifier: Apache-2.0

/// Examples of a step, one after the other: for each input and target of the model the numbers of each.
///
///     var batch = Batch()
///     batch.add(["src": window, "target": wanted])
public struct Batch: Sendable {
  /// The numbers of all examples, by the names of inputs and targets.
  public private(set) var values: [String: [Float]] = [:]
  public private(set) var count = 0

  public init() {}

  /// Adds an example. Whether names and sizes go with a model is checked when it learns from it.
  public mutating func add(_ item: [String: [Float]]) {
    for (name, numbers) in item { values[name, default: []].append(contentsOf: numbers) }
    count += 1
  }
}

/// Examples that can be had by their position.
public protocol Dataset: Sendable {
  /// How many there are.
  var count: Int { get }
  /// The numbers of an example, by the names of the model's inputs and of the targets, row-major.
  func item(_ index: Int) throws -> [String: [Float]]
}

/// Some of the examples of a data set, in an order of their own.
public struct Subset: Dataset {
  private let whole: any Dataset
  private let chosen: [Int]

  public init(of whole: any Dataset, _ chosen: [Int]) {
    self.whole = whole
    self.chosen = chosen
  }

  public var count: Int { chosen.count }

  public func item(_ index: Int) throws -> [String: [Float]] { try whole.item(chosen[index]) }
}

extension Dataset {
  /// The examples in two parts, of which the second holds a share, taken evenly from all over.
  public func split(validating share: Double) -> (training: Subset, validation: Subset) {
    let held = Int((Double(count) * share).rounded())
    let picked = Set((0..<held).map { (2 * $0 + 1) * count / (2 * held) })
    return (
      Subset(of: self, (0..<count).filter { !picked.contains($0) }), Subset(of: self, picked.sorted())
    )
  }
}
