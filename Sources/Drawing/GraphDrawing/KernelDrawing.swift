// SPDX-License-Identifier: Apache-2.0

internal import BoxLayout
internal import GraphIR
internal import GraphPlanning

/// The contents of one kernel: loads at the top, nodes, stores at the bottom.
struct KernelDrawing {
  private let drawing: CompiledDrawing
  private let kernel: Kernel
  private var result = Diagram()
  private var boxes: [ValueID: Int] = [:]
  private(set) var pins = KernelPins()

  init(_ drawing: CompiledDrawing, _ kernel: Kernel) {
    self.drawing = drawing
    self.kernel = kernel
  }

  private var graph: Graph { drawing.plan.graph }

  mutating func diagram() -> Diagram {
    let nodes = kernel.nodes.map { graph[$0] }
    let stored = kernel.valueWrites(in: graph).compactMap(\.value)
    let spelled = SpelledValues(
      graph, nodes, drawing.names, shown: Set(stored), isLarge: drawing.isLarge)
    for node in nodes where !spelled.isSpelled(node.result) {
      let box = Diagram.Box(node: node, of: graph, drawing.names, spelled)
      boxes[node.result] = result.add(box)
    }
    for node in nodes { boxes[node.result] = boxes[spelled.root(of: node.result)] }
    let own = boxes
    for read in kernel.valueReads(in: graph) {
      guard read.access.location.joinsKernels else {
        // In a large graph, a sign would only repeat what stands in the box.
        if !drawing.isLarge { addSigns(read, to: nodes) }
        continue
      }
      let pin = addPin(read.value.map { drawing.names[$0]! }, read.access.location, .first)
      if let value = read.value, boxes[value] == nil { boxes[value] = pin }
      if let user = read.user, let user = own[user] { result.connect(Diagram.Edge(pin, user)) }
      pins.reads.append((read.access.location, pin))
    }
    for node in nodes {
      for operand in node.operands where !spelled.isSpelled(operand) {
        guard let source = boxes[operand], source != boxes[node.result] else { continue }
        result.connect(Diagram.Edge(source, boxes[node.result]!))
      }
    }
    for write in kernel.valueWrites(in: graph) {
      let pin = addPin(write.value.map { drawing.names[$0]! } ?? "zeros", write.access.location, .last)
      if let value = write.value, let source = boxes[value] { result.connect(Diagram.Edge(source, pin)) }
      pins.writes.append((write.access.location, pin))
    }
    return result
  }

  /// A sign at the border for a value.
  private mutating func addPin(_ name: String?, _ location: Location, _ row: LayeredGraph.Row) -> Int {
    result.add(Diagram.Box(sign: location.kind, name ?? drawing.name(of: location), row: row))
  }

  /// A sign for a parameter or weights at each node that uses them.
  private mutating func addSigns(_ read: ValueAccess, to nodes: [Node]) {
    let title = read.value.map { drawing.names[$0]! } ?? drawing.name(of: read.access.location)
    for node in nodes where node.result == read.user || read.value.map(node.operands.contains) ?? false {
      let sign = result.add(Diagram.Box(sign: read.access.location.kind, title))
      result.connect(Diagram.Edge(sign, boxes[node.result]!))
    }
  }
}

/// A value that a kernel reads or writes, where that is known.
private struct ValueAccess {
  var value: ValueID?
  var access: Access
  /// The result of the node that uses it, where the value itself does not tell.
  var user: ValueID?
}

extension Kernel {
  fileprivate func valueReads(in graph: Graph) -> [ValueAccess] {
    switch self {
    case .map(let map):
      return map.valueReads
    case .fold(let fold):
      let node = graph[fold.node]
      return zip(fold.operands, node.operands).map {
        ValueAccess(value: $1, access: $0, user: node.result)
      } + fold.epilogue.valueReads
    case .sample(let sample):
      let node = graph[sample.node]
      return [ValueAccess(value: node.operands[0], access: sample.source, user: node.result)]
    case .cycle: return []
    }
  }

  fileprivate func valueWrites(in graph: Graph) -> [ValueAccess] {
    switch self {
    case .map(let map): map.valueWrites
    case .fold(let fold): fold.epilogue.valueWrites
    case .sample(let sample):
      accesses.writes.map { ValueAccess(value: graph[sample.node].result, access: $0) }
    case .cycle: []
    }
  }
}

extension MapKernel {
  fileprivate var valueReads: [ValueAccess] {
    loads.sorted { $0.key < $1.key }.map { ValueAccess(value: $0.key, access: $0.value) }
  }

  fileprivate var valueWrites: [ValueAccess] {
    stores.map { ValueAccess(value: $0.value, access: $0.access) }
  }
}
