// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// What a loop makes of itself: its gain along each of the ways around, by how many frames that takes.
///
///     y = x + 1.2 * delay(y, 100)                       gains [100: 1.2]
///     y = x + a * delay(y, 1) + b * delay(y, 2)         gains [1: a, 2: b]
///
/// It is found where a loop is linear and all its ways go through one of its values: the loop is cut there, and the
/// value's share in all others followed around. Other loops are not judged.
struct LoopGain {
  /// The largest loop that is looked at, and the most ways around, or to one of its values: those of a chain of delays
  /// double with each of them.
  private static let (mostNodes, mostWays) = (256, 64)
  /// Rounding of what an author takes for 1.
  private static let margin = 1e-6

  private let gains: [Int: Interval]

  /// nil where it is not known.
  ///
  /// - Parameter known: What values outside of the loop can be.
  init?(_ loop: [NodeID], in graph: Graph, known: (ValueID) -> Interval?) {
    let members = Set(loop)
    guard loop.count <= Self.mostNodes,
      loop.allSatisfy({ graph[$0].isLinear(in: graph, within: members) })
    else { return nil }
    for cut in loop {
      guard let order = graph.order(of: loop, cutAt: cut) else { continue }
      var shares: [ValueID: [Int: Interval]] = [graph[cut].result: [0: Interval(1)]]
      for id in order {
        guard let share = graph[id].share(of: shares, known: known), share.count <= Self.mostWays else {
          return nil
        }
        shares[graph[id].result] = share
      }
      guard let around = graph[cut].share(of: shares, known: known), around.count <= Self.mostWays else {
        return nil
      }
      gains = around
      return
    }
    return nil
  }

  /// The frames of the longest way around, and by how much what goes around grows at least, where it does so for
  /// certain; nil where it may die away.
  ///
  /// Of the equation z^n = g1 z^(n-1) + … + gn a solution lies outside of the unit circle if gn does (it is the product
  /// of all of them, but for the sign), and where the right side is the larger one at 1, or at -1, for far away the
  /// left one is (the first of Jury's conditions). Up to the second order nothing else grows.
  var growth: (frames: Int, gain: Double)? {
    guard let longest = gains.filter({ $0.value != Interval(0) }).keys.max() else { return nil }
    let ends = gains[longest]?.leastMagnitude ?? 0
    let inPhase = gains.values.reduce(0) { $0 + $1.low }
    let inTurns = gains.reduce(0) { $0 + ($1.key.isMultiple(of: 2) ? $1.value.low : -$1.value.high) }
    let gain = max(ends, inPhase, inTurns)
    return gain > 1 + Self.margin ? (longest, gain) : nil
  }
}

extension Node {
  /// Whether the result is a sum of shares of the operands that are part of a loop.
  fileprivate func isLinear(in graph: Graph, within loop: Set<NodeID>) -> Bool {
    let isPart = operands.map { loop.contains(graph[$0].definition) }
    switch op {
    case .unary(let op): return op == .negate
    case .binary(.add), .binary(.subtract), .delay: return true
    case .binary(.multiply): return !(isPart[0] && isPart[1])
    case .binary(.divide): return !isPart[1]
    case .fma: return !(isPart[0] && isPart[1])
    case .input, .parameter, .literal, .weights, .binary, .select: return false
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: return false
    case .sum, .maximum, .dense, .convolution, .tap, .lookahead, .control, .phasor, .noise: return false
    }
  }

  /// The share of the cut value in a linear node's result, by how many frames late it is.
  fileprivate func share(
    of shares: [ValueID: [Int: Interval]], known: (ValueID) -> Interval?
  ) -> [Int: Interval]? {
    func sum(_ a: [Int: Interval]?, _ b: [Int: Interval]?) -> [Int: Interval]? {
      guard let a, let b else { return nil }
      var result = a
      for (frames, gain) in b {
        guard let both = (a[frames] ?? Interval(0)) + gain else { return nil }
        result[frames] = both
      }
      return result
    }
    func scaled(_ share: [Int: Interval], _ change: (Interval) -> Interval?) -> [Int: Interval]? {
      let result = share.compactMapValues(change)
      return result.count == share.count ? result : nil
    }
    func product(_ a: ValueID, _ b: ValueID) -> [Int: Interval]? {
      guard let (share, factor) = shares[a].map({ ($0, b) }) ?? shares[b].map({ ($0, a) }) else { return [:] }
      return known(factor).flatMap { factor in scaled(share) { $0 * factor } }
    }
    let own = operands.map { shares[$0] ?? [:] }
    switch op {
    case .unary: return scaled(own[0]) { -$0 }
    case .binary(.add): return sum(own[0], own[1])
    case .binary(.subtract): return sum(own[0], scaled(own[1]) { -$0 })
    case .binary(.divide):
      return known(operands[1]).flatMap { divisor in scaled(own[0]) { $0 / divisor } }
    case .binary: return product(operands[0], operands[1])
    case .fma: return sum(product(operands[0], operands[1]), own[2])
    case .delay(let frames): return Dictionary(uniqueKeysWithValues: own[0].map { ($0 + frames, $1) })
    case .input, .parameter, .literal, .weights, .select: return nil
    case .slice, .concatenate, .reshape, .transpose, .pad, .broadcast: return nil
    case .sum, .maximum, .dense, .convolution, .tap, .lookahead, .control, .phasor, .noise: return nil
    }
  }
}

extension Graph {
  /// The other nodes of a loop, operands first, where none of them hears itself without the one that is cut.
  fileprivate func order(of loop: [NodeID], cutAt cut: NodeID) -> [NodeID]? {
    let members = Set(loop)
    var users: [NodeID: [NodeID]] = [:]
    var missing: [NodeID: Int] = [:]
    for id in loop where id != cut {
      let operands = self[id].operands.map { self[$0].definition }.filter {
        $0 != cut && members.contains($0)
      }
      missing[id] = operands.count
      for operand in operands { users[operand, default: []].append(id) }
    }
    var order = loop.filter { missing[$0] == 0 }
    var next = 0
    while next < order.count {
      for user in users[order[next]] ?? [] {
        missing[user, default: 0] -= 1
        if missing[user] == 0 { order.append(user) }
      }
      next += 1
    }
    return order.count == loop.count - 1 ? order : nil
  }
}
