// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The living definition of the ops: runs a graph in double precision and says what native code may answer.
///
///     let result = ReferenceInterpreter(graph).run(inputs: rows, frames: 1000)
///     result.outputs[row][frame].contains(native)
///
/// Frame by frame (or step by step), node by node, operands first. Of each value it keeps as many frames as some delay
/// or convolution looks back; before the start all is zero. Operands of lookaheads are computed ahead, and nothing is
/// delayed but the outputs, by the latency of programs, with zeros before their first frame. It is not fast and has no
/// blocks. A class, so that a run refers to its tables instead of copying them.
package final class ReferenceInterpreter {
  package let graph: Graph
  let order: [ComputedStep]
  let kernels: [Kernel]
  /// For each node, the nodes of its operands.
  let operands: [[Int]]
  let counts: [Int]
  /// The nodes whose results come out.
  let shown: [Int]
  let lead: Lead
  /// The latency of the outputs in frames, where something looks ahead.
  let latency: Int
  /// Nodes whose result is the same in every frame until a stepped parameter changes.
  let isHeld: [Bool]
  /// Nodes that depend on their own earlier results.
  let isInCycle: [Bool]

  /// Precondition: the verifier finds nothing wrong with the graph.
  package init(_ graph: Graph) {
    precondition(
      graph.values.allSatisfy { ($0.type.shape.frames?.hop ?? 1) == 1 },
      "the interpreter runs values at every frame only")
    self.graph = graph
    let order = graph.components(cuttingDelays: true).map { component in
      guard graph.isCycle(component), let cycle = try? SequenceCycle(component, in: graph) else {
        return ComputedStep.node(Int(component[0].index))
      }
      let positions = Array(0..<cycle.positions)
      return .sequence(
        cycle.nodes.map { Int($0.index) }, positions: cycle.isBackward ? positions.reversed() : positions)
    }
    let operands = graph.nodes.map { node in
      node.operands.map { Int(graph[$0].definition.index) }
    }
    let lead = Lead(graph, operands: operands)
    self.order = order
    self.operands = operands
    self.lead = lead
    shown = graph.outputs.map { Int(graph[$0.value].definition.index) }
    latency = graph.looksAhead ? Latencies(graph).latency : 0
    isHeld = Self.heldNodes(of: graph, order, operands, lead.kept)
    kernels = graph.nodes.map { Kernel($0, in: graph) }
    counts = graph.nodes.map { graph.shape(of: $0.result).count }
    var isInCycle = [Bool](repeating: false, count: graph.nodes.count)
    for component in graph.components() where graph.isCycle(component) {
      for node in component { isInCycle[Int(node.index)] = true }
    }
    self.isInCycle = isInCycle
  }

  private static func heldNodes(
    of graph: Graph, _ order: [ComputedStep], _ operands: [[Int]], _ kept: [Int]
  ) -> [Bool] {
    var isHeld = [Bool](repeating: false, count: graph.nodes.count)
    for step in order {
      // A cycle along an axis is computed in each step.
      guard case .node(let node) = step else { continue }
      let op = graph.nodes[node].op
      guard !op.beginsFrames else { continue }
      // A value that somebody looks back at has to be written frame by frame, and so has one that runs ahead.
      isHeld[node] =
        kept[node] == 1 && graph.shape(of: graph.nodes[node].result).frames == nil
        && operands[node].allSatisfy { isHeld[$0] || graph.nodes[$0].op.isFixed }
    }
    return isHeld
  }

  /// Runs the graph from its start, after the silence in which it warms up.
  ///
  /// - Parameters:
  ///   - inputs: In a stream one array for each row of each input, in their order, with a number for each frame.
  ///     In a graph of steps one array for each input: its numbers, row-major, step after step.
  ///   - frames: How many frames, or steps.
  ///   - events: Parameters set before a frame is computed, in any order; of those at one frame the last counts.
  ///   - rounds: Whether each result is rounded to a float, and each partial sum. Around a cycle, where no proven
  ///     interval tells what roundings come to, the intervals are as wide as that leads away; behind it they follow.
  ///     That is done twice, with approximations that are off to either side: what a loop makes larger may be small in
  ///     one run by chance.
  /// - Returns: The outputs, laid out like the inputs.
  package func run(
    inputs: [[Float]], frames: Int, events: [ParameterEvent] = [], rounding rounds: Bool = false
  ) -> Result {
    var run = Run(self, inputs: inputs, frames: frames, events: events)
    var rounded =
      rounds ? Rounding.allCases.map { Run(self, inputs: inputs, frames: frames, events: events, $0) } : []
    for frame in 0..<graph.prewarm + frames {
      run.advance(to: frame)
      for index in rounded.indices { rounded[index].advance(to: frame, beside: run) }
    }
    if let first = rounded.first {
      run = first
      for other in rounded.dropFirst() { run.unite(with: other) }
    }
    let outside = graph.taps.map { value in
      let counted = run.outside[Int(graph[value].definition.index)]
      return counted.certain...counted.possible
    }
    return Result(outputs: run.outputs, samplesOutside: outside, coarsestDelay: run.coarsestDelay)
  }

  /// The findings of a run.
  package struct Result: Sendable {
    /// In a stream one array for each row of each output; in a graph of steps one for each output.
    package let outputs: [[Estimate]]
    /// For each delay by a signal, how many samples were asked for outside of its range: at least, and at most. Where
    /// something looks ahead, some of them belong to frames that no program comes to.
    package let samplesOutside: [ClosedRange<Int>]
    /// Of the frames that signals delay by, those that floats tell least exactly.
    package let coarsestDelay: Estimate

    /// The share of the numbers whose interval is wide because of a jump.
    package var shareOnJumps: Double { share { $0.sitsOnJump } }

    /// The share of the numbers of which nothing is known.
    package var shareUnbounded: Double { share { $0.isUnbounded } }

    /// The same of some of the arrays of `outputs`, a truth for each.
    package func shareUnbounded(among chosen: [Bool]) -> Double {
      share(among: chosen) { $0.isUnbounded }
    }

    private func share(among chosen: [Bool]? = nil, _ holds: (Estimate) -> Bool) -> Double {
      var (found, all) = (0, 0)
      for (index, row) in outputs.enumerated() where chosen?[index] ?? true {
        for estimate in row where holds(estimate) { found += 1 }
        all += row.count
      }
      return all == 0 ? 0 : Double(found) / Double(all)
    }
  }
}
