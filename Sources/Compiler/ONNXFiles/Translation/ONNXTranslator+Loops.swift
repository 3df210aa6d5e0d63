// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Loops whose number of turns is known: along an axis where their turns are positions of one, else written out.
extension ONNXTranslator {
  /// A loop that is known to turn so often.
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
    if isTrue, let turns, (2...Double(Limits.extent)).contains(turns),
      let all = try along(Int(turns), body, Array(carried), call, scope)
    {
      return all
    }
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

  /// A loop along an axis; nil where it goes on only as long as something is true, or has to be written out.
  private func along(
    _ turns: Int, _ body: ONNXGraph, _ carried: [ONNXValue], _ call: ONNXCall, _ scope: ONNXScope
  ) throws(ONNXError) -> [ONNXValue]? {
    let all = try along(turns) { () throws(ONNXError) -> TurnResults? in
      let goesOn = ONNXValue(ONNXConstant(.bool, [], .integers([1])))
      var numbers = try call.positions(turns, axis: 0, rank: 1)
      numbers.element = .int64
      return try self.all(
        Turns(body: body, count: turns, carried: carried, scanned: [numbers]), call, scope, leading: 1
      ) { $1 + [goesOn] + $0 }
    }
    guard let all, let condition = all.first[0].constant?.single, condition != 0 else { return nil }
    return all.last + all.rows
  }

  /// Computes turns along an axis; nil where that cannot be, and they are few enough to be written out.
  func along(
    _ turns: Int, _ compute: () throws(ONNXError) -> TurnResults?
  ) throws(ONNXError) -> TurnResults? {
    turns <= Self.mostTurns ? attempt(compute) : try compute()
  }

  private static let mostTurns = 64

  func checkTurns(_ count: Int) throws(ONNXError) {
    guard count <= Self.mostTurns else {
      throw ONNXError("it turns more than \(Self.mostTurns) times; longer loops are not written out")
    }
  }

  /// Values of one shape along an axis that is added.
  func stacked(_ parts: [ONNXValue], axis: Int, _ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let axis = try ONNXCall.axis(axis, rank: (parts.first?.rank ?? 0) + 1)
    let parts = try parts.map { part throws(ONNXError) in
      var shape = part.shape
      shape.insert(1, at: axis)
      return try call.reshape(part, shape)
    }
    return try call.concatenate(parts, axis: axis)
  }
}
