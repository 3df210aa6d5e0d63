// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Loops over the positions of some inputs.
extension ONNXTranslator {
  /// Body: carried values, a position of each scanned input ─▶ carried values, rows of the scanned outputs. Below version 9
  /// all have a batch, here of one, in front.
  func scan(_ call: ONNXCall, _ scope: ONNXScope) throws(ONNXError) -> [ONNXValue]? {
    let scan = try Scan(call)
    // One of ours was a cycle along an axis, and is again, however short.
    let isAlong = scan.turns > (model.isOurs ? 1 : Self.mostTurns)
    let results = try isAlong ? along(scan, call, scope) : writtenOut(scan, call, scope)
    guard scan.isOld else { return results }
    return try results?.map { value throws(ONNXError) in try call.reshape(value, [1] + value.shape) }
  }

  private func along(
    _ scan: Scan, _ call: ONNXCall, _ scope: ONNXScope
  ) throws(ONNXError) -> [ONNXValue]? {
    guard let results = try results(of: scan.along(call), call, scope) else { return nil }
    return results.last
      + (try results.rows.indices.map { row throws(ONNXError) in
        try scan.placed(results.rows[row], row, call)
      })
  }

  private func writtenOut(
    _ scan: Scan, _ call: ONNXCall, _ scope: ONNXScope
  ) throws(ONNXError) -> [ONNXValue]? {
    var carried = scan.carried
    guard scan.turns > 0 || scan.outputAxes.isEmpty else {
      let given = carried + scan.noElements
      guard let rows = try noRows(of: scan.body, given, along: scan.outputAxes, scope) else { return nil }
      return carried + rows
    }
    var rows = [[ONNXValue]](repeating: [], count: scan.outputAxes.count)
    for turn in 0..<scan.turns {
      let elements = try scan.scanned.indices.map { row throws(ONNXError) in
        var node = call.node
        node.op = "Slice"
        let element = try call.line("element", scan.element(row, turn, call))
        return trace.follow([element], of: node, [scan.scanned[row]])[0]
      }
      guard let values = try outputs(of: scan.body, given: carried + elements, in: scope) else { return nil }
      carried = Array(values.prefix(carried.count))
      for (row, value) in values.dropFirst(carried.count).enumerated() {
        rows[row].insert(value, at: scan.outputsGoBack[row] ? 0 : rows[row].count)
      }
    }
    return carried
      + (try rows.indices.map { row throws(ONNXError) in
        try stacked(rows[row], axis: scan.outputAxes[row], call)
      })
  }
}

/// A node `Scan`, with what goes into it.
private struct Scan {
  let body: ONNXGraph
  let carried, scanned: [ONNXValue]
  /// The axes of the scanned inputs, and whether their last position is the first turn.
  let axes: [Int]
  let goBack: [Bool]
  let outputAxes: [Int]
  let outputsGoBack: [Bool]
  let turns: Int
  /// Whether all have a batch of one in front.
  let isOld: Bool

  init(_ call: ONNXCall) throws(ONNXError) {
    let attributes = call.attributes
    (body, isOld) = (try attributes.graph("body"), call.opset < 9)
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
    (carried, scanned) = (Array(given.dropLast(count)), Array(given.suffix(count)))
    let results = body.outputs.count - carried.count
    func list(_ name: String, _ count: Int) throws(ONNXError) -> [Int] {
      let list = try attributes.integers(name) ?? Array(repeating: 0, count: count)
      guard list.count == count else { throw ONNXError("the attribute '\(name)' has \(list.count) numbers") }
      return list
    }
    goBack = try list(isOld ? "directions" : "scan_input_directions", count).map { $0 != 0 }
    outputsGoBack = try list("scan_output_directions", results).map { $0 != 0 }
    outputAxes = try list("scan_output_axes", results)
    axes = try zip(scanned, try list("scan_input_axes", count)).map { value, axis throws(ONNXError) in
      try ONNXCall.axis(axis, rank: value.rank)
    }
    let turns = scanned[0].shape[axes[0]]
    guard zip(scanned, axes).allSatisfy({ $0.shape[$1] == turns }) else {
      throw ONNXError("its inputs have different numbers of positions")
    }
    self.turns = turns
  }

  /// The turns as positions of a first axis, which go the way of the first input.
  func along(_ call: ONNXCall) throws(ONNXError) -> ONNXTranslator.Turns {
    let fronts = try scanned.indices.map { row throws(ONNXError) in
      let order = [axes[row]] + scanned[row].shape.indices.filter { $0 != axes[row] }
      let front = try call.transpose(scanned[row], order)
      return goBack[row] == goBack[0] ? front : try call.reversed(front)
    }
    return .init(body: body, count: turns, carried: carried, scanned: fronts, isBackward: goBack[0])
  }

  /// An output in all turns, with the axis of turns where it belongs.
  func placed(_ rows: ONNXValue, _ output: Int, _ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let rows = outputsGoBack[output] == goBack[0] ? rows : try call.reversed(rows)
    var order = Array(1..<rows.rank)
    order.insert(0, at: try ONNXCall.axis(outputAxes[output], rank: rows.rank))
    return try call.transpose(rows, order)
  }

  /// Zeros in the place of a turn's own parts, where there is no turn.
  var noElements: [ONNXValue] {
    scanned.indices.map { row in
      var shape = scanned[row].shape
      shape.remove(at: axes[row])
      return ONNXValue(ONNXConstant(scanned[row].element, shape, zeros: shape.reduce(1, *)))
    }
  }

  /// A turn's own part of a scanned input.
  func element(_ row: Int, _ turn: Int, _ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let (value, axis) = (scanned[row], axes[row])
    var shape = value.shape
    shape.remove(at: axis)
    let place = goBack[row] ? turns - 1 - turn : turn
    return try call.reshape(try call.slice(value, axis: axis, start: place, count: 1), shape)
  }
}

extension ONNXCall {
  /// The positions of the first axis from the last one on.
  fileprivate func reversed(_ x: ONNXValue) throws(ONNXError) -> ONNXValue {
    try take(x, axis: 0, (0..<x.shape[0]).reversed())
  }
}
