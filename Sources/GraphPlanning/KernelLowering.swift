// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension KernelGraph {
  /// Lowers a graph to kernels.
  ///
  /// - Parameter fuses: whether elementwise nodes over the same space share a kernel.
  package init(lowering graph: Graph, fuses: Bool = true) {
    self = KernelLowering(graph, fuses: fuses).lowered()
  }
}

/// Walks the graph, operands first, and puts each node into a kernel.
///
/// Elementwise nodes join the first kernel over the same space that runs after their operands; every other op gets
/// kernels of its own. What one kernel hands to another goes through a buffer, which is made when the second one
/// asks for it.
final class KernelLowering {
  /// Where a value stands in memory.
  struct Storage {
    var location: Location
    var delay = 0
    /// Whether the numbers are rows of frames.
    var isRows: Bool
  }

  let graph: Graph
  let fuses: Bool
  let rates: ValueRates
  /// Places of nodes in an order that holds within cycles, too.
  let cutOrder: [NodeID: Int]

  var buffers: [KernelGraph.Buffer] = []
  var histories: [KernelGraph.History] = []
  var weights: [Float] = []

  var blockDrafts: [KernelDraft] = []
  var drafts: [KernelDraft] = []
  /// The list that kernels go to while a cycle is lowered.
  var cycleDrafts: [KernelDraft]?
  /// The values that the cycle computes.
  var cycleValues: Set<ValueID> = []
  /// Values that are used outside the component of the graph that computes them.
  private var leavesCycle: Set<ValueID> = []

  /// Where values stand that are in memory.
  var storage: [ValueID: Storage] = [:]
  /// The map that computes a value, until it is in memory for good.
  var makers: [ValueID: KernelDraft] = [:]
  /// The first kernel of its list that can read a value from memory.
  var readyAt: [ValueID: Int] = [:]
  /// What uniform values cost that are computed wherever they are used.
  var inlineCosts: [ValueID: Int] = [:]
  var historyOf: [ValueID: HistoryID] = [:]
  /// The first kernel that can read the present frames of a value from its history.
  var historyReadyAt: [ValueID: Int] = [:]
  /// Values around cycles that a history waits for.
  var awaited: Set<ValueID> = []

  init(_ graph: Graph, fuses: Bool) {
    self.graph = graph
    self.fuses = fuses
    rates = ValueRates(graph)
    var order: [NodeID: Int] = [:]
    for component in graph.components(cuttingDelays: true) { order[component[0]] = order.count }
    cutOrder = order
  }

  func lowered() -> KernelGraph {
    placeGiven()
    switch graph.clock {
    case .stream:
      let components = graph.components()
      findValuesThatLeaveCycles(components)
      for component in components {
        if graph.isCycle(component) { lowerCycle(component) } else { lower(component[0]) }
      }
    case .step:
      // A delay reads a slot of an earlier step: without its edge there is no cycle.
      for component in graph.components(cuttingDelays: true) { lower(component[0]) }
    }
    for (index, output) in graph.outputs.enumerated() { show(output.value, at: index) }
    var kernels = drafts.map(\.kernel)
    copyInputsThatWouldBeOverwritten(&kernels)
    let settled = settledPlaces(of: kernels)
    let settling = settlingKernel(for: settled)
    return KernelGraph(
      graph: graph, blockKernels: blockDrafts.map(\.kernel), kernels: kernels, buffers: buffers,
      histories: histories, weights: weights, uniform: rates.uniform, settling: settling,
      settledValues: settled)
  }

  private func lower(_ id: NodeID) {
    let node = graph[id]
    switch node.op {
    case .input, .parameter, .weights, .literal: break
    case .unary, .binary, .select, .fma: lowerElementwise(id)
    case .slice(let axis, let start, _): lowerSlice(node, axis: axis, start: start)
    case .transpose(let order): lowerTransposition(node, order)
    case .broadcast: lowerBroadcast(node)
    case .reshape: lowerReshape(node)
    case .concatenate(let axis): lowerConcatenation(node, axis: axis)
    case .pad(let axis, let before, _): lowerPadding(node, axis: axis, before: before)
    case .sum(let axis): lowerReduction(id, axis: axis, .sum)
    case .maximum(let axis): lowerReduction(id, axis: axis, .maximum)
    case .dense(let axis): lowerDense(id, axis: axis)
    case .convolution(let convolution): lowerConvolution(id, convolution)
    case .delay(let count): lowerDelay(node, count)
    case .control: lowerControl(id)
    }
    if awaited.remove(node.result) != nil { feedHistory(of: node.result) }
  }

