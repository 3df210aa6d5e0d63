// SPDX-License-Identifier: Apache-2.0

/// The latency of each value in frames, so that lookaheads can be computed.
///
///     peak = lookahead(abs(x), 64)       x and abs(x) 0, peak 64
///     gain = level / max(peak, level)    level 0, gain 64
///     dst  = x * gain                    64: x waits 64 frames for gain
///
/// A lookahead by 64 frames has a latency of 64. A value has the largest latency of its operands, and the others are
/// delayed to match; so are outputs. Around a cycle all latencies are equal, and its delays stay as they are.
///
/// A parameter acts on the input of the same frame, so it is delayed, too. It is delayed as late as possible:
/// values of parameters only are computed without latency, where they are hoisted while parameters are
/// settled, and the result is delayed. Constants have no latency.
///
/// `control` samples at multiples of 64 frames of the stream. Its operand's latency is a multiple of 64, so
/// that it samples the same frames.
package struct Latencies: Sendable {
  /// The reason why a late value cannot be computed.
  package struct Obstacle: Hashable, Sendable {
    package var node: NodeID
    /// One sentence: what is wrong, then the remedy.
    package var message: String
  }

  private let frames: [Int?]
  /// The latency of all outputs, in frames.
  package let latency: Int
  package let obstacles: [Obstacle]

  /// - Parameter graph: one in which no cycle looks ahead at itself.
  package init(_ graph: Graph) {
    var frames = [Int?](repeating: nil, count: graph.values.count)
    for component in graph.components() {
      var late: Int?
      for id in component {
        let begins = graph[id].op.beginsAtZero ? 0 : nil
        late = Self.latest([late, begins] + graph[id].operands.map { frames[Int($0.index)] })
      }
      for id in component { late = late.map { graph[id].op.latency(of: $0) } }
      for id in component { frames[Int(graph[id].result.index)] = late }
    }
    self.frames = frames
    let latest = graph.outputs.max { frames[Int($0.value.index)] ?? 0 < frames[Int($1.value.index)] ?? 0 }
    latency = latest.flatMap { frames[Int($0.value.index)] } ?? 0
    var obstacles: [Obstacle] = []
    if let latest, latency > Limits.delay {
      obstacles.append(
        Obstacle(
          node: graph[latest.value].definition,
          message:
            "the output '\(latest.name)' would be late by \(latency) frames; \(Limits.delay) are the most"))
    }
    for id in graph.nodeIDs where graph[id].op.layer != nil {
      guard let late = frames[Int(graph[id].result.index)], late > 0,
        graph[id].operands.dropFirst().contains(where: { frames[Int($0.index)] != nil })
      else { continue }
      obstacles.append(
        Obstacle(
          node: id,
          message:
            "the weights or the bias of \(graph[id].op.shortName) follow a parameter and cannot wait for what it is given, "
            + "which looks ahead by \(late) frames; let a parameter act on the layer's result"))
    }
    self.obstacles = obstacles
  }

  /// The latency of a value in frames; nil for a constant.
  package subscript(value: ValueID) -> Int? { frames[Int(value.index)] }

  private static func latest(_ all: [Int?]) -> Int? { all.compactMap(\.self).max() }
}

extension Graph {
  /// Whether a node looks ahead.
  package var looksAhead: Bool { nodes.contains { $0.op.isLookahead } }
}

extension Op {
  /// Whether the result differs from frame to frame, or may, whatever the op is given.
  fileprivate var beginsAtZero: Bool { isParameter || (beginsFrames && !isLookahead) }

  /// The latency of the result, where this is the largest of its operands.
  fileprivate func latency(of operand: Int) -> Int {
    switch row.position {
    case .sampled(let period): (operand + period - 1) / period * period
    case .ignored, .read: operand + ahead
    }
  }
}
