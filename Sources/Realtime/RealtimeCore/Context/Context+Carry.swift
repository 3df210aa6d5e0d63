// SPDX-License-Identifier: Apache-2.0

/// A context that goes on where one of another program is: its position, the values that its parameters have and the
/// ways that they are on, and the past of all that has the same name and as many rows.
///
///     old      … ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓│░░░░│░░░░│          executes on
///     copied     ▓▓▓▓▓▓▓  ▓▓▓▓▓▓▓  ░░ ░░░              a bounded number of bytes for each block
///                1st      2nd      3rd    ▲ level: from here on the other one can execute
///
///     context.beginCarrying(from: old)
///     while !context.carry(from: old, most: bytes) { …the old one executes a block }
///     context.takeOver(from: old)
///
/// What is copied is as long as the shorter of two rings. Where that is not all that the program looks back on, the
/// oldest frames rise from silence; and what both contexts compute differently from then on is let rise, too, so that
/// no edge comes back later. A past that is shorter than what the old one executes between two parts is copied anew
/// with each of them: of the frames between nothing is left. A program that has warmed up holds what it has settled to in
/// what has no past. Where a number stands for ever, the position in the stream says what is remembered of it.
extension Context {
  /// Finds out what both contexts have in common. This one must not have executed anything.
  @_noLocks package mutating func beginCarrying(from old: borrowing Context) {
    let own = unsafe table.histories
    let others = unsafe old.table.histories
    var other = 0
    for index in own.indices {
      let key = unsafe own[index].key
      while other < others.count, unsafe others[other].key < key { other += 1 }
      var source = -1
      var candidate = other
      // In rows and in columns it is one past, of which the longer one counts.
      while candidate < others.count, unsafe others[candidate].key == key {
        if unsafe source < 0 || others[candidate].reach > others[source].reach { source = candidate }
        candidate += 1
      }
      unsafe own[index].source = own[index].constant == nil ? source : -1
      unsafe own[index].first = nil
    }
  }

  /// Copies what is left of the past; true where all of it is there that the old context has.
  ///
  /// - Parameters:
  ///   - bytes: the most that are copied; what is left of them is told.
  ///   - fade: frames in which a past that is too short rises from silence.
  @_noLocks package mutating func carry(
    from old: borrowing Context, most bytes: inout Int, fade: Int
  ) -> Bool {
    let own = unsafe table.histories
    let others = unsafe old.table.histories
    let now = old.position
    for index in own.indices {
      let source = unsafe own[index].source
      if let constant = unsafe own[index].constant {
        unsafe own[index].move(to: now)
        unsafe own[index].begin(at: now)
        let affordable = unsafe max(bytes, 0) / own[index].frameBytes
        let (cursor, end) = unsafe (own[index].cursor, min(now, own[index].cursor + Int64(affordable)))
        unsafe own[index].fill(from: cursor, to: end, with: constant)
        unsafe own[index].cursor = end
        bytes -= unsafe Int(end - cursor) * own[index].frameBytes
        if end < now { return false }
        continue
      }
      if unsafe wiring.initial != nil {
        let (before, count) = unsafe (own[index].settled, max(bytes, 0) / own[index].frameBytes)
        let isSettled = unsafe own[index].settle(count, silent: source >= 0)
        bytes -= unsafe (own[index].settled - before) * own[index].frameBytes
        if !isSettled { return false }
      }
      guard source >= 0 else { continue }
      let other = unsafe others[source].found(at: now)
      unsafe own[index].move(to: now)
      unsafe own[index].begin(from: other, at: now)
      let first = unsafe own[index].first ?? now
      let cursor = unsafe own[index].cursor
      let affordable = unsafe max(bytes, 0) / own[index].frameBytes
      let end = min(now, cursor + Int64(affordable))
      unsafe own[index].copy(from: cursor, to: end, of: other)
      // Before its beginning a stream was silent.
      if unsafe first > other.beginning && now - first < Int64(own[index].length) {
        unsafe own[index].rise(from: cursor, to: end, since: first, over: min(fade, Int(now - first)))
      }
      unsafe own[index].cursor = end
      bytes -= unsafe Int(end - cursor) * own[index].frameBytes
      if end < now { return false }
    }
    return true
  }

  /// Takes over the position and the parameters; what is executed next follows what the old context executed.
  @_noLocks package mutating func takeOver(from old: borrowing Context) {
    unsafe wiring.takeOver(from: old.wiring)
    let own = unsafe table.parameters
    let others = unsafe old.table.parameters
    var other = 0
    for index in own.indices {
      let key = unsafe own[index].key
      while other < others.count, unsafe others[other].key < key { other += 1 }
      let isSame = unsafe other < others.count && others[other].key == key
      unsafe wiring.takeOver(
        own[index].index, from: old.wiring, isSame ? others[other].index : -1)
    }
    unsafe wiring.findLanding()
    // Targets that were set for this context and are not the old one's are noticed at the next execute.
    noticeAllParameters()
  }

  /// Whether there is state of more than so many frames.
  @_noLocks package func hasPast(longerThan frames: Int) -> Bool {
    for index in unsafe table.histories.indices {
      if unsafe table.histories[index].canRise(longerThan: frames) { return true }
    }
    return false
  }

  /// Lets what was executed last rise from what the other context remembers of the same frames, or from silence, where
  /// it is remembered for longer than `frames`: it would come back with an edge.
  ///
  /// - Parameters:
  ///   - old: the other context, which was executed over the same frames.
  ///   - count: the frames that were executed last.
  ///   - beginning: the position at which this context took over.
  @_noLocks package func letPastRise(
    from old: borrowing Context, longerThan frames: Int, last count: Int, since beginning: Int64,
    over length: Int
  ) {
    let now = position
    let first = now - Int64(count)
    let others = unsafe old.table.histories
    for index in unsafe table.histories.indices {
      guard unsafe table.histories[index].canRise(longerThan: frames) else { continue }
      let own = unsafe table.histories[index].found(at: now)
      let source = unsafe own.source
      // A loop in registers does not have all of its last frames in memory.
      let isThere = unsafe source >= 0 && others[source].reach >= count
      if !isThere {
        unsafe own.rise(from: first, to: now, since: beginning, over: length, settled: wiring.initial != nil)
      } else {
        unsafe own.rise(
          from: first, to: now, of: others[source].found(at: now), since: beginning, over: length)
      }
    }
  }

  /// Bytes of the past that come with each frame.
  @_noLocks package func pastBytesPerFrame() -> Int {
    var bytes = 0
    for index in unsafe table.histories.indices { bytes += unsafe table.histories[index].frameBytes }
    return bytes
  }
}
