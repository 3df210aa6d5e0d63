// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A reduction over axes, with an epilogue on the results while they are in registers.
///
///     result = combine over the reduced axes of left [* right], begun with a bias
///     epilogue: elementwise nodes of the result, and the stores
///
/// Sums over axes, dense layers and convolutions are all of this form; they differ in their accesses. The terms of
/// each sum are added in the order of the reduced axes, the outermost first, wherever and however it is computed; or by
/// turns to the partial sums of its ways, see `Op.sum`.
package struct FoldKernel: Hashable, Sendable {
  package var node: NodeID
  package var combination: Op.Reduction
  /// Extents of the reduced axes, the outermost first.
  package var reduced: [Int]
  package var left: Access
  package var right: Access?
  package var bias: Access?
  /// The elementwise nodes that follow the fold, and the stores of their results and its own.
  ///
  /// The result of `node` is among the values that its nodes and stores use, neither loaded nor computed. No store
  /// may write what another round of the fold still reads.
  package var epilogue: MapKernel
  /// The tile of results that are computed side by side.
  package var tile: FoldTile
  /// Whether it has some of the terms of each sum at a time: then its bias is what those before came to, where it is stored,
  /// and the cycle around it goes through all terms.
  package var goesOn = false
  /// Whether it computes some columns of its node, and other folds the others.
  package var isPart = false
  /// Whether the panel that comes next is fetched meanwhile, see `ahead`; only where `canFetchAhead`.
  package var fetchesAhead = false

  package init(
    node: NodeID, combination: Op.Reduction, reduced: [Int], left: Access, right: Access? = nil,
    bias: Access? = nil, epilogue: MapKernel, tile: FoldTile = .single
  ) {
    self.node = node
    self.combination = combination
    self.reduced = reduced
    self.left = left
    self.right = right
    self.bias = bias
    self.epilogue = epilogue
    self.tile = tile
  }

  /// The loops over results.
  package var space: Space { epilogue.space }

  /// Whether one operand is weights that a panel can bring into the order of reading.
  var takesPanels: Bool {
    guard !tile.isAlongTerms, let right, case .weights = right.location else { return false }
    return left.innerStride == 0 || right.innerStride == 0
  }

  /// Whether it goes along the innermost axis in vectors, once weights are where they are wanted.
  var isComputedInVectors: Bool {
    let reads = [left, bias, takesPanels ? nil : right].compactMap(\.self)
    return epilogue.isComputedInVectors && reads.allSatisfy(\.isReadInVectors)
  }

  /// Whether this read of an operand takes each sum from where it is put again, as it is.
  func takesSums(by read: Access) -> Bool {
    guard goesOn, bias == read, read.strides.first == 0, combination == .sum(), epilogue.nodes.isEmpty,
      epilogue.loads.isEmpty
    else { return false }
    var sums = read
    sums.strides.removeLast(reduced.count)
    sums.delayStrides.removeLast(reduced.count)
    return epilogue.stores.map(\.access) == [sums]
  }

  /// The accesses of the fold's operands.
  package var operands: [Access] {
    switch (right, bias) {
    case (nil, nil): [left]
    case (let second?, nil), (nil, let second?): [left, second]
    case (let right?, let bias?): [left, right, bias]
    }
  }
}

extension FoldKernel {
  /// A walk through the panel of weights behind the one that is read: a part of it in each pass over that, a few numbers
  /// for each term.
  ///
  ///     rows 0 to 7    read panel 0, all of it     fetch the first quarter of panel 1
  ///     rows 8 to 15   read panel 0                fetch the second quarter …
  package var ahead: (access: Access, numbers: Int)? {
    // The numbers of a term, with the room behind them.
    guard fetchesAhead, let right, let width = right.strides.last else { return nil }
    let (axes, terms, all) = (space.extents.indices, reduced.reduce(1, *), passesOverPanel)
    let numbers = (width + all - 1) / all
    var ahead = Access(
      right.location, offset: right.offset + width * terms, strides: right.strides, innerStride: 0)
    for axis in axes.count..<ahead.strides.count {
      ahead.strides[axis] = right.strides[axis] / width * numbers
    }
    var distance = numbers * terms
    // The loop over the tile's rows is the inner one.
    let inwards = axes.filter { $0 != tile.rowAxis } + [tile.rowAxis].compactMap(\.self)
    for axis in inwards.reversed() where right.strides[axis] == 0 {
      let rounds = tile.rounds(of: axis)
      ahead.strides[axis] = (distance + rounds - 1) / rounds
      distance *= (space.extents[axis] + rounds - 1) / rounds
    }
    return (ahead, numbers)
  }

  /// Whether vectors of weights are read panel after panel, each without a wide gap, by sums of one way.
  var canFetchAhead: Bool {
    guard let right, case .weights = right.location, case .count(let width) = space.inner,
      right.innerStride == 1, let distance = right.strides.last, width...width + width / 8 ~= distance,
      combination == .sum(), !tile.isAlongTerms, !space.isWalked
    else { return false }
    // Lines with weights of their own read several panels at once.
    guard tile.lineAxis.map({ right.strides[$0] == 0 }) ?? true else { return false }
    return space.extents.indices.contains { right.strides[$0] != 0 && space.extents[$0] > 1 }
  }

  /// How often each panel of weights is read.
  private var passesOverPanel: Int {
    space.extents.indices.reduce(1) { all, axis in
      guard right?.strides[axis] == 0 else { return all }
      let rounds = tile.rounds(of: axis)
      return all * ((space.extents[axis] + rounds - 1) / rounds)
    }
  }

  /// The operand that is loaded as vectors, and the one that is broadcast; nil where both change along the
  /// innermost axis or there is one operand only.
  package var vectorAndBroadcast: (vector: Access, broadcast: Access)? {
    guard let right else { return nil }
    switch (left.innerStride == 0, right.innerStride == 0) {
    case (false, true): return (left, right)
    case (true, false): return (right, left)
    case (true, true), (false, false): return nil
    }
  }
}
