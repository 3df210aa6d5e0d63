// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Cycles with folds: column by column, as a graph of steps runs, with vectors along the channels.
///
///     g = dense(src, …) + dense(delay(h, 1), …)        in the cycle: all that leads from h to h,
///     h = tanh(g)                                       and what only that reads
///     y = dense(h, …)                                   behind it, along the frames: h is turned into rows
///
/// At the edges stand turns: of rows that the cycle reads, before it, and of columns that others read, where these
/// first do. One number a frame needs none: it is read and written where it stands in its row.
extension KernelLowering {
  /// Whether a cycle that has to go frame by frame goes through columns: where it holds a fold, and only what can be
  /// computed of one frame's channels.
  func goesInColumns(_ component: [NodeID]) -> Bool {
    guard graph.clock == .stream, span(of: component) == nil else { return false }
    var holdsFold = false
    for id in component {
      switch graph[id].op.kind {
      case .elementwise, .movement, .time(.delay): break
      case .reduction, .layer, .contraction: holdsFold = true
      case .given, .time, .source: return false
      }
    }
    return holdsFold
  }

  /// The most weights of a fold in front of a cycle that is computed column by column: more would not stay in the first
  /// cache.
  private static let mostWeights = 1 << 14

  /// The nodes in front of a cycle that only it reads, and that may as well be computed in columns.
  func feeders(of cycle: [NodeID], among components: [[NodeID]]) -> [NodeID] {
    var members = Set(cycle)
    var feeders: [NodeID] = []
    let outputs = Set(graph.outputs.map(\.value))
    // Behind every node stand those that read it.
    for component in components.reversed() where component.count == 1 && !members.contains(component[0]) {
      let node = graph[component[0]]
      guard let users = users[node.result], users.allSatisfy(members.contains),
        !outputs.contains(node.result), isFeeder(node)
      else { continue }
      members.insert(component[0])
      feeders.append(component[0])
    }
    return feeders
  }

  private func isFeeder(_ node: Node) -> Bool {
    let shape = graph.shape(of: node.result)
    guard shape.frames != nil, shape.count > 1, !rates.held.contains(node.result) else { return false }
    switch node.op.kind {
    case .elementwise, .movement: return true
    case .reduction, .layer(.dense):
      // Weights that are computed are not repacked into vectors of outputs.
      let others = node.operands.dropFirst().map { graph.definition(of: $0).op.given }
      guard others.allSatisfy({ if case .weights = $0 { true } else { false } }) else { return false }
      let mostRead = node.operands.map { graph.shape(of: $0).count }.max() ?? 1
      return graph.shape(of: node.operands[0]).count <= shape.count && mostRead <= Self.mostWeights
    case .layer(.convolution), .contraction, .time, .source, .given: return false
    }
  }

  /// Lowers the nodes of a cycle, in an order in which they can be computed for one frame.
  func lowerColumns(_ nodes: [NodeID]) {
    operands(of: nodes).forEach(bringIntoColumns)
    let members = Set(nodes)
    let shown = Set(graph.outputs.map(\.value))
    leaving = Set(nodes.map { graph[$0].result }).filter { value in
      shown.contains(value) || !(users[value] ?? []).allSatisfy(members.contains)
    }
    appendCycle(span: 1, layout: .columns) { foldsFirst(nodes).forEach(lower) }
    leaving = []
    for id in nodes where awaited[.rows]!.remove(graph[id].result) != nil {
      feedHistory(of: graph[id].result)
    }
  }

  /// The same nodes, each fold as early as what it needs allows: a fold goes on with its sums while they are in registers,
  /// and what stands behind it may be part of that.
  func foldsFirst(_ nodes: [NodeID]) -> [NodeID] {
    /// Of each node the first fold that needs it, as a place among the nodes.
    var first: [NodeID: Int] = [:]
    for (place, id) in nodes.enumerated().reversed() {
      let node = graph[id]
      switch node.op.kind {
      case .reduction, .layer, .contraction: first[id] = min(place, first[id] ?? place)
      case .elementwise, .movement, .given, .time, .source: break
      }
      guard let needed = first[id] else { continue }
      for operand in node.operands.dropFirst(node.op.leastDelay == nil ? 0 : 1) {
        let definition = graph[operand].definition
        first[definition] = min(needed, first[definition] ?? needed)
      }
    }
    return nodes.enumerated().sorted {
      (first[$0.element] ?? .max, $0.offset) < (first[$1.element] ?? .max, $1.offset)
    }.map(\.element)
  }

  // MARK: Places

  /// Puts a value where a cycle of columns can read it: numbers and rows of one number a frame stay in their place.
  private func bringIntoColumns(_ value: ValueID) {
    guard storage[.columns]![value] == nil, !graph.definition(of: value).op.isLiteral else { return }
    let shape = graph.shape(of: value)
    guard shape.frames != nil else { return }
    let source = place(value)
    if case .parameter = source.location {
      // A ramp is followed along the frames.
      var map = MapKernel(over: .frames)
      bring(value, to: &map, over: .frames)
      let row = Storage(location: .buffer(allocate(.rows(1), .tile)), isRows: true)
      map.stores = [Store(value, access(row, strides: [], inner: .frames))]
      append(.map(map))
      storage[.columns]![value] = row
    } else if source.isRows, shape.count > 1 {
      _ = turned(source, value, into: .columns)
    }
  }

  /// Appends the kernel that turns a value, and tells where it is then.
  func turned(_ source: Storage, _ value: ValueID, into layout: FrameLayout) -> Storage {
    let fixed = graph.shape(of: value).fixed
    let shape = Shape(fixed, frames: .init())
    let count = shape.count
    let buffer = allocate(layout == .rows ? .rows(count) : .columns(count), .tile)
    let target = Storage(location: .buffer(buffer), isRows: layout == .rows)
    func access(_ storage: Storage) -> Access {
      let pitch = storage.isRows ? 1 : FrameLayout.columnPitch(count)
      return Access(
        storage.location, strides: fixed.rowMajorStrides, innerStride: pitch, delay: storage.delay)
    }
    var map = MapKernel(over: shape)
    map.loads[value] = access(source)
    map.stores = [Store(value, access(target))]
    append(.map(map))
    storage[layout]![value] = target
    return target
  }
}
