// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension ONNXOperator {
  /// Numbers written into x, at positions that are known.
  static func scatterElements(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (x, updates) = (try call.operand(0), try call.operand(2))
    let axis = try ONNXCall.axis(try call.attributes.integer("axis", 0), rank: x.rank)
    let index = try call.constant(1, "the index")
    guard updates.shape == index.shape else {
      throw ONNXError("\(updates.shape) numbers for an index of \(index.shape)")
    }
    let others = try call.elementPositions(of: x, index.shape, axis: axis)
    let along = try call.positions(index, within: x.shape[axis])
    let stride = x.shape.rowMajorStrides[axis]
    return try scattered(zip(others, along).map { $0 + $1 * stride }, updates, into: x, call)
  }

  static func scatterND(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (x, updates) = (try call.operand(0), try call.operand(2))
    let index = try call.constant(1, "the index")
    guard let depth = index.shape.last, (1...max(1, x.rank)).contains(depth), depth <= x.rank,
      updates.shape == Array(index.shape.dropLast()) + x.shape[depth...]
    else { throw ONNXError("\(updates.shape) numbers for an index of \(index.shape) do not fit \(x.shape)") }
    let strides = x.shape.rowMajorStrides
    let size = x.shape[depth...].reduce(1, *)
    let places = try call.coordinates(index, depth: depth, within: Array(x.shape[..<depth]))
    try call.source.take(places.count * size)
    let positions = places.flatMap { place in
      let begin = zip(place, strides).reduce(0) { $0 + $1.0 * $1.1 }
      return begin..<begin + size
    }
    return try scattered(positions, updates, into: x, call)
  }

  /// Each number of x, or of the updates the last one for its place:
  ///
  ///     x [a, b, c, d], updates [p, q] at 1 and 3     →     gather([a, b, c, d, p, q], [0, 4, 2, 5])
  ///
  /// With a reduction the updates are taken in rounds, of which each has at most one for a place.
  private static func scattered(
    _ positions: [Int], _ updates: ONNXValue, into x: ONNXValue, _ call: ONNXCall
  ) throws(ONNXError) -> ONNXValue {
    let reduction = try call.attributes.text("reduction", "none")
    let flat = try call.reshape(x, [x.count])
    let numbers = try call.reshape(updates, [updates.count])
    guard reduction != "none" else {
      var sources = Array(0..<x.count)
      for (row, position) in positions.enumerated() { sources[position] = x.count + row }
      let both = try call.concatenate([flat, numbers], axis: 0)
      return try call.reshape(try call.take(both, axis: 0, sources), x.shape)
    }
    let rows: [String: ONNXElementwise] = [
      "add": ONNXElementwise.all["Add"]!, "mul": ONNXElementwise.all["Mul"]!, "min": .minimum,
      "max": .maximum,
    ]
    guard let op = rows[reduction] else {
      throw call.unknown("reduction", reduction, ["none"] + rows.keys.sorted())
    }
    var rounds: [[Int: Int]] = []
    var times = [Int](repeating: 0, count: x.count)
    for (row, position) in positions.enumerated() {
      if times[position] == rounds.count { rounds.append([:]) }
      rounds[times[position]][position] = row
      times[position] += 1
    }
    guard rounds.count <= 64 else {
      throw ONNXError("\(rounds.count) numbers for one place; 64 are the most")
    }
    var result = flat
    for (turn, round) in rounds.enumerated() {
      let old = try call.line("turn\(turn + 1)", result)
      let list = round.sorted { $0.key < $1.key }
      let taken = try call.take(old, axis: 0, list.map(\.key))
      let given = try call.take(numbers, axis: 0, list.map(\.value))
      let changed = try op.apply([taken, given], call)
      var sources = Array(0..<x.count)
      for (row, entry) in list.enumerated() { sources[entry.key] = x.count + row }
      result = try call.take(try call.concatenate([old, changed], axis: 0), axis: 0, sources)
    }
    return try call.reshape(result, x.shape)
  }
}
