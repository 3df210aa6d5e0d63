// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes a cycle that is one map: rows side by side, and what each remembers of the last frames in registers.
///
///     y = b * x + a * delay(y, 1)        of 4 rows
///
///     y0, y1, y2, y3 = the last frame's, from the history
///     for each frame
///       y0 = b * x0 + a * y0             four chains of results that do not wait for each other
///       …
///     the history = y0, y1, y2, y3
///
/// Legal because a row hears only itself: then a row's frames can be computed before another row's, and what it hears
/// of the last frames is what it has just computed. Where somebody else reads the history, too, each frame is written.
struct LoopEmission {
  /// A history that the map writes, and of which it reads the last frames.
  private struct Memory {
    var value: ValueID
    var access: Access
    /// How many frames of it are remembered in registers.
    var depth: Int
    /// What was loaded so many frames back.
    var loads: [(value: ValueID, delay: Int)]
    /// Whether each frame has to be in memory.
    var isWritten: Bool
  }

  /// The most frames back that registers remember.
  private static let deepest = Graph.leastSpan - 1
  /// The most rows side by side: as many as keep a processor busy while each waits for itself.
  private static let mostRows = 8

  private let emitter: KernelEmitter
  private let map: MapKernel
  private let memories: [Memory]
  private var builder: FunctionBuilder { emitter.builder }

  /// nil where a cycle is not of this form.
  init?(_ emitter: KernelEmitter, _ cycle: CycleKernel) {
    guard cycle.span == 1, cycle.kernels.count == 1, case .map(let whole) = cycle.kernels[0],
      whole.space.inner == .frames
    else { return nil }
    self.emitter = emitter
    var map = whole.collapsed
    var memories: [Memory] = []
    for store in map.stores {
      let loads = map.loads.filter { $0.value.location == store.access.location }.sorted { $0.key < $1.key }
      switch store.access.location {
      case .buffer: guard loads.isEmpty else { return nil }
      case .history(let id):
        let isAlone = map.stores.count { $0.access.location == store.access.location } == 1
        guard !loads.isEmpty else { continue }
        guard isAlone, loads.allSatisfy({ $0.value.hearsOnly(store.access) }) else { return nil }
        guard let value = store.value, emitter.isComputed(value, in: map) else { continue }
        let near = loads.filter { $0.value.delay <= Self.deepest }
        guard let depth = near.map(\.value.delay).max() else { continue }
        memories.append(
          Memory(
            value: value, access: store.access, depth: depth,
            loads: near.map { ($0.key, $0.value.delay) },
            isWritten: emitter.plan.readersOfPlaces[.history(id), default: 0] > near.count))
      case .output, .input, .weights, .parameter: break
      }
    }
    for memory in memories {
      for load in memory.loads { map.loads[load.value] = nil }
      if !memory.isWritten { map.stores.removeAll { $0.access.location == memory.access.location } }
    }
    self.map = map
    self.memories = memories
  }

  func emit() {
    let width = builder.width
    builder.width = 1
    defer { builder.width = width }
    let body = MapBody(emitter, map)
    var extents = map.space.extents
    guard let extent = extents.popLast() else { return emit(body, rows: [[]]) }
    emitter.rounds(extents) { outer in
      emitter.rowGroups(of: extent, by: rowsAtOnce) { rows in emit(body, rows: rows.map { outer + [$0] }) }
    }
  }

  /// As many as have room in registers for what they remember.
  private var rowsAtOnce: Int {
    guard emitter.plan.goal == .speed else { return 1 }
    let remembered = max(1, memories.reduce(0) { $0 + $1.depth })
    return max(1, min(Self.mostRows, emitter.plan.target.vectorRegisters / 2 / remembered))
  }

  private func emit(_ body: MapBody, rows: [[String]]) {
    let axis = map.space.extents.indices.last
    let rounds = body.rounds(rows, along: axis)
    let slots = rows.flatMap { row in
      memories.flatMap { memory in
        (1...memory.depth).map { (row, memory.access.remembering($0)) }
      }
    }
    let begun = slots.map { row, access in
      builder.broadcast(builder.loadScalar(emitter.address(access, row)))
    }
    let width = begun.count / rows.count
    let ended = builder.loop(to: emitter.stretch.count, carrying: begun) { frame, remembered in
      rounds.enumerated().flatMap { row, round in
        let own = Array(remembered[row * width..<(row + 1) * width])
        let position = StagePosition(index: frame, vectors: 1, mask: nil)
        return next(own, body, round, at: position)
      }
    }
    emitter.atEndOfStretch {
      for ((row, access), (slot, last)) in zip(slots, ended.enumerated()) where !isWritten(slot % width) {
        builder.line("store float \(last[0]), ptr \(emitter.address(access, row)), align 4")
      }
    }
  }

  /// What a row remembers after a frame.
  private func next(
    _ remembered: [Lanes], _ body: MapBody, _ round: MapBody.Round, at position: StagePosition
  ) -> [Lanes] {
    var given: [ValueID: Lanes] = [:]
    var first = 0
    for memory in memories {
      for load in memory.loads { given[load.value] = remembered[first + load.delay - 1] }
      first += memory.depth
    }
    let values = body.compute(round, at: position, given: given)
    first = 0
    return memories.flatMap { memory in
      defer { first += memory.depth }
      guard let present = values[memory.value] else { preconditionFailure("a history without its value") }
      return [present] + remembered[first..<first + memory.depth - 1]
    }
  }

  /// Whether what stands in a slot of a row is written to memory frame by frame.
  private func isWritten(_ slot: Int) -> Bool {
    var end = 0
    return memories.first { memory in
      end += memory.depth
      return slot < end
    }?.isWritten ?? true
  }
}

extension KernelEmitter {
  /// Whether a map computes a value anew in each frame, or has loaded it so.
  fileprivate func isComputed(_ value: ValueID, in map: MapKernel) -> Bool {
    guard !plan.kernelGraph.uniform.contains(value) else { return false }
    return map.loads[value] != nil || map.nodes.contains(graph[value].definition)
  }
}
