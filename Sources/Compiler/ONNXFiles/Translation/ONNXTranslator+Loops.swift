// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Loops whose number of turns is known, written out.
extension ONNXTranslator {
  /// A loop that is known to turn so often, written out.
  ///
  /// Body: iteration, condition, carried values ─▶ condition, carried values, rows of the scanned outputs.
  func loop(_ call: ONNXCall, _ scope: ONNXScope) throws(ONNXError) -> [ONNXValue]? {
    let body = try call.attributes.graph("body")
    let turns = call.has(0) ? try call.constant(0, "the number of turns").single : nil
    var isTrue = call.has(1) ? try call.constant(1, "the condition").single != 0 : true
    var carried = call.operands.dropFirst(2).compactMap(\.self)
    guard carried.count == max(0, call.operands.count - 2), body.inputs.count == carried.count + 2 else {
      throw ONNXError("the body takes \(body.inputs.count) values, and \(carried.count + 2) go in")
    }
    let scanned = body.outputs.count - carried.count - 1
    guard scanned >= 0 else { throw ONNXError("the body has too few outputs") }
    var rows = [[ONNXValue]](repeating: [], count: scanned)
    var turn = 0
    while isTrue, turns.map({ Double(turn) < $0 }) ?? true {
      try checkTurns(turn + 1)
      let given = [
        ONNXValue(ONNXConstant(.int64, [], .integers([Int64(turn)]))),
        ONNXValue(ONNXConstant(.bool, [], .integers([1]))),
      ]
      guard let results = try outputs(of: body, given: given + carried, in: scope) else { return nil }
      guard let condition = results[0].constant?.single else {
        throw ONNXError("whether it goes on is computed when the model runs; it must be a constant")
      }
      isTrue = condition != 0
      carried = Array(results[1..<1 + carried.count])
      for (row, value) in results.dropFirst(1 + carried.count).enumerated() { rows[row].append(value) }
      turn += 1
    }
    return carried
      + (try rows.map { parts throws(ONNXError) in try stacked(parts, axis: 0, call) })
  }

  private func checkTurns(_ count: Int) throws(ONNXError) {
    let most = 64
    guard count <= most else {
      throw ONNXError("it turns more than \(most) times; longer loops are not written out")
    }
  }

  /// Values of one shape along an axis that is added.
  private func stacked(_ parts: [ONNXValue], axis: Int, _ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let axis = try ONNXCall.axis(axis, rank: (parts.first?.rank ?? 0) + 1)
    let parts = try parts.map { part throws(ONNXError) in
      var shape = part.shape
      shape.insert(1, at: axis)
      return try call.reshape(part, shape)
    }
    return try call.concatenate(parts, axis: axis)
  }

  /// A loop over the positions of some inputs, written out.
  ///
  /// Body: carried values, a position of each scanned input ─▶ carried values, rows of the scanned outputs. Below version 9
  /// all have a batch, here of one, in front.
  func scan(_ call: ONNXCall, _ scope: ONNXScope) throws(ONNXError) -> [ONNXValue]? {
    let (body, attributes) = (try call.attributes.graph("body"), call.attributes)
    let isOld = call.opset < 9
    var given = try call.operands.indices.dropFirst(isOld ? 1 : 0).map { index throws(ONNXError) in
      try call.operand(index)
    }
    if isOld {
      guard !call.has(0), given.allSatisfy({ $0.shape.first == 1 }) else {
        throw ONNXError("batches of several sequences are known from version 9 on")
      }
      given = try given.map { value throws(ONNXError) in
        try call.reshape(value, Array(value.shape.dropFirst()))
      }
    }
    let count = try attributes.integer("num_scan_inputs", 0)
    guard (1...max(given.count, 1)).contains(count), body.inputs.count == given.count,
      body.outputs.count >= given.count - count
    else { throw ONNXError("the body takes \(body.inputs.count) values, and \(given.count) go in") }
    var carried = Array(given.dropLast(count))
    let scanned = Array(given.suffix(count))
    let results = body.outputs.count - carried.count
    func list(_ name: String, _ count: Int) throws(ONNXError) -> [Int] {
      let list = try attributes.integers(name) ?? Array(repeating: 0, count: count)
      guard list.count == count else { throw ONNXError("the attribute '\(name)' has \(list.count) numbers") }
      return list
    }
    let directions = try list(isOld ? "directions" : "scan_input_directions", count)
    let (outputDirections, outputAxes) = (
      try list("scan_output_directions", results), try list("scan_output_axes", results)
    )
    let axes = try zip(scanned, try list("scan_input_axes", count)).map { value, axis throws(ONNXError) in
      try ONNXCall.axis(axis, rank: value.rank)
    }
    let turns = scanned[0].shape[axes[0]]
    guard zip(scanned, axes).allSatisfy({ $0.shape[$1] == turns }) else {
      throw ONNXError("its inputs have different numbers of positions")
    }
    try checkTurns(turns)
    var rows = [[ONNXValue]](repeating: [], count: results)
    for turn in 0..<turns {
      let elements = try scanned.indices.map { row throws(ONNXError) in
        let (value, axis) = (scanned[row], axes[row])
        let place = directions[row] == 0 ? turn : turns - 1 - turn
        var shape = value.shape
        shape.remove(at: axis)
        return try call.reshape(try call.slice(value, axis: axis, start: place, count: 1), shape)
      }
      let settled = try elements.map { value throws(ONNXError) in try call.line("element", value) }
      guard let values = try outputs(of: body, given: carried + settled, in: scope) else { return nil }
      carried = Array(values.prefix(carried.count))
      for (row, value) in values.dropFirst(carried.count).enumerated() {
        if outputDirections[row] == 0 { rows[row].append(value) } else { rows[row].insert(value, at: 0) }
      }
    }
    let all =
      carried
      + (try rows.indices.map { row throws(ONNXError) in try stacked(rows[row], axis: outputAxes[row], call) })
    return isOld
      ? try all.map { value throws(ONNXError) in try call.reshape(value, [1] + value.shape) } : all
  }
}
