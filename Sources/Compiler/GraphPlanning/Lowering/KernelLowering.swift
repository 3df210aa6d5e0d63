// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension KernelGraph {
  /// Lowers a graph to kernels that are obviously right: each node one kernel, each value in a buffer of its own.
  package init(lowering graph: Graph) { self = KernelLowering(graph).lowered() }
}

/// Walks the graph, operands first, and gives each node a kernel of its own.
///
///     y = tanh(x[1]) + delay(x, 5)
/// →
///     buffer 0 ← x, row 1            a slice, as every movement of data, is a copy
///     buffer 1 ← tanh(buffer 0)
///     history 0 ← x                  what is remembered is copied into its history
///     buffer 2 ← history 0, 5 back
///     buffer 3 ← buffer 1 + buffer 2
///     y ← buffer 3                   and so is what is shown
///
/// Each access can be checked by eye; making it fast is left to the passes. Two things differ from the rule: a uniform
/// value that is cheap is computed in each kernel that uses it, where it is one number while parameters are settled,
/// unless a loop uses it; and an input is copied first if an output that may lie in its memory would be written too
/// early.
final class KernelLowering {
  /// The place of a value in memory.
  struct Storage {
    var location: Location
    /// Numbers before the first one.
    var offset = 0
    var delay = 0
    /// Whether the numbers are rows of frames.
    var isRows: Bool
  }

  /// A value with its axes in an order.
  struct HeldCopy: Hashable {
    var value: ValueID
    var order: [Int]
  }

  let graph: Graph
  let rates: ValueRates
  /// Places of nodes in an order that holds within cycles, too.
  let cutOrder: [NodeID: Int]

  var buffers: [KernelGraph.Buffer] = []
  var histories: [KernelGraph.History] = []
  var weights = PackedWeights()

  private var blockKernels: [Kernel] = []
  private var kernels: [Kernel] = []
  /// The lists that kernels go to while cycles are lowered, the innermost last.
  private var openCycles: [[Kernel]] = []

  /// Whether a cycle along an axis is being lowered, see `KernelLowering+Sequences.swift`.
  var isWalking = false
  /// Copies of weights that are no constants, with their outputs side by side.
  var turnedWeights: [ValueID: Storage] = [:]
  /// Copies of what is computed once for many steps, or given for these.
  var heldCopies: [HeldCopy: Storage] = [:]
  /// The layout of what is being lowered, see `KernelLowering+Columns.swift`.
  var layout = FrameLayout.rows
  /// The places of values that are in memory: of rows and of numbers without frames, and of columns.
  var storage: [FrameLayout: [ValueID: Storage]] = [.rows: [:], .columns: [:]]
  /// Uniform values that have a kernel though they may be cheap.
  let numbersOfLoops: Set<ValueID>
  /// The costs of uniform values that are computed wherever they are used.
  var inlineCosts: [ValueID: Int] = [:]
  var historyOf: [FrameLayout: [ValueID: HistoryID]] = [.rows: [:], .columns: [:]]
  /// Values around cycles that a history waits for.
  var awaited: [FrameLayout: Set<ValueID>] = [.rows: [], .columns: []]
  /// The nodes that read each value.
  private(set) var users: [ValueID: [NodeID]] = [:]
  /// Values of the cycle of columns at hand that others read, too.
  var leaving: Set<ValueID> = []

  init(_ graph: Graph) {
    self.graph = graph
    rates = ValueRates(graph)
    numbersOfLoops = graph.numbersOfLoops(among: rates.uniform)
    var order: [NodeID: Int] = [:]
    for component in graph.components(cuttingDelays: true) { order[component[0]] = order.count }
    cutOrder = order
    for id in graph.nodeIDs { for operand in graph[id].operands { users[operand, default: []].append(id) } }
  }

  func lowered() -> KernelGraph {
    placeGiven()
    switch graph.clock {
    case .stream:
      lowerComponents(of: Array(graph.nodeIDs), within: Plan.tileFrames)
    case .step: lowerSequences()
    }
    for (index, output) in graph.outputs.enumerated() { show(output.value, at: index) }
    copyInputsThatWouldBeOverwritten(&kernels)
    let settled = settledPlaces(of: kernels)
    let settling = settlingKernel(for: settled)
    return KernelGraph(
      graph: graph, blockKernels: blockKernels, kernels: kernels, buffers: buffers, histories: histories,
      weights: weights, uniform: rates.uniform, held: rates.held, settling: settling, settledValues: settled)
  }

  func lower(_ id: NodeID) {
    let node = graph[id]
    switch node.op.kind {
    case .given: break
    case .elementwise: lowerElementwise(id)
    case .movement(let movement): lower(movement, node)
    case .reduction(let reduction, let axis): lowerReduction(id, axis: axis, reduction)
    case .layer(.dense(let axis, let ways)): lowerDense(id, axis: axis, ways: ways)
    case .layer(.convolution(let convolution)): lowerConvolution(id, convolution)
    case .contraction(let ways): lowerContraction(id, ways: ways)
    case .time(let time): lower(time, id)
    case .source(let source): lower(source, id)
    }
    if awaited[layout]!.remove(node.result) != nil { feedHistory(of: node.result) }
  }

