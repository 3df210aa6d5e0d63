// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Cycles through delays: in spans as long as their delays allow, and frame by frame only what feeds back sooner.
///
///     played   = delay(recorded, 18000)                              a tile is shorter: no cycle
///     close    = delay(body, 50)                                     with body: 50 frames at a time
///     worn     = close * (1 - wear) + wear * delay(worn, 1)          within it, worn: frame by frame
///     body     = src + feedback * tanh(worn)
///     recorded = src + feedback * worn + played
///
/// A delay that is at least as long as a span reads nothing of what the span computes; one by a signal is as long as
/// its minimum. Without the edges into such delays fewer values wait for each other, and those that do not are computed
/// one after the other for the whole span. A tile is a span: so delays of a tile and more make no cycle.
extension KernelLowering {
  /// Lowers nodes in the order in which they can be computed for so many frames at once.
  func lowerComponents(of part: [NodeID], within span: Int) {
    var components = graph.components(of: part, cuttingDelaysFrom: span)
    let cycles = Set(components.indices.filter { isCycle(components[$0], within: span) })
    for index in cycles.sorted() where goesInColumns(components[index]) {
      components[index] += feeders(of: components[index], among: components)
    }
    let taken = Set(cycles.flatMap { components[$0] })
    for (index, component) in components.enumerated() {
      if cycles.contains(index) {
        lowerCycle(component)
      } else if !taken.contains(component[0]) {
        lower(component[0])
      }
    }
  }

  private func lowerCycle(_ component: [NodeID]) {
    let inOrder = component.sorted { cutOrder[$0]! < cutOrder[$1]! }
    if goesInColumns(component) { return lowerColumns(inOrder) }
    // Values in columns are transposed before the cycle, not within it.
    for value in operands(of: component) where storage[.columns]![value] != nil { _ = place(value) }
    if let span = span(of: component) {
      appendCycle(span: span) { lowerComponents(of: component, within: span) }
    } else {
      appendCycle(span: 1) { inOrder.forEach(lower) }
    }
  }

  /// Whether a component feeds back within so many frames.
  private func isCycle(_ component: [NodeID], within span: Int) -> Bool {
    let node = graph[component[0]]
    guard component.count == 1, let least = node.op.leastDelay, least >= span else {
      return graph.isCycle(component)
    }
    return node.operands.dropFirst().contains(node.result)
  }

  /// The longest span in which a cycle can run so that all that stays frame by frame feeds back almost at once; nil
  /// where that is all of it.
  ///
  /// A sample is taken where a tile begins, and so at the first frame of a span.
  ///
  /// Cut at a shorter delay, a part of the cycle that feeds back is part of one that does when cut at a longer one.
  func span(of component: [NodeID]) -> Int? {
    func delays(of nodes: [NodeID]) -> [Int] {
      nodes.compactMap { graph[$0].op.leastDelay }
    }
    let spans = Set(delays(of: component)).filter { $0 >= Graph.leastSpan }.sorted()
    func fits(_ span: Int) -> Bool {
      graph.components(of: component, cuttingDelaysFrom: span).allSatisfy {
        !isCycle($0, within: span) || delays(of: $0).allSatisfy { $0 < Graph.leastSpan }
      }
    }
    // The shortest one always fits, and each that is shorter than one that does.
    let longer = spans.partitioningIndex(where: { !fits($0) })
    return longer > 0 ? spans[longer - 1] : nil
  }
}
