// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Puts weights into the order in which this target's kernels read them, once.
  ///
  ///     natural:  [output][input][tap]                panels:  [panel][tap][input][row]
  ///
  ///     o0: i0t0 i0t1 i1t0 i1t1 …                     panel 0:  t0i0: o0 o1 o2 o3   t0i1: o0 o1 o2 o3   …
  ///     o1: i0t0 i0t1 i1t0 i1t1 …                     panel 1:  t0i0: o4 o5 o6 o7   …
  ///
  /// A panel has as many rows as the fold's tile where they divide the axis, else all of them, so that each step of
  /// the innermost loop reads one number a row side by side and goes on from there. Where outputs are vectors (a matrix
  /// times a vector) the panel's rows are those, as many as the tile has vectors for, where they divide the axis. The
  /// axis of rows becomes two loops, over panels and within one. That over panels of rows goes within those of a step's places,
  /// so that what a row of these reads is still near for the next panel; that over panels of vectors goes around them, so that
  /// large weights are read once. Of weights that do not stay in the second cache the next panel is fetched
  /// meanwhile.
  ///
  /// Legal because no sum changes its order. Natural weights that are not read any more go: a panel takes hardly more
  /// memory. What is read in several ways is there several times, unless code is made for size: then it stays natural.
  /// Rows that are looked up in an array that is a large product's, too, as of an embedding, are read from its panel,
  /// number by number, which is little beside the product; then the natural ones go.
  /// Rows of vectors begin at whole vectors where that takes at most an eighth more: a load across two cache lines takes
  /// twice as long.
  ///
  /// Weights that are computed, or read with both operands along the innermost axis, stay as they are. So do biases.
  package static let weightRepacking = KernelPass(
    name: "weight-repacking", summary: "puts weights into the order in which kernels read them"
  ) { graph, context in
    var packing = WeightRepacking(graph, for: context.target, goal: context.goal)
    let blockKernels = packing.repacked(graph.blockKernels, &context)
    var kernels = packing.repacked(graph.kernels, &context)
    guard context.rewrites > 0 else { return }
    kernels = packing.readingPanels(kernels, besides: blockKernels, graph.settling, &context)
    graph = graph.replacing(blockKernels: blockKernels, kernels: kernels, weights: packing.weights)
      .droppingUnreadWeights()
  }
}

/// The weights, to which panels are added.
private struct WeightRepacking {
  private let target: Target
  private let goal: Goal
  private(set) var weights: PackedWeights
  /// Whether weights do not stay in the second cache from step to step.
  private let isLarge: Bool
  /// Those that keep one panel of all columns.
  private let undivided: Set<Location>
  /// The offsets of panels that are packed already: folds may share weights.
  private var panels: [Panel: Int] = [:]
  /// How many products the folds that read each of them come to.
  private var products: [Panel: Int] = [:]
  /// Weights that stay in their natural order.
  private var kept: Set<Location> = []

  /// Weights in an order.
  private struct Panel: Hashable {
    let location: Location
    let offset: Int
    /// The axes from the slowest to the fastest.
    var axes: [PackedWeights.Axis]

    /// The walk through the panel, at its place, that meets the numbers of a walk through the natural order; nil where there
    /// is none.
    func way(of natural: Access, _ loops: Loops, _ place: Int) -> Access? {
      var distances = axes.map { _ in 1 }
      for axis in axes.indices.dropLast().reversed() {
        distances[axis] = distances[axis + 1] * axes[axis + 1].room
      }
      var (rest, highest) = (natural.offset - offset, axes.map { _ in 0 })
      var way = natural
      (way.location, way.offset) = (.weights(place), 0)
      guard rest >= 0 else { return nil }
      for axis in axes.indices.sorted(by: { axes[$0].stride > axes[$1].stride }) {
        highest[axis] = rest / axes[axis].stride
        rest %= axes[axis].stride
        way.offset += highest[axis] * distances[axis]
      }
      func step(_ stride: Int, times count: Int) -> Int? {
        if stride == 0 || count <= 1 { return 0 }
        guard let axis = axes.firstIndex(where: { $0.stride == stride }) else { return nil }
        highest[axis] += count - 1
        return distances[axis]
      }
      for (row, extent) in loops.extents.enumerated() {
        guard let stride = step(natural.strides[row], times: extent) else { return nil }
        way.strides[row] = stride
      }
      if case .count(let count) = loops.inner {
        guard let stride = step(natural.innerStride, times: count) else { return nil }
        way.innerStride = stride
      }
      if case .positions(let count, let stride)? = natural.index?.reach {
        guard let stride = step(stride, times: count) else { return nil }
        way.index?.reach = .positions(count: count, stride: stride)
      }
      return rest == 0 && zip(highest, axes).allSatisfy { $0 < $1.extent } ? way : nil
    }
  }