  /// The values that nodes read and do not compute, in order.
  func operands(of nodes: [NodeID]) -> [ValueID] {
    let computed = Set(nodes)
    return Set(nodes.flatMap { graph[$0].operands }).filter { !computed.contains(graph[$0].definition) }
      .sorted()
  }

  // MARK: Lists

  func isBlock(_ value: ValueID) -> Bool { rates.block.contains(value) }

  /// Appends a kernel to the list that a value belongs to.
  func append(_ kernel: Kernel, for value: ValueID) {
    if isBlock(value) {
      blockKernels.append(kernel.withoutUnitAxes)
    } else {
      append(kernel)
    }
  }

  /// Appends a kernel that runs for each tile, or for each span of the cycle that is being lowered.
  func append(_ kernel: Kernel) {
    if openCycles.isEmpty {
      kernels.append(kernel.withoutUnitAxes)
    } else {
      openCycles[openCycles.count - 1].append(kernel.withoutUnitAxes)
    }
  }

  /// Appends a cycle of the kernels that are appended meanwhile.
  func appendCycle(
    span: Int, layout: FrameLayout = .rows, positions: CycleKernel.Positions? = nil, _ body: () -> Void
  ) {
    openCycles.append([])
    (self.layout, isWalking) = (layout, positions != nil)
    body()
    (self.layout, isWalking) = (.rows, false)
    if var nested = openCycles.popLast() {
      if positions != nil { nested = nested.map(\.walked) }
      append(.cycle(CycleKernel(span: span, layout: layout, positions: positions, nested)))
    }
  }

  // MARK: Places

  /// The shape of a value as kernels of the layout at hand go through it: of columns, a frame's.
  func loopShape(of value: ValueID) -> Shape {
    switch layout {
    case .rows: graph.shape(of: value)
    case .columns: Shape(graph.shape(of: value).fixed, frames: nil)
    }
  }

  func isRows(_ value: ValueID) -> Bool { loopShape(of: value).frames != nil }

  func allocate(_ extent: KernelGraph.Buffer.Extent, _ lifetime: KernelGraph.Buffer.Lifetime) -> BufferID {
    buffers.append(.init(extent: extent, lifetime: lifetime))
    return BufferID(buffers.count - 1)
  }

  /// - Parameter isRows: Whether its numbers are rows of frames; nil: where it has frames.
  func makeStorage(for value: ValueID, isRows: Bool? = nil) -> Storage {
    let count = loopShape(of: value).count
    let isRows = isRows ?? (self.isRows(value) || (leaving.contains(value) && count == 1))
    let extent: KernelGraph.Buffer.Extent =
      isRows ? .rows(count) : leaving.contains(value) ? .columns(count) : .elements(count)
    let buffer = allocate(extent, isBlock(value) ? .held : .tile)
    let result = Storage(location: .buffer(buffer), isRows: isRows)
    storage[layout]![value] = result
    if isRows { storage[.rows]![value] = result }
    return result
  }

  /// The place where kernels of the layout at hand find a value; nil where there is none yet.
  func knownPlace(_ value: ValueID) -> Storage? {
    switch layout {
    case .rows:
      if let known = storage[.rows]![value] { return known }
      return storage[.columns]![value].map { turned($0, value, into: .rows) }
    case .columns: return storage[.columns]![value] ?? storage[.rows]![value]
    }
  }

  /// The place of a value; one that is computed wherever it is used gets a place for kernels that cannot compute it.
  func place(_ value: ValueID) -> Storage {
    if let known = knownPlace(value) { return known }
    if let number = graph.definition(of: value).op.literal {
      let result = Storage(location: .weights(weights.append([number])), isRows: false)
      storage[.rows]![value] = result
      return result
    }
    precondition(layout == .rows, "a column is used before it is computed")
    precondition(inlineCosts[value] != nil, "a value is used before it is computed")
    var map = MapKernel(over: .frames)
    bring(value, to: &map, over: .frames)
    let result = makeStorage(for: value)
    map.stores = [Store(value, access(result, strides: [], inner: .frames))]
    append(.map(map), for: value)
    return result
  }

  // MARK: Accesses

  /// An access to storage with a stride for each fixed axis, the innermost included where it is fixed, and then for
  /// each reduced axis.
  func access(
    _ storage: Storage, offset: Int = 0, strides: [Int], inner: Space.Inner, reduced: [Int] = [],
    reducedDelays: [Int]? = nil
  ) -> Access {
    var loops = strides
    var innerStride = storage.isRows ? 1 : 0
    if inner != .frames { innerStride = loops.popLast() ?? 0 }
    return Access(
      storage.location, offset: storage.offset + offset, strides: loops + reduced, innerStride: innerStride,
      delay: storage.delay, delayStrides: reducedDelays.map { loops.map { _ in 0 } + $0 })
  }

  /// The strides of a value under the axes of a shape that it is broadcast to.
  func broadcastStrides(_ value: ValueID, over shape: Shape) -> [Int] {
    let own = loopShape(of: value).fixed
    let strides = own.rowMajorStrides
    let missing = shape.fixed.count - own.count
    return shape.fixed.indices.map { axis in
      axis < missing || own[axis - missing] == 1 ? 0 : strides[axis - missing]
    }
  }
}

extension MapKernel {
  /// An empty map over a shape.
  init(over shape: Shape) { self.init(space: Space(of: shape)) }
}
