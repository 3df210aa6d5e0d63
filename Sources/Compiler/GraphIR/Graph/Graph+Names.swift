// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// The name of a value: of a port, a parameter or weights, or what an author gave it; nil where it has none.
  package func name(of value: ValueID) -> String? {
    switch definition(of: value).op.given {
    case .input(let index): inputs[index].name
    case .parameter(let index): parameters[index].name
    case .weights(let id): self[id].name
    case .literal: nil
    case nil: origins.names[value]
    }
  }

  /// For each value its name, or that of the nearest one with a name that it goes into.
  ///
  ///     y = delay(0.5 * x, 3) + z        0.5 * x and delay(0.5 * x, 3) go into 'y'
  ///
  /// It is found from the names down to the operands, round by round, so that it takes no longer than the graph is
  /// large.
  package var namesReached: [ValueID: String] {
    var names = origins.names
    var round = names.keys.sorted()
    while !round.isEmpty {
      var next: [ValueID] = []
      for value in round {
        for operand in definition(of: value).operands where names[operand] == nil {
          names[operand] = names[value]
          next.append(operand)
        }
      }
      round = next
    }
    return names
  }

  /// The positions of parameters on which no output depends.
  ///
  ///     parameter drive, tone
  ///     bright = x * tone
  ///     y = x * drive            tone: what reads it is not read
  ///     output y = y
  package var idleParameters: [Int] {
    let read = Set(
      canonical().nodes.compactMap { node -> Int? in
        guard case .parameter(let index) = node.op.given else { return nil }
        return index
      })
    return parameters.indices.filter { !read.contains($0) }
  }
}