  init(_ graph: KernelGraph, for target: Target, goal: Goal) {
    self.target = target
    self.goal = goal
    weights = graph.weights
    isLarge = goal == .speed && graph.weights.count > Self.mostInSecondCache
    undivided = Self.undivided(in: graph.blockKernels + graph.kernels)
    switch goal {
    case .speed: break
    // A panel would be one more copy.
    case .size: kept = readInSeveralWays(in: graph)
    }
  }

  /// Numbers that stay there: 1 MiB.
  private static let mostInSecondCache = 1 << 18

  /// Weights from a place on, as a fold of some columns reads them.
  private struct Part: Hashable {
    let location: Location
    let offset: Int
  }

  /// Weights of which rows are looked up, and those that several folds read in tiles of different widths: they would be there
  /// for each of these.
  private static func undivided(in kernels: [Kernel]) -> Set<Location> {
    var result = Set(kernels.flatMap(\.walks.reads).filter { $0.access.index != nil }.map(\.access.location))
    var widths: [Part: Set<Int>] = [:]
    for case .fold(let fold) in kernels.flatMap(\.leaves) {
      guard let right = fold.right, right.innerStride != 0 else { continue }
      widths[Part(location: right.location, offset: right.offset), default: []].insert(fold.tile.vectors)
    }
    result.formUnion(widths.filter { $0.value.count > 1 }.keys.map(\.location))
    return result
  }

  private func readInSeveralWays(in graph: KernelGraph) -> Set<Location> {
    var panels: [Location: Set<Panel>] = [:]
    var natural = Set(graph.settling?.loads.values.map(\.location) ?? [])
    for kernel in (graph.blockKernels + graph.kernels).flatMap(\.leaves) {
      var reads = kernel.accesses.reads
      if case .fold(let fold) = kernel, let panel = packing(of: fold)?.panel {
        panels[panel.location, default: []].insert(panel)
        reads.removeAll { $0 == fold.right }
      }
      natural.formUnion(reads.map(\.location))
    }
    return natural.union(panels.filter { $0.value.count > 1 }.keys)
  }

  /// - Parameter keepsColumns: Whether the kernels are those of a cycle along frames: the ways in which that may go look for
  ///   loops over all columns.
  mutating func repacked(
    _ kernels: [Kernel], _ context: inout KernelPass.Context, keepsColumns: Bool = false
  ) -> [Kernel] {
    kernels.map { kernel in
      switch kernel {
      case .map, .sample: return kernel
      case .fold(let fold):
        guard let packing = packing(of: fold, keepsColumns: keepsColumns),
          !kept.contains(packing.panel.location), context.mayRewrite()
        else { return kernel }
        var (packed, way) = (packing.fold, packing.way)
        way.location = .weights(place(of: packing.panel))
        products[packing.panel, default: 0] += Loops(fold.space, reduced: fold.reduced).rounds
        packed.right = way
        packed.fetchesAhead = isLarge && packed.canFetchAhead
        return .fold(packed)
      case .cycle(var cycle):
        cycle.kernels = repacked(
          cycle.kernels, &context, keepsColumns: keepsColumns || cycle.positions == nil)
        return .cycle(cycle)
      }
    }
  }

