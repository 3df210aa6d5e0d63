// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// A graph of steps with weights and parameters as inputs of the same names and shapes, behind those that it has: what
  /// learns is given to each step.
  ///
  /// - Parameter names: those of the weights and parameters; the inputs stand in this order.
  /// - Throws: `TypingError` for a name that is neither.
  package func releasing(_ names: [String]) throws(TypingError) -> Graph {
    precondition(clock == .step, "an input of a stream has frames; bound(frames:) makes steps of one")
    var result = self
    var ports: [Op: Int] = [:]
    for name in names {
      let (given, type): (Op, TensorType)
      if let row = weights.firstIndex(where: { $0.name == name }) {
        (given, type) = (.weights(WeightsID(row)), TensorType(Shape(weights[row].shape)))
      } else if let row = parameters.firstIndex(where: { $0.name == name }) {
        (given, type) = (.parameter(row), TensorType(.scalar))
      } else {
        throw TypingError("\(quoted(name)) is neither weights nor a parameter, and cannot learn")
      }
      ports[given] = result.inputs.count
      result.inputs.append(InputPort(name: name, type: type))
    }
    let kept = parameters.indices.filter { ports[.parameter($0)] == nil }
    result.parameters = kept.map { parameters[$0] }
    for node in result.nodes.indices {
      let op = result.nodes[node].op
      if let port = ports[op] {
        result.nodes[node].op = .input(port)
      } else if case .parameter(let row) = op.given {
        result.nodes[node].op = .parameter(kept.firstIndex(of: row)!)
      }
    }
    result.origins.parameters = [:]
    return result.canonical()
  }
}
