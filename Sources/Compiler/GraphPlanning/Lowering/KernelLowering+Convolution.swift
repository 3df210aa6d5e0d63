// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Convolutions: folds over taps and channels, of what x has there, or of its windows side by side.
extension KernelLowering {
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
}
