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
    return try call.node.op == "Scan" ? scan(call, scope) : loop(call, scope)
  }

  /// What comes out of a graph within a graph for given values.
  func outputs(
    of graph: ONNXGraph, given: [ONNXValue], in scope: ONNXScope
  ) throws(ONNXError) -> [ONNXValue]? {
    let inner = ONNXScope(within: scope)
    try checkDepth(inner)
    for (port, value) in zip(graph.inputs, given) { inner[port.name] = .value(value) }
    translate(graph, inner)
    return try values(graph.outputs.map(\.name), in: inner)
  }
}
