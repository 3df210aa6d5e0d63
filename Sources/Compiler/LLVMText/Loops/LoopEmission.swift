// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Emits a cycle that is one map: rows side by side, each with its state of the last frames in registers.
///
///     y = b * x + a * delay(y, 1)        of 4 rows
///
///     y0, y1, y2, y3 = the last frame's, from the history
///     for each frame
///       y0 = b * x0 + a * y0             four chains of results that do not wait for each other
///       …
///     the history = y0, y1, y2, y3
///
/// Why that is legal, see `LoopSchedule`.
struct LoopEmission {
  private let emitter: KernelEmitter
  private let schedule: LoopSchedule
  private var map: MapKernel { schedule.map }
  private var memories: [LoopSchedule.Memory] { schedule.memories }
  private var builder: FunctionBuilder { emitter.builder }

  init(_ emitter: KernelEmitter, _ schedule: LoopSchedule) {
    self.emitter = emitter
    self.schedule = schedule
  }

  func emit() {
    builder.inVectors(of: 1) {
      let body = MapBody(emitter, map)
      var extents = map.space.extents
      guard let extent = extents.popLast() else { return emit(body, rows: [[]]) }
      emitter.rounds(extents) { outer in
        emitter.rowGroups(of: extent, by: schedule.rowsAtOnce) { rows in
          emit(body, rows: rows.map { outer + [$0] })
        }
      }
    }
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

  /// The state of a row after a frame.
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
