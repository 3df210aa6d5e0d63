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
    let (first, begin) = (carried, writer.lines.count)
    var rows = [[ONNXValue]](repeating: [], count: scanned)
    var turn = 0
    while isTrue, turns.map({ Double(turn) < $0 }) ?? true {
      guard turn < Self.mostTurns else {
        _ = writer.cut(from: begin)
        return try along(turns, body, Array(first), call, scope)
      }
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
    if turn == 0, scanned > 0 {
      let given = [
        ONNXValue(ONNXConstant(.int64, [], .integers([0]))),
        ONNXValue(ONNXConstant(.bool, [], .integers([1]))),
      ]
      let axes = Array(repeating: 0, count: scanned)
      guard let rows = try noRows(of: body, given + carried, along: axes, scope) else { return nil }
      return carried + rows
    }
    return carried
      + (try rows.map { parts throws(ONNXError) in try stacked(parts, axis: 0, call) })
  }

  /// The turns that are written out at most.
  static let mostTurns = 64

  /// A loop that goes on for longer, along an axis; nil where something in the body could not be made, which has been said.
  private func along(
    _ turns: Double?, _ body: ONNXGraph, _ carried: [ONNXValue], _ call: ONNXCall, _ scope: ONNXScope
  ) throws(ONNXError) -> [ONNXValue]? {
    guard let turns else {
      throw ONNXError("it turns more than \(Self.mostTurns) times, and no constant says how often")
    }
    guard turns <= Double(Limits.extent) else {
      throw ONNXError("it turns \(Int64(clamping: turns)) times; \(Limits.extent) are the most")
    }
    let goesOn = ONNXValue(ONNXConstant(.bool, [], .integers([1])))
    var numbers = try call.positions(Int(turns), axis: 0, rank: 1)
    numbers.element = .int64
    let all = Turns(body: body, count: Int(turns), carried: carried, scanned: [numbers])
    guard let results = try results(of: all, call, scope, leading: 1, order: { $1 + [goesOn] + $0 }) else {
      return nil
    }
    guard let condition = results.leading[0].constant?.single, condition != 0 else {
      throw ONNXError("whether it goes on is computed by the number of its turn, of which there are too many")
    }
    return results.last + results.rows
  }

  /// The rows of a loop that does not turn: arrays without numbers, of the shapes that its body says.
  ///
  /// - Parameter axes: where the axis of turns belongs, of each of the body's last outputs.
  func noRows(
    of body: ONNXGraph, _ given: [ONNXValue], along axes: [Int], _ scope: ONNXScope
  ) throws(ONNXError) -> [ONNXValue]? {
    let begin = writer.lines.count
    guard let values = try outputs(of: body, given: given, in: scope) else { return nil }
    _ = writer.cut(from: begin)
    return try zip(values.suffix(axes.count), axes).map { value, axis throws(ONNXError) in
      var shape = value.shape
      shape.insert(0, at: try ONNXCall.axis(axis, rank: shape.count + 1))
      return ONNXValue(ONNXConstant(value.element, shape, zeros: 0))
    }
  }

  /// Values of one shape along an axis that is added.
  func stacked(_ parts: [ONNXValue], axis: Int, _ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let axis = try ONNXCall.axis(axis, rank: (parts.first?.rank ?? 0) + 1)
    let slabs = try parts.map { part throws(ONNXError) in
      var shape = part.shape
      shape.insert(1, at: axis)
      return try call.reshape(part, shape)
    }
    var node = call.node
    node.op = "Concat"
    return trace.follow([try call.concatenate(slabs, axis: axis)], of: node, parts)[0]
  }
}
