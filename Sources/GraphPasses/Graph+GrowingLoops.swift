// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// A warning for each loop that grows without end for certain: whatever is heard by it, and wherever its parameters
  /// stand. What no output depends on is not looked at.
  package var growingLoops: [PassNote] { canonical().allGrowingLoops }

  private var allGrowingLoops: [PassNote] {
    let components = components()
    guard components.contains(where: isCycle) else { return [] }
    var known = [Interval?](repeating: nil, count: values.count)
    var notes: [PassNote] = []
    for component in components {
      guard isCycle(component) else {
        let node = self[component[0]]
        known[Int(node.result.index)] = interval(of: node, known)
        continue
      }
      guard hears(component) else { continue }
      let gain = LoopGain(component, in: self) { known[Int($0.index)] }
      guard let growth = gain?.growth else { continue }
      notes.append(warning(of: component, growth))
    }
    return notes
  }

  /// Whether something from outside is added to what goes around: else that is zero for ever.
  private func hears(_ loop: [NodeID]) -> Bool {
    let members = Set(loop)
    return loop.contains { id in
      let node = self[id]
      let isOutside = node.operands.map { !members.contains(self[$0].definition) }
      switch node.op {
      case .binary(.add), .binary(.subtract): return isOutside[0] || isOutside[1]
      case .fma: return isOutside[2] || (isOutside[0] && isOutside[1])
      case .input, .parameter, .literal, .weights, .unary, .binary, .select: return false
      case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: return false
      case .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise:
        return false
      }
    }
  }

  private func interval(of node: Node, _ known: [Interval?]) -> Interval? {
    switch node.op {
    case .parameter(let index):
      return Interval([Double(parameters[index].minimum), Double(parameters[index].maximum)])
    case .weights(let id): return Interval(of: self[id].values)
    case .input, .literal, .unary, .binary, .select, .fma, .slice, .concatenate, .reshape, .transpose, .pad,
      .broadcast, .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise:
      let operands = node.operands.compactMap { known[Int($0.index)] }
      return operands.count == node.operands.count ? node.op.interval(of: operands) : nil
    }
  }

  private func warning(of loop: [NodeID], _ growth: (frames: Int, gain: Double)) -> PassNote {
    let results = loop.map { self[$0].result }.sorted()
    // In the order in which they are written.
    func line(_ value: ValueID) -> (Int, Int) { origins.places[value].map { ($0.line, $0.column) } ?? (0, 0) }
    let named = results.filter { origins.names[$0] != nil }.sorted { line($0) < line($1) }
    let others = named.dropFirst().prefix(3).compactMap { origins.names[$0].map(quoted) }
    let way = others.isEmpty ? "" : " by way of \(others.joined(separator: ", "))"
    let moment =
      switch clock {
      case .stream: growth.frames == 1 ? "a frame" : "\(growth.frames) frames"
      case .step: growth.frames == 1 ? "a step" : "\(growth.frames) steps"
      }
    return PassNote(
      .warning, of: named.first ?? results[0], in: self,
      "this hears itself\(way) with a gain of \(rounded(growth.gain)) or more after \(moment), and grows until it is "
        + "no number; keep the gain below 1, or bound it with limit(x, level)")
  }

  /// A number above 1, rounded down to four digits where they say so; 1.01 as a float lies below it by 1e-8.
  private func rounded(_ gain: Double) -> String {
    let short = (gain * 1e4 + 0.01).rounded(.down) / 1e4
    return written(short > 1 ? short : gain)
  }
}
