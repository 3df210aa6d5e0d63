// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// How many frames ahead of the outputs each node has to run, so that lookaheads find their operands computed.
///
///     dst = x * gain            gain 0
///     gain = 1 / peak           peak 0
///     peak = lookahead(x, 64)   x 64, and its latest 65 frames are kept
///
/// Nothing waits: a node looks at the frame that it means. What is given once for all runs ahead of everything.
struct Lead {
  /// Frames ahead of the outputs, for each node.
  private(set) var frames: [Int]
  /// The most of them; parameters, literals and weights run so far ahead.
  let most: Int
  /// How many frames of each node's result are kept, the present one included.
  private(set) var kept: [Int]

  init(_ graph: Graph, operands: [[Int]]) {
    var frames = [Int](repeating: 0, count: graph.nodes.count)
    for component in graph.components().reversed() {
      let most = component.map { frames[Int($0.index)] }.max() ?? 0
      for id in component {
        let node = Int(id.index)
        frames[node] = most
        for operand in operands[node] { frames[operand] = max(frames[operand], most + graph[id].op.ahead) }
      }
    }
    let most = frames.max() ?? 0
    for (node, op) in graph.nodes.map(\.op).enumerated() where op.isFixed || op.isParameter {
      frames[node] = most
    }
    var kept = frames.indices.map { graph.nodes[$0].op.isFixed ? 1 : frames[$0] + 1 }
    let shown = Set(graph.outputs.map { Int(graph[$0.value].definition.index) })
    for node in kept.indices where !shown.contains(node) { kept[node] = 1 }
    for (node, inputs) in zip(graph.nodes.indices, operands) {
      let op = graph.nodes[node].op
      for (index, operand) in inputs.enumerated() {
        let isFixed = graph.nodes[operand].op.isFixed
        let distance = isFixed ? 0 : frames[operand] - frames[node] - op.ahead
        kept[operand] = max(kept[operand], distance + (index == 0 ? op.history : 0) + 1)
      }
    }
    (self.frames, self.most, self.kept) = (frames, most, kept)
  }
}
