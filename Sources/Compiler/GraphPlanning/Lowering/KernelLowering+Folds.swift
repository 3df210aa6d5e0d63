// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Reductions, products and dense layers: folds that differ in how they walk over their operands.
extension KernelLowering {
  /// Outside of streams, results of few terms that lie side by side go through a transposed copy: then results do, and
  /// vectors go along them. Of many terms vectors go along those.
  func lowerReduction(_ id: NodeID, axis: Int, _ combination: Op.Reduction) {
    let node = graph[id]
    let x = node.operands[0]
    let extents = loopShape(of: x).fixed
    var strides = extents.rowMajorStrides
    var reducedStride = strides.remove(at: axis)
    let inner = Space(of: loopShape(of: node.result)).inner
    var source = place(x)
    if inner != .frames, layout == .rows, !isWalking, axis == extents.count - 1, axis >= 1,
      !combination.goesInLanes(of: extents[axis]),
      min(extents[axis], extents[axis - 1]) >= Self.fewestTransposed
    {
      source = transposed(x)
      strides[axis - 1] = 1
      reducedStride = extents[axis - 1]
    }
    let left = access(source, strides: strides, inner: inner, reduced: [reducedStride])
    append(
      FoldKernel(
        node: id, combination: combination, reduced: [extents[axis]], left: left,
        epilogue: storing(node.result)))
  }

  /// Numbers along an axis of which a transposition is worth it.
  private static let fewestTransposed = 8

  func lowerDense(_ id: NodeID, axis: Int, ways: Int) {
    let node = graph[id]
    let (x, weight) = (node.operands[0], node.operands[1])
    let shape = loopShape(of: node.result)
    let inner = Space(of: shape).inner
    let extent = loopShape(of: x).fixed[axis]
    // Lines of a weight that are read in vectors stay where they are.
    let isAlongTerms =
      graph.clock == .step && axis == shape.fixed.count - 1
      && Op.Reduction.sum(ways: ways).goesInLanes(of: extent)
    guard isAlongTerms || !turnsRows(of: node, axis: axis) else { return lowerTurnedDense(id, ways: ways) }
    var strides = loopShape(of: x).fixed.rowMajorStrides
    let reducedStride = strides[axis]
    strides[axis] = 0
    func alongOutputs(_ stride: Int) -> [Int] { shape.fixed.indices.map { $0 == axis ? stride : 0 } }
    let right: Access
    if !isAlongTerms, let turned = turnedWeight(weight) {
      let outputs = shape.fixed[axis]
      right = access(turned, strides: alongOutputs(1), inner: inner, reduced: [outputs])
    } else {
      right = access(place(weight), strides: alongOutputs(extent), inner: inner, reduced: [1])
    }
    append(
      FoldKernel(
        node: id, combination: .sum(ways: ways), reduced: [extent],
        left: access(place(x), strides: strides, inner: inner, reduced: [reducedStride]),
        right: right,
        bias: node.operands.dropFirst(2).first.map {
          access(place($0), strides: alongOutputs(1), inner: inner, reduced: [0])
        }, epilogue: storing(node.result)))
  }

  /// Whether a layer's input is turned, and its result back, in place of a weight that is computed, or given, with each step:
  /// together they have fewer numbers. A transposed weight needs no copy: it is read where it stood before.
  private func turnsRows(of node: Node, axis: Int) -> Bool {
    let (shape, weight) = (loopShape(of: node.result).fixed, node.operands[1])
    let (rows, outputs) = (shape.dropLast().reduce(1, *), shape.last!)
    let extent = loopShape(of: node.operands[0]).fixed[axis]
    return graph.clock == .step && !isWalking && axis == shape.count - 1
      && !graph.definition(of: weight).op.isFixed && !isBlock(weight) && turnedWeights[weight] == nil
      && graph.definition(of: weight).op != .transpose([1, 0])
      && rows > 1 && rows * (extent + outputs) < outputs * extent
  }

  /// Rows of the weight by columns of x, the rows of the result side by side.
  ///
  ///     x [rows…, in]  →  buffer [in, rows]  →  fold, vectors along rows  →  buffer [out, rows]  →  [rows…, out]
  private func lowerTurnedDense(_ id: NodeID, ways: Int) {
    let node = graph[id]
    let (x, weight) = (node.operands[0], node.operands[1])
    let (shape, extent) = (loopShape(of: node.result), loopShape(of: x).fixed.last!)
    let (leading, outputs) = (Array(shape.fixed.dropLast()), shape.fixed.last!)
    let rows = leading.reduce(1, *)
    let columns = copied(x, [leading.count] + leading.indices)
    var epilogue = MapKernel(over: Shape([outputs, rows]))
    let inner = epilogue.space.inner
    let buffer = allocate(.elements(outputs * rows), isBlock(node.result) ? .held : .tile)
    let turned = Storage(location: .buffer(buffer), isRows: false)
    epilogue.stores = [Store(node.result, access(turned, strides: [rows, 1], inner: inner))]
    append(
      FoldKernel(
        node: id, combination: .sum(ways: ways), reduced: [extent],
        left: access(place(weight), strides: [extent, 0], inner: inner, reduced: [1]),
        right: access(columns, strides: [0, 1], inner: inner, reduced: [rows]),
        bias: node.operands.dropFirst(2).first.map {
          access(place($0), strides: [1, 0], inner: inner, reduced: [0])
        }, epilogue: epilogue))
    put(node.result, from: turned, strides: leading.rowMajorStrides + [rows], over: shape)
  }

