// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Numbers that are known while compiling, row-major.
typealias Constant = Tensor<Float>

/// An array of some extents, row-major: of numbers, or of what is known of them.
package struct Tensor<Element> {
  package var extents: [Int]
  package var numbers: [Element]

  package init(_ extents: [Int], _ numbers: [Element]) {
    self.extents = extents
    self.numbers = numbers
  }

  /// The same everywhere.
  package init(_ extents: [Int], filledWith number: Element) {
    self.init(extents, Array(repeating: number, count: extents.reduce(1, *)))
  }
}

extension Tensor: Equatable where Element: Equatable {}

extension Constant {
  /// The numbers of a literal or of an array of weights; nil for any other value.
  init?(_ value: ValueID, in graph: Graph) {
    switch graph.definition(of: value).op.given {
    case .literal(let number): self.init([], [number])
    case .weights(let id): self.init(graph[id].shape, Array(graph[id].values))
    case .input, .parameter, nil: return nil
    }
  }

  /// The numbers of a region of weights.
  init(_ region: Region, of weights: Weights) {
    self.init(region.extents, weights.values.part(region, of: weights.shape))
  }
}

extension RandomAccessCollection where Index == Int {
  /// The elements that a walk over some extents meets, with a distance for each axis.
  func gathered(_ extents: [Int], from offset: Int = 0, strides: [Int]) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(extents.reduce(1, *))
    var position = [Int](repeating: 0, count: extents.count)
    var place = offset
    while true {
      result.append(self[place])
      var axis = extents.count - 1
      while axis >= 0 {
        position[axis] += 1
        place += strides[axis]
        if position[axis] < extents[axis] { break }
        place -= extents[axis] * strides[axis]
        position[axis] = 0
        axis -= 1
      }
      if axis < 0 { return result }
    }
  }

  /// The elements of a region of an array with some extents.
  func part(_ region: Region, of extents: [Int]) -> [Element] {
    let strides = extents.rowMajorStrides
    let offset = zip(region.ranges, strides).reduce(0) { $0 + $1.0.lowerBound * $1.1 }
    return gathered(region.extents, from: offset, strides: strides)
  }
}

extension Tensor {
  /// The numbers that a walk over other extents meets, with a distance for each axis.
  func gathered(_ extents: [Int], from offset: Int = 0, strides: [Int]) -> Tensor {
    Tensor(extents, numbers.gathered(extents, from: offset, strides: strides))
  }

  /// The numbers of a region.
  func part(_ region: Region) -> Tensor { Tensor(region.extents, numbers.part(region, of: extents)) }

  /// Stretched to other extents, aligned at the last axis.
  package func stretched(to extents: [Int]) -> Tensor {
    guard extents != self.extents else { return self }
    let missing = extents.count - self.extents.count
    let own = self.extents.rowMajorStrides
    let strides = extents.indices.map { axis in
      axis < missing || self.extents[axis - missing] == 1 ? 0 : own[axis - missing]
    }
    return gathered(extents, strides: strides)
  }
}

extension Tensor {
  /// Several of them one after the other along an axis.
  init(joining parts: [Tensor], along axis: Int, _ extents: [Int]) {
    let outer = extents[..<axis].reduce(1, *)
    self.init(extents, [])
    numbers.reserveCapacity(extents.reduce(1, *))
    for row in 0..<outer {
      for part in parts {
        let length = part.numbers.count / outer
        numbers += part.numbers[row * length..<(row + 1) * length]
      }
    }
  }

  /// The positions of an axis that an index says, in place of the axis.
  package func gathered(_ index: [Double], along axis: Int, _ extents: [Int]) -> Tensor {
    let count = self.extents[axis]
    let inner = self.extents[(axis + 1)...].reduce(1, *)
    var result = Tensor(extents, [])
    result.numbers.reserveCapacity(extents.reduce(1, *))
    for row in 0..<self.extents[..<axis].reduce(1, *) {
      for number in index {
        let first = (row * count + Op.position(number, of: count)) * inner
        result.numbers += numbers[first..<first + inner]
      }
    }
    return result
  }

  /// Combines along an axis, which goes, in the order of its positions.
  package func reduced(
    along axis: Int, _ extents: [Int], from first: Element, _ combine: (Element, Element) -> Element
  ) -> Tensor {
    let strides = self.extents.rowMajorStrides
    var outer = strides
    let stride = outer.remove(at: axis)
    var result = Tensor(extents, filledWith: first)
    for position in 0..<self.extents[axis] {
      let row = gathered(extents, from: position * stride, strides: outer)
      for place in row.numbers.indices {
        result.numbers[place] = combine(result.numbers[place], row.numbers[place])
      }
    }
    return result
  }

  /// The results of a function of the elements at each place of its operands, all stretched to some extents.
  package init<Operand>(
    elementwise operands: [Tensor<Operand>], _ extents: [Int], _ function: ([Operand]) -> Element
  ) {
    let stretched = operands.map { $0.stretched(to: extents).numbers }
    self.init(extents, stretched[0].indices.map { place in function(stretched.map { $0[place] }) })
  }

  /// The results of a function of each element and the one there in another tensor, both stretched to some extents.
  package func combined<Other>(
    with other: Tensor<Other>, _ extents: [Int], _ combine: (Element, Other) -> Element
  ) -> Tensor {
    let pairs = zip(stretched(to: extents).numbers, other.stretched(to: extents).numbers)
    return Tensor(extents, pairs.map(combine))
  }
}

extension Graph {
  /// Adds weights under a name that is still free.
  mutating func addWeights(_ constant: Constant, called wish: String, _ names: inout WeightsNames)
    -> WeightsID
  {
    weights.append(
      Weights(name: names.free(wish), shape: constant.extents, values: Numbers(constant.numbers)))
    return WeightsID(weights.count - 1)
  }
}

/// The names of a graph's weights, which have to differ.
struct WeightsNames {
  private var taken: Set<String>
  private var counts: [String: Int] = [:]

  init(_ graph: Graph) { taken = Set(graph.weights.map(\.name)) }

  /// The name as wished, or with a number behind it.
  mutating func free(_ wish: String) -> String {
    var name = wish
    while !taken.insert(name).inserted {
      counts[wish, default: 1] += 1
      name = "\(wish) (\(counts[wish]!))"
    }
    return name
  }
}
