// SPDX-License-Identifier: Apache-2.0

/// Examples of a step, one after the other: for each input and target of the model the numbers of each.
///
///     var batch = Batch()
///     batch.add(["src": window, "target": wanted])
public struct Batch: Sendable {
  /// The numbers of all examples, by the names of inputs and targets.
  public private(set) var values: [String: [Float]] = [:]
  /// How many examples there are.
  public private(set) var count = 0
  /// The first array that an example has more or fewer numbers of than those before it, and that example.
  private(set) var uneven: (name: String, index: Int)?

  /// Examples that there is room for from the first one on.
  private let expected: Int

  /// A batch without examples.
  public init() { expected = 0 }

  /// A batch of so many examples, which takes no more memory than they do.
  init(expecting count: Int) { expected = count }

  /// Adds an example. Whether names and sizes go with a model is checked when it learns from it.
  public mutating func add(_ item: [String: [Float]]) {
    for (name, numbers) in item {
      if uneven == nil, values[name]?.count ?? 0 != numbers.count * count { uneven = (name, count) }
      if count == 0 { values[name, default: []].reserveCapacity(expected * numbers.count) }
      values[name, default: []].append(contentsOf: numbers)
    }
    count += 1
  }

  /// The examples, one by one.
  var items: [[String: [Float]]] { (0..<count).map { item($0).mapValues { Array($0) } } }

  /// The numbers of an example.
  func item(_ index: Int) -> [String: ArraySlice<Float>] {
    values.mapValues { numbers in
      let size = numbers.count / count
      return numbers[index * size..<(index + 1) * size]
    }
  }
}

/// Examples that can be had by their position.
public protocol Dataset: Sendable {
  /// How many there are.
  var count: Int { get }
  /// The numbers of an example, by the names of the model's inputs and of the targets, row-major.
  func item(_ index: Int) throws -> [String: [Float]]
  /// The shapes of an example's arrays, by their names, as far as they are known: a model that takes others refuses them.
  var shapes: [String: [Int]] { get }
  /// The number of what an example is a part of, such as a file with several windows: examples of one are held back
  /// together, so that none is judged by what is all but known. By itself each is a whole.
  func whole(of index: Int) -> Int
}

extension Dataset {
  public var shapes: [String: [Int]] { [:] }
  public func whole(of index: Int) -> Int { index }
}

/// Some of the examples of a data set, in an order of their own.
public struct Subset: Dataset {
  private let whole: any Dataset
  private let chosen: [Int]

  /// - Parameters:
  ///   - whole: the data set.
  ///   - chosen: the positions of the examples in it, in their order here.
  public init(of whole: any Dataset, _ chosen: [Int]) {
    self.whole = whole
    self.chosen = chosen
  }

  public var count: Int { chosen.count }
  public var shapes: [String: [Int]] { whole.shapes }

  public func item(_ index: Int) throws -> [String: [Float]] { try whole.item(chosen[index]) }
  public func whole(of index: Int) -> Int { whole.whole(of: chosen[index]) }

  /// The position of an example in the data set that this is a part of, from 0.
  public func place(of index: Int) -> Int { chosen[index] }
}

extension Dataset {
  /// The examples in two parts, of which the second holds a share of the wholes: of two or more at least one, where the
  /// share is not 0, and never all. They are taken evenly from all over, each at a place by chance in its part, so that
  /// what comes again and again, such as classes in turn, falls into both; the same wholes are always cut in the same way.
  ///
  /// - Parameter share: 0 to less than 1.
  public func split(validating share: Double) -> (training: Subset, validation: Subset) {
    precondition(0 <= share && share < 1, "a share of the examples is held back, and not all of them")
    var wholes: [Int] = []
    for index in 0..<count where wholes.last != whole(of: index) { wholes.append(whole(of: index)) }
    let (least, most) = (share > 0 && wholes.count > 1 ? 1 : 0, max(0, wholes.count - 1))
    let held = min(most, max(least, Int((Double(wholes.count) * share).rounded())))
    var random = SeededNumbers(seed: UInt64(wholes.count))
    let picked = Set(
      (0..<held).map { part in
        let (start, end) = (part * wholes.count / held, (part + 1) * wholes.count / held)
        return wholes[start + random.index(below: end - start)]
      })
    return (
      Subset(of: self, (0..<count).filter { !picked.contains(whole(of: $0)) }),
      Subset(of: self, (0..<count).filter { picked.contains(whole(of: $0)) })
    )
  }
}