  /// Copies a result to its own place from where its fold has left it, in another order.
  ///
  /// - Parameter strides: distances there, for each axis of the shape.
  func put(_ result: ValueID, from turned: Storage, strides: [Int], over shape: Shape) {
    var map = MapKernel(over: shape)
    map.loads[result] = access(turned, strides: strides, inner: map.space.inner)
    map.stores = [
      Store(
        result,
        access(makeStorage(for: result), strides: shape.fixed.rowMajorStrides, inner: map.space.inner))
    ]
    append(.map(map), for: result)
  }

  /// A copy of a weight that is computed, or given with each step, in which its outputs lie side by side; nil where there is
  /// none, as of those that stand in the model, which are packed.
  private func turnedWeight(_ weight: ValueID) -> Storage? {
    if isWalking || turnedWeights[weight] != nil { return turnedWeights[weight] }
    turnWeight(weight)
    return turnedWeights[weight]
  }

  /// Makes the copy where it is worth it; for cycles before they begin.
  func turnWeight(_ weight: ValueID) {
    let extents = loopShape(of: weight).fixed
    guard graph.clock == .step, !graph.definition(of: weight).op.isFixed, turnedWeights[weight] == nil,
      extents.allSatisfy({ $0 >= Self.fewestTransposed })
    else { return }
    turnedWeights[weight] = transposed(weight)
  }

  /// Rows of x go along with the rows of the result, rows of y with its last axis; a batch of one position stays where it is.
  ///
  ///     y [batch…, n, k]  →  buffer [batch…, k, n]  →  fold, vectors along n
  ///
  /// Outside of streams y is transposed first, weights aside, whose panels are: copy elision leaves that out where what is
  /// read lies so already, as that of `matmul` does.
  func lowerContraction(_ id: NodeID, ways: Int) {
    let node = graph[id]
    let (x, y) = (node.operands[0], node.operands[1])
    let shape = loopShape(of: node.result)
    let inner = Space(of: shape).inner
    let rank = shape.fixed.count
    let terms = loopShape(of: x).fixed.last!
    /// A walk over an operand: a distance for the rows along an axis of the result, and those of its batches.
    func strides(_ value: ValueID, _ axis: Int, _ distance: Int) -> [Int] {
      let fixed = loopShape(of: value).fixed
      let own = fixed.rowMajorStrides
      var strides = shape.fixed.map { _ in 0 }
      strides[axis] = distance
      for (batch, extent) in fixed.dropLast(2).enumerated() where extent > 1 {
        strides[rank - fixed.count + batch] = own[batch]
      }
      return strides
    }
    let left = access(place(x), strides: strides(x, rank - 2, terms), inner: inner, reduced: [1])
    let right: Access
    if inner == .frames || isWalking || graph.definition(of: y).op.isFixed {
      right = access(place(y), strides: strides(y, rank - 1, terms), inner: inner, reduced: [1])
    } else {
      let columns = shape.fixed[rank - 1]
      right = access(
        transposed(y), strides: strides(y, rank - 1, 1), inner: inner, reduced: [columns])
    }
    append(
      FoldKernel(
        node: id, combination: .sum(ways: ways), reduced: [terms], left: left, right: right,
        epilogue: storing(node.result)))
  }

  /// A copy of a value with its last two axes exchanged.
  private func transposed(_ value: ValueID) -> Storage {
    let rank = loopShape(of: value).fixed.count
    return copied(value, Array(0..<rank - 2) + [rank - 1, rank - 2])
  }

  /// A copy of a value with its axes in another order.
  func copied(_ value: ValueID, _ order: [Int]) -> Storage {
    let key = HeldCopy(value: value, order: order)
    if let known = heldCopies[key] { return known }
    let source = loopShape(of: value).fixed
    let extents = order.map { source[$0] }
    let buffer = allocate(.elements(extents.reduce(1, *)), isBlock(value) ? .held : .tile)
    let copy = Storage(location: .buffer(buffer), isRows: false)
    var map = MapKernel(over: Shape(extents))
    map.loads[value] = access(
      place(value), strides: order.map { source.rowMajorStrides[$0] }, inner: map.space.inner)
    map.stores = [Store(value, access(copy, strides: extents.rowMajorStrides, inner: map.space.inner))]
    append(.map(map), for: value)
    if isBlock(value) { heldCopies[key] = copy }
    return copy
  }

  /// An epilogue that stores a fold's result in its own buffer.
  func storing(_ result: ValueID) -> MapKernel {
    let shape = loopShape(of: result)
    let space = Space(of: shape)
    let store = access(makeStorage(for: result), strides: shape.fixed.rowMajorStrides, inner: space.inner)
    return MapKernel(space: space, stores: [Store(result, store)])
  }

  func append(_ kernel: FoldKernel) {
    let result = graph[kernel.node].result
    append(.fold(kernel), for: result)
  }
}
