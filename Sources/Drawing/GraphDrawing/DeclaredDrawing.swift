// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import SVGDrawing

extension Diagram {
  /// The graph as it is declared: a box for each node, named and written as in the text form.
  ///
  /// Numbers stand in expressions. Parameters and weights are signs at each place where they are used: an edge from
  /// one place to all of them would say less.
  package init(declared graph: Graph) {
    var drawing = DeclaredDrawing(graph)
    self = drawing.diagram()
  }
}

private struct DeclaredDrawing {
  let graph: Graph
  let names: [ValueID: String]
  private var result = Diagram()
  private let spelled: SpelledValues
  private let isLarge: Bool
  /// The box of each value that has one for all its users.
  private var boxes: [ValueID: Int] = [:]

  init(_ graph: Graph) {
    self.graph = graph
    names = graph.printedNames()
    isLarge = graph.isLarge
    let order = graph.components(cuttingDelays: true).flatMap { component in
      let isCycle = graph.isCycle(component)
      return ((isCycle ? (try? SequenceCycle(component, in: graph))?.nodes : nil) ?? component)
        .map { graph[$0] }
    }
    spelled = SpelledValues(
      graph, order.filter { !$0.op.isLeaf }, names, shown: Set(graph.outputs.map(\.value)), isLarge: isLarge)
  }

  mutating func diagram() -> Diagram {
    for (index, input) in graph.inputs.enumerated() {
      let number = result.add(.init(.port, input.name, details: ["input"], tab: input.type.description))
      for node in graph.nodes where node.op == .input(index) { boxes[node.result] = number }
    }
    for node in graph.nodes where !node.op.isLeaf && !spelled.isSpelled(node.result) {
      let box = Diagram.Box(node: node, of: graph, names, spelled)
      boxes[node.result] = result.add(box)
    }
    let cycles = graph.cycles()
    for id in graph.nodeIDs where !graph[id].op.isLeaf {
      let user = spelled.root(of: graph[id].result)
      for operand in graph[id].operands where !spelled.isSpelled(operand) {
        let closesCycle =
          graph[id].op.readsOtherPositions && cycles[id] != nil
          && cycles[id] == cycles[graph[operand].definition]
        connect(operand, to: boxes[user]!, leadsBack: closesCycle)
      }
    }
    for output in graph.outputs {
      let number = result.add(.init(.port, output.name, details: ["output"]))
      if case .literal = graph.definition(of: output.value).op {
        result.boxes[number].details = ["output = \(names[output.value]!)"]
      } else {
        connect(output.value, to: number, leadsBack: false)
      }
    }
    return result
  }

  private mutating func connect(_ value: ValueID, to user: Int, leadsBack: Bool) {
    if let source = boxes[value] {
      return result.connect(Diagram.Edge(source, user, leadsBack: leadsBack))
    }
    let node = graph.definition(of: value)
    // In a large graph, a sign would only repeat what stands in the box.
    if node.op.isLiteral || isLarge { return }
    let sign = result.add(Diagram.Box(sign: node.op.diagramKind, names[value]!))
    result.connect(Diagram.Edge(sign, user))
  }
}

extension Diagram.Box {
  /// A node with its name, its expression, and its place in the model file.
  init(node: Node, of graph: Graph, _ names: [ValueID: String], _ spelled: SpelledValues) {
    self.init(node.op.diagramKind, names[node.result]!)
    details = TextMeasure.lines(spelled.texts[node.result]!, columns: 32, most: 4)
    if let place = graph.origins.places[node.result] { corner = "\(place.line):\(place.column)" }
    let type = graph[node.result].type
    // In a large graph a shape stands where it changes.
    if !spelled.isLarge || !node.operands.contains(where: { graph[$0].type == type }) {
      tab = type.description
    }
  }
}

extension Graph {
  /// Whether there are too many nodes for a box each.
  var isLarge: Bool { nodes.count { !$0.op.isLeaf } > SpelledValues.fewNodes }

  /// The number of the cycle that each node is part of; nothing for those that are in none.
  fileprivate func cycles() -> [NodeID: Int] {
    var numbers: [NodeID: Int] = [:]
    for (number, component) in components().enumerated() where isCycle(component) {
      for id in component { numbers[id] = number }
    }
    return numbers
  }
}

extension Op {
  /// How a node is drawn.
  var diagramKind: Diagram.Kind {
    switch kind {
    case .given(.input): .port
    case .given(.parameter): .parameter
    case .given(.weights): .weights
    case .given(.literal), .elementwise: .operation
    case .movement: .movement
    case .reduction, .layer, .contraction: .layer
    case .time, .source: .state
    }
  }
}

extension Op {
  /// Whether the result depends on its first operand at other frames or positions only, so that it may close a cycle.
  fileprivate var readsOtherPositions: Bool {
    if case .shift = self { true } else { isDelay }
  }
}
