// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// A graph that shows everything it computes.
///
///     y = tanh(x * gain)            output y
/// →
///     v1 = x * gain, y = tanh(v1)   outputs x, gain, v1, y
///
/// A stream shows nothing without frames; such a value v gets them from an unused parameter `p`, and `select(p, v, v)`
/// moves its bits as they are. Where something looks ahead, values are delayed for it as they are in a program, and
/// those that show something before their first frame are silent until then.
package struct EveryValue: Sendable {
  /// The declared graph without dead nodes, aligned.
  package let declared: Graph
  /// Frames by which each value of `declared` is late.
  package let latencies: [Int]
  /// The declared graph as it was given.
  package let source: Graph
  /// The value of `source` whose numbers each value of `declared` holds; nil for what has no part in it.
  package let meanings: [ValueID?]
  /// The same with an output for each of `values`.
  package let graph: Graph
  /// The values of `declared` that are shown: what is given first, then operands before their users.
  package let values: [ValueID]

  package init(of source: Graph) {
    let alignment = Alignment(source)
    let declared = alignment.graph
    let order = declared.components(cuttingDelays: true).flatMap(\.self)
    let given = order.filter { declared[$0].op.isLeaf && !declared[$0].op.isFixed }
    let computed = order.filter { !declared[$0].op.isLeaf }
    let values = (given + computed).map { declared[$0].result }

    var graph = declared
    var ticking: ValueID?
    func frames() -> ValueID {
      if let ticking { return ticking }
      let names = Set(graph.parameters.map(\.name) + graph.inputs.map(\.name))
      let name = (1...).lazy.map { "p\($0)" }.first { !names.contains($0) } ?? ""
      graph.parameters.append(.init(name: name, initial: 1, minimum: 0, maximum: 1, rampFrames: 1))
      let value = graph.append(.parameter(graph.parameters.count - 1), [], type: TensorType(.frames))
      ticking = value
      return value
    }
    // One for all values of one latency.
    var begins: [Int: ValueID] = [:]
    func begun(_ late: Int) -> ValueID {
      if let value = begins[late] { return value }
      let one = graph.append(.literal(1), [], type: TensorType(.scalar))
      let value = graph.append(.delay(late), [one], type: TensorType(.frames))
      begins[late] = value
      return value
    }
    graph.outputs = values.enumerated().map { index, value in
      let type = declared[value].type
      if alignment.unsettled.contains(value) {
        let late = alignment.latencies[Int(value.index)]
        let zero = graph.append(.literal(0), [], type: TensorType(.scalar))
        return OutputPort(
          name: "v\(index)", value: graph.append(.select, [begun(late), value, zero], type: type))
      }
      guard graph.clock == .stream, type.shape.frames == nil else {
        return OutputPort(name: "v\(index)", value: value)
      }
      let moving = TensorType(Shape(type.shape.fixed, frames: .init()), element: type.element)
      return OutputPort(
        name: "v\(index)", value: graph.append(.select, [frames(), value, value], type: moving))
    }
    (self.declared, self.graph, self.values) = (declared, graph, values)
    latencies = alignment.latencies
    (self.source, meanings) = (source, alignment.meanings)
  }
}
