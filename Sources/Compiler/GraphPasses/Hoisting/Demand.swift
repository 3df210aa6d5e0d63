// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The demand of the outputs on each value: one region a value, the hull of what all its users read.
///
///     b = tanh(a)                          of b: 2 ..< 7       of a: 2 ..< 7
///     c = slice(b, start: 2, count: 3)
///     d = slice(b, start: 4, count: 3)
///
/// It begins with the outputs, of which all is wanted, and walks from users to operands until nothing changes. Regions
/// only grow, so that this ends; around cycles, where a window may grow a little in each round, all is wanted
/// after some rounds.
struct Demand {
  let graph: Graph
  /// The region of each value that is read; nil where none is.
  private(set) var wanted: [Region?]
  /// The narrowing of each node; nil where its result is not read.
  private(set) var narrowings: [Narrowing?]
  /// Nodes around cycles whose windows were still growing.
  private(set) var endless: Set<NodeID> = []

  /// Nodes of which more was wanted in the last round.
  private var grown: Set<NodeID> = []

  /// How often the walk goes around a cycle before it gives it up.
  private static let patience = 16

  /// - Parameter whole: Nodes that compute all of their results whatever is wanted.
  init(_ graph: Graph, keepingWhole whole: Set<NodeID> = []) {
    self.graph = graph
    wanted = Array(repeating: nil, count: graph.values.count)
    narrowings = Array(repeating: nil, count: graph.nodes.count)
    for output in graph.outputs { want(Region(whole: graph.shape(of: output.value)), of: output.value) }
    var rounds = 0
    repeat {
      spread(whole)
      rounds += 1
      if rounds.isMultiple(of: Self.patience) { giveUpCycles() }
    } while !grown.isEmpty
  }

  /// Whether the node has less to compute than it says.
  func isNarrowed(_ id: NodeID) -> Bool {
    guard let narrowing = narrowings[Int(id.index)] else { return false }
    return !narrowing.region.isWhole(of: graph.shape(of: graph[id].result))
  }

  /// Hands the demand of every node on to its operands, users first.
  private mutating func spread(_ whole: Set<NodeID>) {
    grown = []
    for id in graph.nodeIDs.reversed() {
      let node = graph[id]
      let shape = graph.shape(of: node.result)
      guard let region = wanted[Int(node.result.index)] else { continue }
      let narrowing = node.op.narrowed(
        to: whole.contains(id) ? Region(whole: shape) : region, node.operands.map { graph.shape(of: $0) },
        shape)
      guard narrowing != narrowings[Int(id.index)] else { continue }
      narrowings[Int(id.index)] = narrowing
      grown.insert(id)
      for (operand, read) in zip(node.operands, narrowing.reads) {
        if let read { want(read, of: operand) }
      }
    }
  }

  private mutating func want(_ region: Region, of value: ValueID) {
    wanted[Int(value.index)] = region.hull(with: wanted[Int(value.index)])
  }

  private mutating func giveUpCycles() {
    for component in graph.components()
    where graph.isCycle(component) && component.contains(where: grown.contains) {
      for id in component where isNarrowed(id) {
        endless.insert(id)
        let value = graph[id].result
        want(Region(whole: graph.shape(of: value)), of: value)
      }
    }
  }
}
