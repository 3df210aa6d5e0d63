// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// The graph in two, where a part of it depends on nothing that learns: that part, which needs to be computed once for
  /// each example, and the rest, which reads what comes out of it.
  ///
  ///     x ─▶ backbone ─▶ pool ─▶ head ─▶ scores
  ///     x ─▶ backbone ─▶ pool ─▶ features.0        features.0 ─▶ head ─▶ scores
  ///
  /// Of a stream both parts are streams, as late together as the whole is. Inputs that a part does not read are left out.
  ///
  /// - Parameter names: those of the weights and parameters that learn.
  /// - Returns: nil where all that would be saved is moving numbers, or one function of each.
  package func split(dependingOn names: Set<String>) -> (features: Graph, rest: Graph)? {
    let source = (clock == .stream ? aligned() : self).canonical()
    let (moves, varies) = (source.dependents(ofLearned: names), source.dependentsOfInputs())
    func isFeature(_ value: ValueID) -> Bool {
      let row = Int(value.index)
      return varies[row] && !moves[row] && !source.definition(of: value).op.isLeaf
    }
    let isWork =
      source.nodes.contains { node in
        guard isFeature(node.result) else { return false }
        return switch node.op.kind {
        case .layer, .contraction, .reduction: true
        case .given, .elementwise, .movement, .time, .source: false
        }
      }
      || source.components().contains { source.isCycle($0) && isFeature(source[$0[0]].result) }
    guard isWork else { return nil }
    let used =
      source.nodes.filter { moves[Int($0.result.index)] }.flatMap(\.operands) + source.outputs.map(\.value)
    var (features, rest) = (source, source)
    features.outputs = []
    for value in Set(used.filter(isFeature)).sorted(by: { $0.index < $1.index }) {
      let name = "features.\(features.outputs.count)"
      features.outputs.append(OutputPort(name: name, value: value))
      let node = source[value].definition
      rest[node].op = .input(rest.inputs.count)
      rest[node].operands = []
      rest.inputs.append(InputPort(name: name, type: source[value].type))
    }
    return (features.canonical().withoutIdleInputs(), rest.canonical().withoutIdleInputs())
  }

  /// The names of the outputs that depend on weights and parameters of some names.
  package func outputs(dependingOn names: Set<String>) -> [String] {
    let moves = dependents(ofLearned: names)
    return outputs.filter { moves[Int($0.value.index)] }.map(\.name)
  }

  /// Which values depend on weights and parameters of some names; by their rows.
  private func dependents(ofLearned names: Set<String>) -> [Bool] {
    let learned = nodes.filter { node in
      switch node.op.given {
      case .weights(let id): names.contains(self[id].name)
      case .parameter(let row): names.contains(parameters[row].name)
      case .input, .literal, nil: false
      }
    }
    return dependents(of: learned.map(\.result))
  }

  /// The graph without the inputs that no node reads.
  private func withoutIdleInputs() -> Graph {
    var result = self
    result.inputs = []
    var ports: [Int: Int] = [:]
    for (port, input) in inputs.enumerated() where nodes.contains(where: { $0.op == .input(port) }) {
      ports[port] = result.inputs.count
      result.inputs.append(input)
    }
    for node in result.nodeIDs {
      if case .input(let port) = result[node].op { result[node].op = .input(ports[port]!) }
    }
    return result
  }
}
