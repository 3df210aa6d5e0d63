// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// A few moments at once, with vectors along the frames in memory.
extension WavefrontRound {
  /// Emits some moments and returns the values carried to the one after them.
  ///
  /// - Parameter columns: Gives what each of them reads, for the steps that were transposed.
  func moments(
    _ count: Int, _ carried: [Lanes], from time: String, columns: (_ moment: Int) -> [Int: Lanes]
  ) -> [Lanes] {
    var carried = carried
    var given = targets.map { $0.map { _ in [String]() } }
    for moment in 0..<count {
      let now = emitter.add(time, moment)
      let values = values(carried, at: now, columns: columns(moment))
      for (index, store) in front.stores.enumerated() {
        for row in rows.indices { given[index][row].append(result(values[store.step], row)) }
      }
      carried = carry(carried, values, where: lanesWithin(at: now))
    }
    let width = builder.width
    builder.width = count
    let first = emitter.add(time, -front.beginning)
    let frames = builder.consecutive(from: builder.define("trunc i64 \(first) to i32"), vectors: 1)
    let end = builder.broadcast(builder.define("trunc i64 \(emitter.stretch.count) to i32"), .i32)
    let mask = builder.compare("ult", frames, end)
    for (rows, places) in zip(given, targets) {
      for (numbers, place) in zip(rows, places) {
        builder.store(
          builder.gathered(numbers), place, at: StagePosition(index: first, vectors: 1, mask: mask[0]))
      }
    }
    builder.width = width
    return carried
  }
}
