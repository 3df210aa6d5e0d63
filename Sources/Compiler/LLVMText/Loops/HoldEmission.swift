// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Writes a loop that does nothing but hold, vector by vector.
///
///     x                     a  b  c  d  e  f  g  h
///     due                      *        *
///     as a lane before      .  b  b  .  e  e  .  .       and due there, too
///     as two before         .  b  b  b  e  e  e  e
///     h                     z  b  b  b  e  e  e  e       z is what was held before
///
/// Legal because lanes are moved and never computed with: each number is the one that the loop would have taken frame
/// by frame, with all of its bits. Where a whole vector is due, nothing is moved. Rows that take their numbers at the
/// same frames find these once.
struct HoldEmission {
  /// The place of a held value: its row and its hold.
  private struct Place {
    var row: Int
    var hold: Int
  }

  private let emitter: KernelEmitter
  private let schedule: HoldSchedule
  private var loop: HoldLoop { schedule.loop }
  private var builder: FunctionBuilder { emitter.builder }

  init(_ emitter: KernelEmitter, _ schedule: HoldSchedule) {
    self.emitter = emitter
    self.schedule = schedule
  }

  func emit() {
    let asked = loop.holds.flatMap { [$0.condition, $0.taken] }
    let body = MapBody(emitter, loop.rest, asked: asked)
    var extents = loop.rest.space.extents
    guard let extent = extents.popLast() else { return emit(body, rows: [[]]) }
    emitter.rounds(extents) { outer in
      emitter.rowGroups(of: extent, by: schedule.rowsAtOnce) { rows in
        emit(body, rows: rows.map { outer + [$0] })
      }
    }
  }

  private func emit(_ body: MapBody, rows: [[String]]) {
    let axis = loop.rest.space.extents.indices.last
    let rounds = body.rounds(rows, along: axis)
    let places = rows.indices.flatMap { row in loop.holds.indices.map { Place(row: row, hold: $0) } }
    let groups = groups(of: places, along: axis)
    let stores = loop.stores.filter { !schedule.writtenAtEnd.contains($0.access.location) }.map { store in
      (store.hold, store.access, emitter.addresses(store.access, rows, along: axis))
    }
    func memory(of place: Place) -> String {
      emitter.address(loop.holds[place.hold].memory.remembering(1), rows[place.row])
    }
    let begun = places.map { builder.broadcast(builder.loadScalar(memory(of: $0))) }
    let ended = builder.vectors(count: emitter.stretch.count, carrying: begun) { position, before in
      let values = rounds.map { body.compute($0, at: position) }
      var held = before
      for group in groups {
        let first = places[group[0]]
        let due = due(loop.holds[first.hold], body, values[first.row], at: position)
        let taken = group.map { body.operand(loop.holds[places[$0].hold].taken, values[places[$0].row]) }
        for (place, result) in zip(group, self.held(taken, where: due, after: group.map { before[$0] })) {
          held[place] = result
        }
      }
      for (hold, access, addresses) in stores {
        for (place, result) in zip(places, held) where place.hold == hold {
          emitter.store(result, access, addresses[place.row], at: position)
        }
      }
      return held.map(builder.lastLane)
    }
    emitter.atEndOfStretch {
      for (place, last) in zip(places, ended)
      where schedule.writtenAtEnd.contains(loop.holds[place.hold].memory.location) {
        builder.line("store float \(builder.extracted(last, 0)), ptr \(memory(of: place)), align 4")
      }
    }
  }

  // MARK: Where numbers are due

  /// Places by their numbers, those together that are due at the same frames.
  private func groups(of places: [Place], along axis: Int?) -> [[Int]] {
    var groups: [[Int]] = []
    for (number, place) in places.enumerated() {
      let hold = loop.holds[place.hold]
      let known = groups.firstIndex { group in
        let other = places[group[0]]
        return loop.holds[other.hold].isDue(like: hold)
          && (other.row == place.row || isSame(hold.condition, along: axis))
      }
      if let known { groups[known].append(number) } else { groups.append([number]) }
    }
    return groups
  }

  /// Whether a value is the same in all rows.
  private func isSame(_ value: ValueID, along axis: Int?) -> Bool {
    if emitter.plan.kernelGraph.uniform.contains(value) { return true }
    guard let axis, let access = loop.rest.loads[value] else {
      return !loop.rest.nodes.contains(emitter.graph[value].definition)
    }
    return access.index == nil && emitter.distance(access, along: axis) == 0
  }

  private func due(
    _ hold: HoldLoop.Hold, _ body: MapBody, _ values: [ValueID: Lanes], at position: StagePosition
  ) -> Lanes {
    let condition = body.operand(hold.condition, values)
    let due = builder.compare(hold.isInverted ? "oeq" : "une", condition, builder.constant(0))
    // What lies behind the end is not due: the last lane is then what is held behind the last frame.
    guard let mask = position.mask else { return due }
    return builder.binary("and", due, Lanes(names: [mask], element: .i1, width: builder.width))
  }

  // MARK: One vector

  /// The held value in each lane: the number taken last, else the one held before, which is in all lanes.
  private func held(_ taken: [Lanes], where due: Lanes, after before: [Lanes]) -> [Lanes] {
    let (width, bits) = (builder.width, due.type)
    let isAll = "llvm.vector.reduce.and.v\(width)i1"
    builder.declare("declare i1 @\(isAll)(\(bits))")
    let areAll = builder.define("call i1 @\(isAll)(\(bits) \(due[0]))")
    return builder.when(builder.define("xor i1 \(areAll), true"), carrying: taken) {
      var (held, due) = (taken, due)
      var distance = 1
      while distance < width {
        // What comes round from the end gets into lanes that are not due, and stays there.
        held = held.map { builder.select(due, $0, builder.rotated($0, by: distance)) }
        due = builder.binary("or", due, builder.later(due, by: distance))
        distance *= 2
      }
      return zip(held, before).map { builder.select(due, $0, $1) }
    }
  }
}

extension HoldLoop.Hold {
  /// Whether it takes its numbers at the same frames of the same row.
  fileprivate func isDue(like other: Self) -> Bool {
    condition == other.condition && isInverted == other.isInverted
  }
}
