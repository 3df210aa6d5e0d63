// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Assigns a step and a lane to each value of each loop.
///
///     loop 0:  a0 = h0 * c0,  y0 = x + a0              a = [h0, h1] * [c0, c1]
///     loop 1:  a1 = h1 * c1,  y1 = c2 * y0 + a1    →   y = [x + a | fma([·, c2], [·, y0], a)]
///
/// One value of each loop make a pack. A pack of values with the same op is one step over packs of their
/// operands; one of different ones is a step for each, in which the lanes of the others compute something
/// that is not read. What the loops remember is packed first, because it has one form.
struct WavefrontPacking {
  private(set) var steps: [Wavefront.Step] = []
  private(set) var memories: [Wavefront.Memory] = []
  private(set) var handed: [Int: Int] = [:]
  private(set) var stores: [(access: Access, step: Int)] = []

  private let forms: [LoopForm]
  private let links: [Set<ValueID>]
  private let graph: Graph
  private var known: [[ValueID?]: Int] = [:]
  /// The step that has a loop's value in its lane.
  private var homes: [[ValueID: Int]]

  /// The kind of a value: those of one kind can share a step.
  private enum Kind: Hashable {
    case packed(Int)
    case number
    /// A number of each row: one that is time-varying, which rows share, cannot stand beside it.
    case numberOfRow
    case stream
    case computed(Op)
  }

  /// The most steps; loops that take more are too different.
  private let mostSteps: Int

  init(_ forms: [LoopForm], _ links: [Set<ValueID>], in graph: Graph) {
    self.forms = forms
    self.links = links
    self.graph = graph
    homes = forms.map { _ in [:] }
    mostSteps = 64 + 8 * (forms.map(\.map.nodes.count).max() ?? 0)
  }

  /// Packs all of them; false where it takes too many steps.
  mutating func pack() -> Bool {
    for index in forms[0].memories.indices {
      for back in 1...forms[0].memories[index].depth {
        let step = append(.remembered(memory: index, back: back))
        for (loop, form) in forms.enumerated() {
          for (value, distance) in form.memories[index].loads where distance == back {
            homes[loop][value] = step
          }
        }
      }
    }
    for index in forms[0].memories.indices {
      let next = pack(forms.map { $0.memories[index].value })
      memories.append(
        Wavefront.Memory(
          accesses: forms.map { $0.memories[index].access }, depth: forms[0].memories[index].depth, next: next
        ))
    }
    let last = forms[forms.count - 1]
    let own = Set(last.memories.map(\.access.location))
    let results = last.map.stores.filter { !own.contains($0.access.location) }
    guard results.allSatisfy({ $0.value.map { !last.isNumber($0) } ?? false }) else { return false }
    packHanded(beside: results.first?.value)
    for store in results {
      let lanes = forms.indices.map { $0 == forms.count - 1 ? store.value : nil }
      stores.append((store.access, pack(lanes)))
    }
    packHanded(beside: nil)
    return steps.count <= mostSteps
  }

  /// Packs what the loops hand on, and what that needs of the loops before them.
  ///
  /// - Parameter result: what the last loop gives in the place of the first stream that the others hand on.
  private mutating func packHanded(beside result: ValueID?) {
    var index = 0
    var result = result
    while index < steps.count {
      defer { index += 1 }
      guard case .stream(let lanes) = steps[index], handed[index] == nil else { continue }
      var given = lanes.indices.dropFirst().map { loop in
        lanes[loop].flatMap { links[loop].contains($0) ? $0 : nil }
      }
      guard given.contains(where: { $0 != nil }) else { continue }
      given.append(result)
      result = nil
      handed[index] = pack(given)
    }
  }

  private mutating func append(_ step: Wavefront.Step) -> Int {
    steps.append(step)
    return steps.count - 1
  }

  private func kind(of value: ValueID, in loop: Int) -> Kind {
    if let step = homes[loop][value] { return .packed(step) }
    if forms[loop].isNumber(value) { return forms[loop].isSameInRows(value) ? .number : .numberOfRow }
    if forms[loop].map.loads[value] != nil { return .stream }
    return .computed(graph.definition(of: value).op)
  }

  /// The step that has these values in its lanes; in the others anything.
  private mutating func pack(_ lanes: [ValueID?]) -> Int {
    if let step = known[lanes] { return step }
    guard steps.count <= mostSteps else { return 0 }
    var groups: [(kind: Kind, lanes: [ValueID?])] = []
    for (loop, value) in lanes.enumerated() {
      guard let value else { continue }
      let kind = kind(of: value, in: loop)
      let index = groups.firstIndex { $0.kind == kind } ?? groups.count
      if index == groups.count { groups.append((kind, lanes.map { _ in nil })) }
      groups[index].lanes[loop] = value
    }
    var result: Int?
    for group in groups {
      let step = packAlike(group.lanes, group.kind)
      result = result.map { append(.blend(group.lanes.map { $0 != nil }, step, $0)) } ?? step
    }
    guard let result else { preconditionFailure("a pack of nothing") }
    known[lanes] = result
    return result
  }

  private mutating func packAlike(_ lanes: [ValueID?], _ kind: Kind) -> Int {
    if let step = known[lanes] { return step }
    let step: Int
    switch kind {
    case .packed(let step): return step
    case .number, .numberOfRow: step = append(.number(lanes))
    case .stream: step = append(.stream(lanes))
    case .computed(let op):
      let operands = lanes.enumerated().map { loop, value in
        value.map { forms[loop].operands(of: graph.definition(of: $0)) }
      }
      let count = operands.lazy.compactMap { $0?.count }.first ?? 0
      let packs = (0..<count).map { place in pack(operands.map { $0?[place] }) }
      step = append(.computed(op, packs))
    }
    known[lanes] = step
    if kind != .number, kind != .numberOfRow {
      for (loop, value) in lanes.enumerated() { if let value { homes[loop][value] = step } }
    }
    return step
  }
}
