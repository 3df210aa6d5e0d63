// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Pass {
  /// Computes values of literals and weights ahead of time.
  ///
  ///     %1 = 3 * 0.5                    %3 = "w" * 2
  ///     %2 = %0 + %1                    %4 = dense(%0, %3)
  /// →
  ///     %2 = %0 + 1.5                   %4 = dense(%0, "multiply")
  ///
  /// Legal for elementwise ops, data movement and reductions: what is rounded once has the bits of native code, and
  /// functions are as near to their value as a float can be, which their bound allows. Denormals count as zero, on the
  /// way in and out. A literal cannot be infinite or NaN: such a node stays, with a warning, unless it
  /// only goes into choices, as in masks. State is never folded, nor
  /// are layers of weights alone, which do not occur. All weights that are made have a common limit, so that a
  /// broadcast constant cannot exhaust the memory; one of their own have those that are others in another order, as a
  /// layer wants them: they would be put in order in each step.
  package static let constantFolding = Pass(
    name: "constant-folding", summary: "works out what depends on numbers and weights only"
  ) { graph, context in
    var (room, roomForMoved) = (maximumNumbers, maximumMoved)
    var users: [ValueID: [NodeID]]?
    var names = WeightsNames(graph)
    // Canonical order puts operands first, and no constant lies on a cycle.
    for id in graph.nodeIDs {
      let node = graph[id]
      guard !node.operands.isEmpty, node.operands.allSatisfy(graph.isConstant) else { continue }
      let shape = graph.shape(of: node.result)
      let taken = node.operands.map { graph.shape(of: $0).count }
      let work = Swift.max(shape.count, taken.max()!)
      let isMoved = if case .movement = node.op.kind { shape.count <= taken[0] } else { false }
      guard work <= room || (isMoved && work <= roomForMoved) else { continue }
      let operands = node.operands.compactMap { Constant($0, in: graph) }
      guard let constant = node.op.evaluate(operands, into: shape.fixed) else { continue }
      if let number = constant.numbers.first(where: { !$0.isFinite }) {
        let known = users ?? graph.users
        users = known
        guard !graph.isOnlyChosen(node.result, known) else { continue }
        let what = constant.numbers.count == 1 ? "this is" : "one of these numbers is"
        context.note(
          .init(.warning, of: node.result, in: graph, "\(what) \(written(number)), whatever comes in"))
        continue
      }
      guard context.mayRewrite() else { return }
      if work <= room { room -= work } else { roomForMoved -= work }
      graph[id].operands = []
      if shape == .scalar {
        graph[id].op = .literal(constant.numbers[0].flushed)
      } else {
        let name = graph.origins.names[node.result] ?? node.op.shortName
        graph[id].op = .weights(graph.addWeights(constant, called: name, &names))
      }
    }
  }

  /// How many numbers folding reads or makes at most.
  private static let maximumNumbers = 1 << 20
  /// The same of large weights that are put in another order.
  private static let maximumMoved = 1 << 24
}

extension Graph {
  /// The nodes that read each value.
  fileprivate var users: [ValueID: [NodeID]] {
    var users: [ValueID: [NodeID]] = [:]
    for id in nodeIDs {
      for operand in Set(self[id].operands) { users[operand, default: []].append(id) }
    }
    return users
  }

  /// Whether a value is no more than what `select` takes or leaves, or one number among others of which the largest is taken,
  /// perhaps with another sign, put in another place, or times constants.
  ///
  /// - Parameter isAmongOthers: whether it stands beside numbers that are no constants.
  fileprivate func isOnlyChosen(
    _ value: ValueID, _ users: [ValueID: [NodeID]], isAmongOthers: Bool = false
  ) -> Bool {
    guard !outputs.contains(where: { $0.value == value }) else { return false }
    return users[value, default: []].allSatisfy { id in
      let node = self[id]
      if case .select = node.op { return node.operands[0] != value }
      if case .binary(.multiply) = node.op {
        guard node.operands.allSatisfy({ $0 == value || isConstant($0) }) else { return false }
        return isOnlyChosen(node.result, users, isAmongOthers: isAmongOthers)
      }
      switch node.op.kind {
      case .reduction(.maximum, _): return isAmongOthers
      case .movement, .elementwise(.unary(.negate)):
        let joins = node.operands.contains { $0 != value && !isConstant($0) }
        return isOnlyChosen(node.result, users, isAmongOthers: isAmongOthers || joins)
      case .given, .elementwise, .reduction, .layer, .contraction, .time, .source: return false
      }
    }
  }

  /// Whether a value is a literal or an array of weights.
  fileprivate func isConstant(_ value: ValueID) -> Bool {
    switch definition(of: value).op.given {
    case .literal, .weights: true
    case .input, .parameter, nil: false
    }
  }
}

extension Op {
  /// The result for constants, or nil where the op is not worked out ahead of time.
  func evaluate(_ operands: [Constant], into extents: [Int]) -> Constant? {
    let x = operands.first
    switch kind {
    case .given, .layer, .contraction, .time, .source:
      return nil
    case .elementwise(let function):
      return Constant(elementwise: operands, extents) {
        Float(function.evaluate($0.map { Double($0.flushed) })).flushed
      }
    case .movement(let movement):
      return movement.rearranged(operands, into: extents, zero: 0) { Double($0) }
    // With a rounding each time, as native code does; in several ways those are others.
    case .reduction(.sum(ways: 1), let axis):
      return x.map { $0.reduced(along: axis, extents, from: 0) { ($0 + $1.flushed).flushed } }
    case .reduction(.sum, _):
      return nil
    // The largest zero is +0, as in native code.
    case .reduction(.maximum, let axis):
      return x.map {
        $0.reduced(along: axis, extents, from: -.infinity) { Swift.max($0, $1.flushed).flushed + 0 }
      }
    }
  }
}

extension Float {
  /// The number, or a zero with its sign in place of a denormal.
  var flushed: Float { isSubnormal ? Float(signOf: self, magnitudeOf: 0) : self }
}