  /// The fold in loops over panels, the way of its weights through one that is not packed yet, and the panel; nil where
  /// nothing is to be done.
  private func packing(
    of fold: FoldKernel, keepsColumns: Bool = false
  ) -> (fold: FoldKernel, way: Access, panel: Panel)? {
    guard fold.takesPanels, let right = fold.right else { return nil }
    let tile = fold.tile
    // Rows of vectors: the innermost axis is the panel's. Else the axis of the tile's rows is, or a part of it.
    // One row reads wide parts of the columns, and nothing twice.
    if right.innerStride != 0, goal == .speed, !keepsColumns, tile.rows > 1,
      !undivided.contains(right.location), case .count(let count) = fold.space.inner
    {
      let columns = tile.vectors * target.lanes
      if count > columns, count % columns == 0 {
        return packing(of: fold.splittingInnermost(into: columns), along: nil)
      }
    }
    guard right.innerStride == 0, tile.rows > 1, let axis = tile.rowAxis, right.strides[axis] != 0 else {
      return packing(of: fold, along: nil)
    }
    let (rows, extent) = (tile.rows, fold.space.extents[axis])
    guard extent > rows, extent % rows == 0 else { return packing(of: fold, along: axis) }
    let split = fold.splitting(axis: axis, into: rows)
    guard case .count = fold.space.inner, !fold.space.isWalked, axis + 1 < fold.space.extents.count else {
      return packing(of: split, along: axis + 1)
    }
    return packing(of: split.movingInside(axis: axis), along: axis)
  }

  private func packing(
    of fold: FoldKernel, along panelAxis: Int?
  ) -> (fold: FoldKernel, way: Access, panel: Panel)? {
    guard let natural = fold.right else { return nil }
    let extents = fold.space.extents + fold.reduced
    var order = natural.strides.indices.filter {
      $0 != panelAxis && natural.strides[$0] != 0 && extents[$0] > 1
    }
    if let panelAxis { order.append(panelAxis) }
    var panel = Panel(
      location: natural.location, offset: natural.offset,
      axes: order.map { PackedWeights.Axis(extent: extents[$0], stride: natural.strides[$0]) })
    var way = natural
    var distance = 1
    if natural.innerStride != 0, case .count(let count) = fold.space.inner {
      let room = room(forRowOf: count)
      panel.axes.append(PackedWeights.Axis(extent: count, stride: natural.innerStride, room: room))
      way.innerStride = 1
      distance = room
    }
    for axis in order.reversed() {
      way.strides[axis] = distance
      distance *= extents[axis]
    }
    guard way != natural else { return nil }
    way.offset = 0
    return (fold, way, panel)
  }

  /// The kernels with maps that read an array through the panel of a product beside which that is little, where nothing
  /// else reads it in its own order.
  func readingPanels(
    _ kernels: [Kernel], besides others: [Kernel], _ settling: MapKernel?,
    _ context: inout KernelPass.Context
  ) -> [Kernel] {
    var readers: [Location: [Int]] = [:]
    for (row, kernel) in kernels.enumerated() {
      for read in kernel.walks.reads { readers[read.access.location, default: []].append(row) }
    }
    let fixed = Set(
      (others + [settling].compactMap { $0.map(Kernel.map) }).flatMap(\.walks.reads).map(\.access.location))
    var result = kernels
    for (panel, place) in panels.sorted(by: { $0.value < $1.value }) where !fixed.contains(panel.location) {
      guard let rows = readers[panel.location], let most = products[panel] else { continue }
      var (changed, isPossible, rounds) = ([Int: Kernel](), true, 0)
      for row in rows {
        guard case .map(let map) = result[row], map.space.inner != .frames else {
          isPossible = false
          break
        }
        changed[row] = .map(
          map.rewriting(reads: { access, loops in
            guard access.location == panel.location else { return access }
            rounds += loops.rounds
            guard let way = panel.way(of: access, loops, place) else {
              isPossible = false
              return access
            }
            return way
          }))
      }
      guard isPossible, rounds <= most / Self.productsForARead, context.mayRewrite() else { continue }
      for (row, kernel) in changed { result[row] = kernel }
    }
    return result
  }

  /// Products of a fold beside which a number that is read apart from its neighbours counts for little.
  private static let productsForARead = 8192

  private func room(forRowOf count: Int) -> Int {
    let whole = (count + target.lanes - 1) / target.lanes * target.lanes
    return goal == .speed && whole - count <= count / 8 ? whole : count
  }

  private mutating func place(of panel: Panel) -> Int {
    if let known = panels[panel] { return known }
    guard case .weights(let base) = panel.location else {
      preconditionFailure("what is packed is among the weights")
    }
    let place = weights.append(from: base + panel.offset, panel.axes)
    panels[panel] = place
    return place
  }
}
