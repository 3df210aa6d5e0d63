// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Checks that each lane of a wavefront computes its loop, by symbolic execution of the steps, loop by loop.
struct WavefrontVerifier {
  private let front: Wavefront
  private let readers: [Location: Int]
  private let frames: Int
  private(set) var violations: [String] = []

  /// The values of all steps in the lanes of one loop.
  private struct Lane {
    /// The value of each step; nil where the loop does not compute it.
    var values: [ValueID?] = []
    /// One name for values that are loaded from one place, or computed alike.
    private var names: [ValueID: ValueID] = [:]
    private var loads: [Access: ValueID] = [:]
    private var terms: [Term: ValueID] = [:]

    private struct Term: Hashable {
      var op: Op
      var operands: [ValueID]

      init(_ op: Op, _ operands: [ValueID]) {
        (self.op, self.operands) = (op, operands)
        if op.commutes, operands[1] < operands[0] { self.operands.swapAt(0, 1) }
      }
    }

    init(_ loop: Int, of front: Wavefront, in kernels: KernelGraph) {
      let (map, graph) = (front.loops[loop], kernels.graph)
      for (value, access) in map.loads.sorted(by: { $0.key < $1.key }) {
        loads[access] = loads[access] ?? value
        names[value] = loads[access]
      }
      for id in map.nodes {
        let term = Term(graph[id].op, graph[id].operands.map(name))
        terms[term] = terms[term] ?? graph[id].result
        names[graph[id].result] = terms[term]
      }
      for step in front.steps { values.append(value(of: step, loop, front, kernels)) }
    }

    private func name(_ value: ValueID) -> ValueID { names[value] ?? value }

    private func value(
      of step: Wavefront.Step, _ loop: Int, _ front: Wavefront, _ kernels: KernelGraph
    ) -> ValueID? {
      let loads = front.loops[loop].loads
      switch step {
      case .number(let all):
        guard let value = all[loop] else { return nil }
        let isNumber =
          kernels.uniform.contains(value) || kernels.graph.definition(of: value).op.isLiteral
          || loads[value]?.innerStride == 0
        return isNumber ? name(value) : nil
      case .stream(let all): return all[loop].flatMap { loads[$0]?.innerStride == 1 ? name($0) : nil }
      case .remembered(let memory, let back):
        return self.loads[front.memories[memory].accesses[loop].remembering(back)]
      case .computed(let op, let operands):
        let known = operands.compactMap { values[$0] }
        return known.count == operands.count ? terms[Term(op, known)] : nil
      case .blend(let first, let a, let b): return values[first[loop] ? a : b]
      }
    }

    /// Whether a step has a value.
    func has(_ value: ValueID?, in step: Int) -> Bool { value != nil && values[step] == value.map(name) }
  }

  /// - Parameter frames: The most that the loops go through at a time.
  init(_ front: Wavefront, in kernels: KernelGraph, _ readers: [Location: Int], frames: Int) {
    self.front = front
    self.readers = readers
    self.frames = frames
    let lanes = front.loops.indices.map { Lane($0, of: front, in: kernels) }
    for loop in lanes.indices { check(loop, lanes) }
    for case .number(let values) in front.steps { checkRows(of: values, kernels.uniform) }
  }

  private mutating func expect(_ isTrue: Bool, _ text: String) {
    if !isTrue { violations.append(text) }
  }

  /// Numbers that vary with parameters are computed once for all rows, and so is what stands beside them.
  private mutating func checkRows(of values: [ValueID?], _ uniform: Set<ValueID>) {
    guard values.contains(where: { $0.map(uniform.contains) ?? false }) else { return }
    for (value, loop) in zip(values, front.loops) {
      let access = value.flatMap { loop.loads[$0] }
      expect(access?.strides.allSatisfy { $0 == 0 } ?? true, "takes one row's number for all rows")
    }
  }

  private mutating func check(_ loop: Int, _ lanes: [Lane]) {
    let map = front.loops[loop]
    let isLast = loop == front.loops.count - 1
    let memories = front.memories.map { $0.accesses[loop] }
    for (memory, access) in zip(front.memories, memories) {
      let store = map.stores.first { $0.access == access }
      expect(
        lanes[loop].has(store?.value, in: memory.next), "remembers something else than loop \(loop) writes")
      let loads = map.loads.values.filter { $0.location == access.location }
      expect(
        loads.allSatisfy { $0.readsThePast(of: access) && $0.delay <= memory.depth }
          && readers[access.location] == loads.count,
        "keeps in registers what is read otherwise")
    }
    for (value, access) in map.loads where !memories.contains(where: { $0.location == access.location }) {
      checkRead(value, access, loop, lanes)
    }
    for store in map.stores where !memories.contains(store.access) {
      let given = front.stores.first { $0.access == store.access }
      if isLast {
        expect(
          given.map { lanes[loop].has(store.value, in: $0.step) } ?? false,
          "writes something else than loop \(loop)")
      } else {
        let reads = front.loops[loop + 1].loads.values.count { $0.location == store.access.location }
        expect(
          readers[store.access.location, default: 0] == reads,
          "does not write what is read of loop \(loop) elsewhere")
      }
    }
    if isLast {
      expect(front.stores.count == map.stores.count - memories.count, "writes more than loop \(loop)")
    }
  }

  /// A loop reads of what the loops write only what the one before it hands on, or what is older than all frames.
  private mutating func checkRead(_ value: ValueID, _ access: Access, _ loop: Int, _ lanes: [Lane]) {
    let writers = front.loops.indices.filter { other in
      front.loops[other].stores.contains { $0.access.location == access.location }
    }
    guard !writers.isEmpty else { return }
    if case .history = access.location {
      return expect(access.delay >= frames, "reads frames that are written at the same time")
    }
    let isHanded = front.handed.contains { stream, step in
      guard case .stream(let all) = front.steps[stream], loop > 0, all[loop] == value else { return false }
      return lanes[loop - 1].has(value, in: step)
    }
    expect(
      writers == [loop - 1] && front.loops[loop - 1].stores.contains(Store(value, access)) && isHanded,
      "reads what is not handed on")
  }
}