  private func lowerCycle(_ component: [NodeID]) {
    cycleDrafts = []
    cycleValues = Set(component.map { graph[$0].result })
    for id in component.sorted(by: { cutOrder[$0]! < cutOrder[$1]! }) { lower(id) }
    let nested = cycleDrafts!
    cycleDrafts = nil
    drafts.append(KernelDraft(cycle: nested))
    // From outside, the whole cycle is one kernel: what it computes is read from memory by later ones.
    for id in component {
      let value = graph[id].result
      if leavesCycle.contains(value) { _ = place(value) }
      makers[value] = nil
      readyAt[value] = drafts.count
      if historyReadyAt[value] != nil { historyReadyAt[value] = drafts.count }
    }
    cycleValues = []
  }

  private func findValuesThatLeaveCycles(_ components: [[NodeID]]) {
    var component = [Int](repeating: 0, count: graph.nodes.count)
    for (number, nodes) in components.enumerated() { for id in nodes { component[Int(id.index)] = number } }
    for user in graph.nodeIDs {
      for operand in graph[user].operands
      where component[Int(graph[operand].definition.index)] != component[Int(user.index)] {
        leavesCycle.insert(operand)
      }
    }
    for output in graph.outputs { leavesCycle.insert(output.value) }
  }

  // MARK: Lists

  func isBlock(_ value: ValueID) -> Bool { rates.block.contains(value) }

  func list(of value: ValueID) -> [KernelDraft] { isBlock(value) ? blockDrafts : cycleDrafts ?? drafts }

  /// Appends a kernel to the list that a value belongs to.
  func append(_ draft: KernelDraft, for value: ValueID) {
    if isBlock(value) {
      blockDrafts.append(draft)
    } else if cycleDrafts != nil {
      cycleDrafts!.append(draft)
    } else {
      drafts.append(draft)
    }
  }

  // MARK: Places

  func isRows(_ value: ValueID) -> Bool { graph.shape(of: value).frames != nil }

  func allocate(_ extent: KernelGraph.Buffer.Extent, _ lifetime: KernelGraph.Buffer.Lifetime) -> BufferID {
    buffers.append(.init(extent: extent, lifetime: lifetime))
    return BufferID(buffers.count - 1)
  }

  func makeStorage(for value: ValueID) -> Storage {
    let count = graph.shape(of: value).count
    let buffer = allocate(isRows(value) ? .rows(count) : .elements(count), isBlock(value) ? .held : .tile)
    let result = Storage(location: .buffer(buffer), isRows: isRows(value))
    storage[value] = result
    return result
  }

  /// Where a value stands; a map that has kept it to itself so far is made to store it.
  func place(_ value: ValueID) -> Storage {
    if let known = storage[value] { return known }
    if inlineCosts[value] != nil { return materialise(value) }
    if case .literal(let number) = graph.definition(of: value).op {
      let result = Storage(location: pack([number]), isRows: false)
      storage[value] = result
      return result
    }
    guard let maker = makers[value] else { preconditionFailure("a value is used before it is computed") }
    let result = makeStorage(for: value)
    maker.store(
      value, access(result, strides: rowMajor(graph.shape(of: value).fixed), inner: maker.space.inner))
    return result
  }

  /// Computes a uniform value into a buffer, for kernels that cannot compute it themselves.
  private func materialise(_ value: ValueID) -> Storage {
    let draft = KernelDraft(mapOver: .frames)
    bring(value, to: draft)
    let result = makeStorage(for: value)
    draft.store(value, access(result, strides: [], inner: .frames))
    append(draft, for: value)
    return result
  }

  // MARK: Accesses

  /// A walk over storage with a distance for each fixed axis, the innermost included where it is fixed, and after
  /// them for each axis that is reduced.
  func access(
    _ storage: Storage, offset: Int = 0, strides: [Int], inner: Space.Inner, reduced: [Int] = [],
    reducedDelays: [Int]? = nil
  ) -> Access {
    var loops = strides
    var innerStride = storage.isRows ? 1 : 0
    if inner != .frames { innerStride = loops.popLast() ?? 0 }
    return Access(
      storage.location, offset: offset, strides: loops + reduced, innerStride: innerStride,
      delay: storage.delay, delayStrides: reducedDelays.map { loops.map { _ in 0 } + $0 })
  }

  func rowMajor(_ extents: [Int]) -> [Int] {
    var strides = [Int](repeating: 1, count: extents.count)
    for axis in extents.indices.dropLast().reversed() {
      strides[axis] = strides[axis + 1] * extents[axis + 1]
    }
    return strides
  }

  /// The distances of a value's numbers under the axes of a shape that it is broadcast to.
  func broadcastStrides(_ value: ValueID, over shape: Shape) -> [Int] {
    let own = graph.shape(of: value).fixed
    let strides = rowMajor(own)
    let missing = shape.fixed.count - own.count
    return shape.fixed.indices.map { axis in
      axis < missing || own[axis - missing] == 1 ? 0 : strides[axis - missing]
    }
  }
}
