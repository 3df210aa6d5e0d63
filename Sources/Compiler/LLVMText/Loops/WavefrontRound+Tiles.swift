// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// Tiles of as many moments as there are lanes, with vectors along the frames in memory and along the rows between.
///
///     memory            registers                        memory
///     x0: f0 f1 f2 …    f0: x0 x1 x2 …  →  y0 y1 y2 …    y0: f0 f1 f2 …
///     x1: f0 f1 f2 …    f1: x0 x1 x2 …  →  y0 y1 y2 …    y1: f0 f1 f2 …
extension WavefrontRound {
  /// Emits a tile and returns the values carried to the next one.
  ///
  /// - Parameters:
  ///   - frame: The first of its frames.
  ///   - numbers: Gives what is time-varying, for each moment.
  func tile(
    _ carried: [Lanes], at frame: String, numbers: (_ moment: Int) -> [Int: Lanes]
  ) -> [Lanes] {
    let (width, position) = (builder.width, StagePosition(index: frame, vectors: 1, mask: nil))
    let nothing = Lanes(names: ["zeroinitializer"], element: .float, width: width)
    var columns: [Int: [Lanes]] = [:]
    for (step, places) in sources.sorted(by: { $0.key < $1.key }) {
      let rows = places[0, default: []].map { builder.load($0, at: position) }
      columns[step] = builder.transposed(rows + [Lanes](repeating: nothing, count: width - rows.count))
    }
    var carried = carried
    var given = front.stores.map { _ in [Lanes]() }
    for moment in 0..<width {
      let numbers = numbers(moment)
      let values = compute(carried) { step, _ in
        guard let column = columns[step]?[moment] ?? numbers[step] else {
          preconditionFailure("a stream that was not read")
        }
        return column
      }
      for (index, store) in front.stores.enumerated() { given[index].append(values[store.step]) }
      carried = carry(carried, values)
    }
    for (store, (lanes, places)) in zip(front.stores, zip(given, targets)) {
      let rows = Array(zip(builder.transposed(lanes), places))
      for (row, place) in rows { builder.store(row, place, at: position) }
      emitter.repeating(store.access) { distance in
        for (row, place) in rows {
          builder.store(row, builder.address(place, floats: distance), at: position)
        }
      }
    }
    return carried
  }
}
