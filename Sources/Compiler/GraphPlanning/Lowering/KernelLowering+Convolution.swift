// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Convolutions: folds over taps and channels, with vectors along the innermost axis or along the outputs.
extension KernelLowering {
  /// With more than one group, the axis of output channels becomes two loops: over groups, and over a group's outputs.
  func lowerConvolution(_ id: NodeID, _ convolution: Convolution) {
    let node = graph[id]
    let (x, weight) = (node.operands[0], node.operands[1])
    let shape = loopShape(of: node.result)
    let kernel = convolution.walks.map(\.kernelSize)
    let channels = convolution.channelAxis(of: loopShape(of: x))
    let groups = convolution.groups
    let (outputs, inputs) = (shape.fixed[channels] / groups, loopShape(of: weight).fixed[1])

    if goesAlongOutputs(convolution, x, shape, outputs: outputs, terms: kernel.reduce(inputs, *)) {
      return lowerAlongOutputs(id, convolution)
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
    let weights =
      inner != .frames && channels == shape.fixed.count - 1 ? kernelWeights(weight) : standing(weight)
    let storage = makeStorage(for: node.result)
    append(
      FoldKernel(
        node: id, combination: .sum(), reduced: kernel + [inputs],
        left: access(
          source, strides: split(walked, inputs * own[channels], 0), inner: inner, reduced: reduced,
          reducedDelays: remembers ? [-convolution.walks[0].dilation, 0] : nil),
        right: access(
          weights.storage, strides: split(none, outputs * weights.output, weights.output), inner: inner,
          reduced: kernel.rowMajorStrides.map { $0 * weights.tap } + [weights.input]),
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

  /// Whether vectors go along a convolution's outputs: where its innermost axis goes in strides, from which vectors are
  /// picked number by number, if at all, and outputs fill theirs; where it leaves a tenth more lanes empty than they do, or where
  /// channels are innermost in memory and hardly leave any empty.
  private func goesAlongOutputs(
    _ convolution: Convolution, _ x: ValueID, _ result: Shape, outputs: Int, terms: Int
  ) -> Bool {
    let extents = loopShape(of: x).fixed
    guard result.frames == nil, layout == .rows, !isWalking, let last = convolution.fixedWalks.last,
      last.axis == extents.count - 1, outputs >= Self.fewestOutputs
    else { return false }
    /// The part of the lanes of so many numbers that is used.
    func fill(_ count: Int) -> Double { Double(count) / Double(count.roundedUp(to: Self.lanes)) }
    if case .transpose(let order) = graph.definition(of: x).op,
      order[convolution.channelAxis(of: Shape(extents))] == extents.count - 1
    {
      return fill(outputs) >= 0.5
    }
    // The results are turned afterwards, which takes as long as some terms.
    let most = fill(outputs) < Self.nearlyFull ? Access.mostApart : terms < Self.fewestTermsToTurn ? 2 : 1
    return last.walk.stride > most || fill(result.fixed[last.axis]) < Self.worthTurning * fill(outputs)
  }

  private static let fewestOutputs = 4
  /// Outputs that fill this part of their lanes are worth being turned at smaller strides.
  private static let nearlyFull = 0.9
  /// Outputs are taken where lines fill less than this part of what outputs fill.
  private static let worthTurning = 0.9
  private static let fewestTermsToTurn = 128
  /// Of the widest vectors.
  private static let lanes = 16
  private static let outputsOfBlock = 64
  private static let mostWeightsAtOnce = 1 << 16

  /// A convolution whose numbers are read one by one, and whose weights are vectors:
  ///
  ///     fold over positions, vectors along outputs  →  buffer [positions, outputs]  →  [outputs, positions]
  ///
  /// Who reads number by number goes on from the buffer, and the copy is left out: so does the next of such convolutions.
  private func lowerAlongOutputs(_ id: NodeID, _ convolution: Convolution) {
    let node = graph[id]
    let (x, weight) = (node.operands[0], node.operands[1])
    let (source, result) = (loopShape(of: x).fixed, loopShape(of: node.result).fixed)
    let channels = convolution.channelAxis(of: Shape(source))
    let own = source.rowMajorStrides
    let (kernel, walks) = (convolution.walks.map(\.kernelSize), convolution.fixedWalks)
    let (taps, inputs) = (kernel.reduce(1, *), loopShape(of: weight).fixed[1])
    let (groups, batch) = (convolution.groups, Array(result[..<channels]))
    let extents = Array(result[(channels + 1)...])
    let positions = extents.reduce(1, *)
    // Weights that do not stay in a cache are read block by block, each for all positions.
    let all = result[channels] / groups
    let isLarge = all * inputs * taps > Self.mostWeightsAtOnce && all.isMultiple(of: Self.outputsOfBlock)
    let outputs = isLarge ? Self.outputsOfBlock : all
    let blocks = all / outputs

    let weights = kernelWeights(weight)
    let loops = Shape(batch + [groups, blocks] + extents + [outputs])
    let inner = Space(of: loops).inner
    let (nowhere, still) = (batch.map { _ in 0 }, extents.map { _ in 0 })
    let ofBlock = outputs * weights.output
    let buffer = Storage(
      location: .buffer(allocate(.elements(loops.count), isBlock(node.result) ? .held : .tile)), isRows: false
    )
    append(
      FoldKernel(
        node: id, combination: .sum(), reduced: kernel + [inputs],
        left: access(
          place(x),
          strides: own[..<channels] + [inputs * own[channels], 0]
            + walks.map { own[$0.axis] * $0.walk.stride }
            + [0],
          inner: inner, reduced: walks.map { own[$0.axis] * $0.walk.dilation } + [own[channels]]),
        right: access(
          weights.storage, strides: nowhere + [blocks * ofBlock, ofBlock] + still + [weights.output],
          inner: inner,
          reduced: kernel.rowMajorStrides.map { $0 * weights.tap } + [weights.input]),
        bias: node.operands.dropFirst(2).first.map {
          access(
            place($0), strides: nowhere + [all, outputs] + still + [1], inner: inner,
            reduced: (kernel + [inputs]).map { _ in 0 })
        },
        epilogue: MapKernel(
          space: Space(of: loops),
          stores: [Store(node.result, access(buffer, strides: loops.fixed.rowMajorStrides, inner: inner))])))

    let turned = Shape(batch + [groups * blocks, outputs, positions])
    let strides = (batch + [groups * blocks, positions, outputs]).rowMajorStrides
    put(node.result, from: buffer, strides: strides.dropLast(2) + [1, outputs], over: turned)
  }

  /// Weights [outputs, inputs, taps…] whose outputs are vectors: of those that are computed, or given with each step, a copy
  /// in which outputs lie side by side. Those that stand in the model are packed.
  private func kernelWeights(_ weight: ValueID) -> KernelWeights {
    let shape = loopShape(of: weight).fixed
    guard graph.clock == .step, !isWalking, !graph.definition(of: weight).op.isFixed,
      shape[0] >= Self.fewestOutputs
    else { return standing(weight) }
    if turnedWeights[weight] == nil {
      turnedWeights[weight] = copied(weight, Array(2..<shape.count) + [1, 0])
    }
    return KernelWeights(
      storage: turnedWeights[weight]!, output: 1, input: shape[0], tap: shape[0] * shape[1])
  }

  /// Weights as they stand there: [outputs, inputs, taps…].
  private func standing(_ weight: ValueID) -> KernelWeights {
    let shape = loopShape(of: weight).fixed
    let taps = shape.dropFirst(2).reduce(1, *)
    return KernelWeights(storage: place(weight), output: shape[1] * taps, input: taps, tap: 1)
  }
}

/// A convolution's weights, and the distances between its outputs, inputs and taps.
private struct KernelWeights {
  let storage: KernelLowering.Storage
  let output, input, tap: Int
}
