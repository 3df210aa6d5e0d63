// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// What people call a value: a port, a parameter, weights, or what an author named; nil where it has no name.
  package func name(of value: ValueID) -> String? {
    switch definition(of: value).op {
    case .input(let index): inputs[index].name
    case .parameter(let index): parameters[index].name
    case .weights(let id): self[id].name
    case .literal: nil
    case .unary, .binary, .select, .fma, .slice, .concatenate, .reshape, .transpose, .pad, .broadcast,
      .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise:
      origins.names[value]
    }
  }

  /// The name of the first value with one that a value goes into, the value itself included; nil where there is none.
  ///
  /// - Parameter meet: sees all that read a value before their own users are looked at, round by round.
  package func nameReached(from value: ValueID, meeting meet: ([Node]) -> Void = { _ in }) -> String? {
    if let name = name(of: value) { return name }
    var (met, reached) = (Set([value]), [value])
    while !reached.isEmpty {
      let users = nodes.filter { node in node.operands.contains { reached.contains($0) } }
      meet(users)
      for user in users { if let name = name(of: user.result) { return name } }
      reached = users.map(\.result).filter { met.insert($0).inserted }
    }
    return nil
  }
}
