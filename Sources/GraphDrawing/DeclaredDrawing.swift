// SPDX-License-Identifier: Apache-2.0

package import GraphIR

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
  /// The box of each value that has one for all its users.
  private var boxes: [ValueID: Int] = [:]

  init(_ graph: Graph) {
    self.graph = graph
    names = graph.printedNames()
  }

  mutating func diagram() -> Diagram {
    for (index, input) in graph.inputs.enumerated() {
      var box = Diagram.Box(.port, input.name)
      box.details = ["input"]
      box.tab = input.type.description
      let number = result.add(box)
      for node in graph.nodes where node.op == .input(index) { boxes[node.result] = number }
    }
    for node in graph.nodes where !node.op.isLeaf {
      var box = Diagram.Box(node: node, of: graph, names)
      box.tab = graph[node.result].type.description
      boxes[node.result] = result.add(box)
    }
    let cycles = graph.cycles()
    for id in graph.nodeIDs where !graph[id].op.isLeaf {
      for operand in graph[id].operands {
        let closesCycle =
          graph[id].op.isDelay && cycles[id] != nil && cycles[id] == cycles[graph[operand].definition]
        connect(operand, to: boxes[graph[id].result]!, leadsBack: closesCycle)
      }
    }
    for output in graph.outputs {
      var box = Diagram.Box(.port, output.name)
      box.details = ["output"]
      let number = result.add(box)
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
    if case .literal = node.op { return }
    let sign = result.add(Diagram.Box(sign: node.op.kind, names[value]!))
    result.connect(Diagram.Edge(sign, user))
  }
}

extension Diagram.Box {
  /// A node with its name, its expression, and its place in the model file.
  init(node: Node, of graph: Graph, _ names: [ValueID: String]) {
    self.init(node.op.kind, names[node.result]!)
    details = TextMeasure.lines(graph.expression(node, names), columns: 32, most: 4)
    if let place = graph.origins.places[node.result] { corner = "\(place.line):\(place.column)" }
  }
}

extension Graph {
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
  var kind: Diagram.Kind {
    switch self {
    case .input: .port
    case .parameter: .parameter
    case .weights: .weights
    case .literal, .unary, .binary, .select, .fma: .operation
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: .movement
    case .sum, .maximum, .dense, .convolution: .layer
    case .delay, .control: .state
    }
  }
}
