// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension ONNXTranslator {
  /// A function of the file, put in the place of the node that uses it.
  func inline(
    _ function: ONNXFunction, _ name: ONNXFunction.Name, _ node: ONNXNode, _ operands: [ONNXValue?],
    _ scope: ONNXScope
  ) throws(ONNXError) -> [ONNXValue]? {
    guard !scope.functions.contains(name) else { throw ONNXError("a function cannot use itself") }
    let arguments = function.defaults.merging(node.attributes) { $1 }
    let inner = ONNXScope(function: name, function.opsets, arguments, usedIn: scope)
    try checkDepth(inner)
    for (row, input) in function.inputs.enumerated() where operands.indices.contains(row) {
      if let value = operands[row] { inner[input] = .value(value) }
    }
    // Parameters that are left out are left out of nodes, too.
    let absent = Set(function.inputs).filter { !inner.defines($0) }
    for var node in function.nodes {
      node.inputs = node.inputs.map { absent.contains($0) ? "" : $0 }
      translate(node, inner)
    }
    return try values(function.outputs, in: inner)
  }

  private func checkDepth(_ scope: ONNXScope) throws(ONNXError) {
    guard scope.depth <= ONNXScope.mostLevels else {
      throw ONNXError("graphs and functions nest deeper than \(ONNXScope.mostLevels) levels")
    }
  }

  private func values(_ names: [String], in scope: ONNXScope) throws(ONNXError) -> [ONNXValue]? {
    var values: [ONNXValue] = []
    for name in names {
      guard let value = try value(name, in: scope) else { return nil }
      values.append(value)
    }
    return values
  }

  func control(_ call: ONNXCall, _ scope: ONNXScope) throws(ONNXError) -> [ONNXValue]? {
    if call.node.op == "If" {
      let condition = try call.constant(0, "the condition").single ?? 0
      let branch = try call.attributes.graph(condition != 0 ? "then_branch" : "else_branch")
      return try outputs(of: branch, given: [], in: scope)
    }
    return try loop(call, scope)
  }

  /// What comes out of a graph within a graph for given values.
  private func outputs(
    of graph: ONNXGraph, given: [ONNXValue], in scope: ONNXScope
  ) throws(ONNXError) -> [ONNXValue]? {
    let inner = ONNXScope(within: scope)
    try checkDepth(inner)
    for (port, value) in zip(graph.inputs, given) { inner[port.name] = .value(value) }
    translate(graph, inner)
    return try values(graph.outputs.map(\.name), in: inner)
  }

  /// A loop that is known to turn so often, written out.
  ///
  /// Body: iteration, condition, carried values ─▶ condition, carried values, rows of the scanned outputs.
  private func loop(_ call: ONNXCall, _ scope: ONNXScope) throws(ONNXError) -> [ONNXValue]? {
    let body = try call.attributes.graph("body")
    let most = 64
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
      guard turn < most else {
        throw ONNXError("it turns more than \(most) times; longer loops are not written out")
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
    let stacks = try rows.map { parts throws(ONNXError) in
      let parts = try parts.map { part throws(ONNXError) in try call.reshape(part, [1] + part.shape) }
      return try call.concatenate(parts, axis: 0)
    }
    return carried + stacks
  }
}
