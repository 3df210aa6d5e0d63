// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// How near to double precision a cycle keeps what it reads of its own earlier frames.
///
///     v = slew(x)            peak 16       its past may be 16 · share away
///     d = v - delay(v, 1)                  twice that: what cancels leaves the distance behind
///     y = d + 0.9 * delay(y, 1)            its past may be peak(y) · (share + distance(d) / peak(d)) away
///     sin(5000 * y)                        as far as the sine's slope takes it
///
/// Around a cycle an error radius can grow without end although the error does not. Here it cannot: what is read back is
/// taken to be within a share of its peak so far, and within the share of theirs that the values are away which enter the
/// cycle. All else follows by radius, so that what cancels, and what is steep, counts with its size.
struct Nearness {
  private let share: Double
  /// For each node that reads earlier frames of its own cycle, what enters the cycle.
  private let entries: [Int: [Int]]
  private let isNoted: [Bool]
  /// Of the nodes that count, the largest value so far, and the largest radius.
  private var peaks, radii: [Double]

  init(_ graph: Graph, operands: [[Int]], share: Double) {
    self.share = share
    var entries: [Int: [Int]] = [:]
    var isNoted = [Bool](repeating: false, count: graph.nodes.count)
    for component in graph.components() where graph.isCycle(component) {
      let nodes = Set(component.map { Int($0.index) })
      let outside = Set(nodes.flatMap { operands[$0] }).subtracting(nodes).sorted()
      for node in nodes where graph.nodes[node].op.history > 0 { entries[node] = outside }
      for node in outside { isNoted[node] = true }
    }
    self.entries = entries
    self.isNoted = isNoted
    peaks = Array(repeating: 0, count: graph.nodes.count)
    radii = peaks
  }

  /// Takes note of what a node has come to in a frame, and brings it near where it is read back around a cycle.
  mutating func settle(_ node: Int, _ results: inout ArraySlice<Estimate>) {
    let outside = entries[node]
    guard outside != nil || isNoted[node] else { return }
    for estimate in results {
      if estimate.value.isFinite { peaks[node] = max(peaks[node], estimate.value.magnitude) }
      if estimate.radius.isFinite, !estimate.sitsOnJump { radii[node] = max(radii[node], estimate.radius) }
    }
    guard let outside else { return }
    let entering = outside.map { peaks[$0] > 0 ? radii[$0] / peaks[$0] : 0 }.max() ?? 0
    let bound = peaks[node] * (share + entering)
    for row in results.indices { results[row] = results[row].near(by: bound) }
  }
}

extension Estimate {
  /// What of the interval lies within a distance of the value; on a jump both sides stay as they are.
  fileprivate func near(by bound: Double) -> Estimate {
    guard !sitsOnJump, value.isFinite, radius > bound else { return self }
    return Estimate(value: value, low: Swift.max(low, value - bound), high: Swift.min(high, value + bound))
  }
}
