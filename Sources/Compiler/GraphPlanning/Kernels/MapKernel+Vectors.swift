// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension MapKernel {
  /// How many vectors a stage computes side by side: as many as keep what is alive in registers, at most four; eight
  /// are no faster, and make twice the code.
  ///
  /// - Parameter moves: Whether a parameter moves from frame to frame: it takes a register for each vector. What its
  ///   ramp is made of comes from memory where registers run out.
  package func vectors(for plan: Plan, moves: (_ parameter: Int) -> Bool) -> Int {
    guard plan.goal == .speed else { return 1 }
    func isRamp(_ access: Access) -> Bool {
      if case .parameter(let index) = access.location { moves(index) } else { false }
    }
    let alive = mostAlive(in: plan) { isRamp($0) || $0.innerStride != 0 || $0.index != nil }
    return [4, 2].first { (alive + 2) * $0 <= plan.target.vectorRegisters } ?? 1
  }

  /// The most vectors of one lane group that are alive at once.
  private func mostAlive(in plan: Plan, varies: (Access) -> Bool) -> Int {
    let graph = plan.graph
    var lastUse: [ValueID: Int] = [:]
    for (position, node) in nodes.enumerated() {
      for operand in graph[node].operands { lastUse[operand] = position }
    }
    for store in stores { if let value = store.value { lastUse[value] = nodes.count } }
    var alive = loads.filter { varies($0.value) && lastUse[$0.key] != nil }.count
    var most = alive
    var ends: [Int: Int] = [:]
    for (value, end) in lastUse where loads[value].map(varies) ?? true {
      guard !graph.definition(of: value).op.isLiteral else { continue }
      ends[end, default: 0] += 1
    }
    for position in nodes.indices {
      alive += 1
      most = max(most, alive)
      alive -= ends[position] ?? 0
    }
    return most
  }
}

extension MapKernel {
  /// Whether it goes along the innermost axis in vectors.
  var isComputedInVectors: Bool {
    (loads.values + stores.map(\.access)).allSatisfy { (0...1).contains($0.innerStride) }
  }
}
