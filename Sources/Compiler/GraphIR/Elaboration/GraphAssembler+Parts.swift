// SPDX-License-Identifier: Apache-2.0

extension GraphAssembler {
  /// Inlines a graph, with values for its inputs; its parameters and names get a prefix.
  ///
  /// - Parameters:
  ///   - part: a graph in canonical order.
  ///   - weights: says which weights of this graph are those of the part, where they are there already.
  /// - Returns: the values of its outputs.
  package mutating func splice(
    _ part: Graph, inputs: [ValueID], prefix: String, weights known: [String: ValueID]
  ) throws(TypingError) -> [ValueID] {
    let parameters = part.parameters.map { declaration in
      var declaration = declaration
      declaration.name = prefix + declaration.name
      return parameter(declaration)
    }
    let weights = part.weights.map { array in
      known[array.name]
        ?? self.weights(Weights(name: prefix + array.name, shape: array.shape, values: array.values))
    }
    var values: [ValueID: ValueID] = [:]
    // Values that are used before they are defined, around cycles.
    var forwards: [ValueID: ValueID] = [:]
    for node in part.nodes {
      var operands: [ValueID] = []
      for operand in node.operands {
        if let value = values[operand] ?? forwards[operand] {
          operands.append(value)
        } else {
          forwards[operand] = forward(part[operand].type)
          operands.append(forwards[operand]!)
        }
      }
      let value: ValueID
      switch node.op.given {
      case .input(let port): value = inputs[port]
      case .parameter(let row): value = parameters[row]
      case .weights(let id): value = weights[Int(id.index)]
      case .literal(let number): value = literal(number)
      case nil:
        value = try apply(node.op, operands)
        if let function = part.origins.functions[node.result] { note([value], areOf: function) }
        if part.origins.warmed.contains(node.result) { warm(value) }
      }
      switch node.op.given {
      case .input, nil:
        if let name = part.origins.names[node.result] { self.name(value, prefix + name, at: nil) }
      case .parameter, .literal, .weights: break
      }
      values[node.result] = value
      if let forward = forwards[node.result] { bind(forward, to: value) }
    }
    return part.outputs.map { values[$0.value]! }
  }
}
