// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Reductions, dense layers and convolutions: folds that differ in how they walk over their operands.
extension KernelLowering {
  /// Outside of streams, results whose terms lie side by side go through a transposed copy: then results do, and vectors go
  /// along them.
  func lowerReduction(_ id: NodeID, axis: Int, _ combination: Op.Reduction) {
    let node = graph[id]
    let x = node.operands[0]
    let extents = loopShape(of: x).fixed
    var strides = extents.rowMajorStrides
    var reducedStride = strides.remove(at: axis)
    let inner = Space(of: loopShape(of: node.result)).inner
    var source = place(x)
    if inner != .frames, layout == .rows, axis == extents.count - 1, axis >= 1,
      min(extents[axis], extents[axis - 1]) >= Self.fewestTransposed
    {
      source = transposed(x, for: node.result)
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
    var strides = loopShape(of: x).fixed.rowMajorStrides
    let reducedStride = strides[axis]
    strides[axis] = 0
    func alongOutputs(_ stride: Int) -> [Int] { shape.fixed.indices.map { $0 == axis ? stride : 0 } }
    append(
      FoldKernel(
        node: id, combination: .sum(ways: ways), reduced: [extent],
        left: access(place(x), strides: strides, inner: inner, reduced: [reducedStride]),
        right: access(place(weight), strides: alongOutputs(extent), inner: inner, reduced: [1]),
        bias: node.operands.dropFirst(2).first.map {
          access(place($0), strides: alongOutputs(1), inner: inner, reduced: [0])
        }, epilogue: storing(node.result)))
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
    if inner == .frames || graph.definition(of: y).op.isFixed {
      right = access(place(y), strides: strides(y, rank - 1, terms), inner: inner, reduced: [1])
    } else {
      let columns = shape.fixed[rank - 1]
      right = access(
        transposed(y, for: node.result), strides: strides(y, rank - 1, 1), inner: inner, reduced: [columns])
    }
    append(
      FoldKernel(
        node: id, combination: .sum(ways: ways), reduced: [terms], left: left, right: right,
        epilogue: storing(node.result)))
  }

  /// A copy of a value with its last two axes exchanged.
  private func transposed(_ value: ValueID, for user: ValueID) -> Storage {
    var extents = loopShape(of: value).fixed
    var strides = extents.rowMajorStrides
    extents.swapAt(extents.count - 1, extents.count - 2)
    strides.swapAt(strides.count - 1, strides.count - 2)
    let buffer = allocate(.elements(extents.reduce(1, *)), isBlock(user) ? .held : .tile)
    let copy = Storage(location: .buffer(buffer), isRows: false)
    var map = MapKernel(over: Shape(extents))
    map.loads[value] = access(place(value), strides: strides, inner: map.space.inner)
    map.stores = [Store(value, access(copy, strides: extents.rowMajorStrides, inner: map.space.inner))]
    append(.map(map), for: user)
    return copy
  }

  /// With more than one group, the axis of output channels becomes two loops: over groups, and over a group's outputs.
  func lowerConvolution(_ id: NodeID, _ convolution: Convolution) {
    let node = graph[id]
    let (x, weight) = (node.operands[0], node.operands[1])
    let shape = loopShape(of: node.result)
    let kernel = convolution.walks.map(\.kernelSize)
    let taps = kernel.reduce(1, *)
    let channels = convolution.channelAxis(of: loopShape(of: x))
    let groups = convolution.groups
    let (outputs, inputs) = (shape.fixed[channels] / groups, loopShape(of: weight).fixed[1])

    if gathersWindows(convolution, loopShape(of: x).fixed, shape, outputs: outputs) {
      return lowerGathered(id, convolution)
    }
    let remembers = convolution.history > 0
    let source = remembers ? remember(x, convolution.history) : place(x)
    let own = loopShape(of: x).fixed.rowMajorStrides
    var walked = own
    for (axis, walk) in convolution.fixedWalks { walked[axis] = own[axis] * walk.stride }
    let distances = convolution.fixedWalks.map { own[$0.axis] * $0.walk.dilation }
    let reduced = (distances.isEmpty ? [0] : distances) + [own[channels]]
    /// Splits the axis of channels of one distance per axis into groups and a group's outputs.
    func split(_ strides: [Int], _ group: Int, _ output: Int) -> [Int] {
      Array(strides[..<channels]) + (groups == 1 ? [output] : [group, output]) + strides[(channels + 1)...]
    }
    let none = shape.fixed.map { _ in 0 }
    let results = shape.fixed.rowMajorStrides
    let extents = split(shape.fixed, groups, outputs)
    let loops = Shape(extents, frames: shape.frames)
    let inner = Space(of: loops).inner
    let storage = makeStorage(for: node.result)
    append(
      FoldKernel(
        node: id, combination: .sum(), reduced: kernel + [inputs],
        left: access(
          source, strides: split(walked, inputs * own[channels], 0), inner: inner, reduced: reduced,
          reducedDelays: remembers ? [-convolution.walks[0].dilation, 0] : nil),
        right: access(
          place(weight), strides: split(none, outputs * inputs * taps, inputs * taps), inner: inner,
          reduced: kernel.rowMajorStrides + [taps]),
        bias: node.operands.dropFirst(2).first.map {
          access(
            place($0), strides: split(none, outputs, 1), inner: inner,
            reduced: (kernel + [inputs]).map { _ in 0 })
        },
        epilogue: MapKernel(
          space: Space(of: loops),
          stores: [
            Store(
              node.result,
              access(
                storage, strides: split(results, outputs * results[channels], results[channels]), inner: inner
              ))
          ])))
  }

  /// Whether the windows of a convolution are worth being put side by side: where its innermost axis leaves lanes of vectors
  /// empty, or goes in strides, and enough outputs read each of them.
  private func gathersWindows(_ convolution: Convolution, _ x: [Int], _ result: Shape, outputs: Int) -> Bool {
    guard result.frames == nil, layout == .rows, let last = convolution.fixedWalks.last,
      last.axis == x.count - 1, outputs >= Self.fewestReaders
    else { return false }
    let count = result.fixed[last.axis]
    let positions = convolution.fixedWalks.reduce(1) { $0 * result.fixed[$1.axis] }
    let fillsVectors = count * 5 >= count.roundedUp(to: Self.lanes) * 4 || positions == count
    let taps = convolution.walks.reduce(1) { $0 * $1.kernelSize }
    let outer = x[..<convolution.fixedWalks[0].axis].reduce(1, *)
    return (last.walk.stride > 1 || !fillsVectors) && outer * taps * positions <= Self.mostGathered
  }

  private static let fewestReaders = 4
  private static let lanes = 16
  private static let mostGathered = 1 << 22

  /// A convolution as a product with its windows, whose positions lie side by side:
  ///
  ///     x [channels, 9, 9]  →  buffer [channels, 3, 3, 4 · 4]  →  fold over channels and taps, vectors along 16 positions
  private func lowerGathered(_ id: NodeID, _ convolution: Convolution) {
    let node = graph[id]
    let (x, weight) = (node.operands[0], node.operands[1])
    let (source, result) = (loopShape(of: x).fixed, loopShape(of: node.result).fixed)
    let channels = convolution.channelAxis(of: Shape(source))
    let own = source.rowMajorStrides
    let (kernel, walks) = (convolution.walks.map(\.kernelSize), convolution.fixedWalks)
    let (taps, positions) = (kernel.reduce(1, *), result[(channels + 1)...].reduce(1, *))

    let extents = Array(source[...channels]) + kernel + result[(channels + 1)...]
    let buffer = allocate(.elements(extents.reduce(1, *)), isBlock(node.result) ? .held : .tile)
    let windows = Storage(location: .buffer(buffer), isRows: false)
    var map = MapKernel(over: Shape(extents))
    let read =
      own[...channels] + walks.map { own[$0.axis] * $0.walk.dilation }
      + walks.map { own[$0.axis] * $0.walk.stride }
    map.loads[x] = access(place(x), strides: Array(read), inner: map.space.inner)
    map.stores = [Store(x, access(windows, strides: extents.rowMajorStrides, inner: map.space.inner))]
    append(.map(map), for: node.result)

    let (groups, inputs) = (convolution.groups, loopShape(of: weight).fixed[1])
    let outputs = result[channels] / groups
    let batch = Array(result[..<channels])
    let loops = Shape(batch + [groups, outputs, positions])
    let inner = Space(of: loops).inner
    let ofChannel = taps * positions
    let batches = (batch + [source[channels]]).rowMajorStrides.dropLast()
    let none = batch.map { _ in 0 }
    let storage = makeStorage(for: node.result)
    append(
      FoldKernel(
        node: id, combination: .sum(), reduced: kernel + [inputs],
        left: access(
          windows, strides: batches.map { $0 * ofChannel } + [inputs * ofChannel, 0, 1], inner: inner,
          reduced: kernel.rowMajorStrides.map { $0 * positions } + [ofChannel]),
        right: access(
          place(weight), strides: none + [outputs * inputs * taps, inputs * taps, 0], inner: inner,
          reduced: kernel.rowMajorStrides + [taps]),
        bias: node.operands.dropFirst(2).first.map {
          access(
            place($0), strides: none + [outputs, 1, 0], inner: inner,
            reduced: (kernel + [inputs]).map { _ in 0 })
        },
        epilogue: MapKernel(
          space: Space(of: loops),
          stores: [
            Store(node.result, access(storage, strides: loops.fixed.rowMajorStrides, inner: inner))
          ])))
  }

  /// An epilogue that stores a fold's result in its own buffer.
  private func storing(_ result: ValueID) -> MapKernel {
    let shape = loopShape(of: result)
    let space = Space(of: shape)
    let store = access(makeStorage(for: result), strides: shape.fixed.rowMajorStrides, inner: space.inner)
    return MapKernel(space: space, stores: [Store(result, store)])
  }

  private func append(_ kernel: FoldKernel) {
    let result = graph[kernel.node].result
    append(.fold(kernel), for: result)
  }
}
