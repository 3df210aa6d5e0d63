// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses

extension Graph {
  /// The uniform values that get a row of their own because loops use them, however cheap they are.
  ///
  ///     share = 1 / max(q, 0.1)                  two sums use it: a row
  ///     reach = share + slope
  ///     y = fma(-reach, delay(y, 1), x)          reach: a row; it is negated where it is used
  ///
  /// Frame by frame such a value is slow, and each loop of a wavefront would compute it for a few frames at a time;
  /// before them it takes whole vectors. A value that is one instruction away from another one has no row, but that
  /// one. While parameters are settled those rows are not read.
  func numbersOfLoops(among uniform: Set<ValueID>) -> Set<ValueID> {
    let loops = closeLoops()
    guard !loops.isEmpty else { return [] }
    // What reads a loop goes frame by frame with it.
    let users = nodeIDs.filter { id in
      loops[id] != nil || self[id].operands.contains { loops[self[$0].definition] != nil }
    }
    let used = Set(users.flatMap { self[$0].operands }.filter(uniform.contains))
    var numbers = Set(used.map(behindOneInstruction).filter { !definition(of: $0).op.isLeaf })
    let uses = useCounts()
    var reached = used
    var waiting = Array(used)
    while let value = waiting.popLast() {
      let node = definition(of: value)
      if node.op.cost > 1, uses[Int(value.index)] > 1 { numbers.insert(value) }
      waiting += node.operands.filter { uniform.contains($0) && reached.insert($0).inserted }
    }
    return numbers
  }

  /// The only operand of a value of one instruction; the value itself where it takes more, or of more than one value.
  private func behindOneInstruction(_ value: ValueID) -> ValueID {
    let node = definition(of: value)
    let operands = Set(node.operands.filter { !definition(of: $0).op.isLiteral })
    guard node.op.cost == 1, operands.count == 1, let only = operands.first else { return value }
    return only
  }
}
