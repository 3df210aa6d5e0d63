// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// The results of all delays by a signal, in the order in which they are counted.
  package var taps: [ValueID] {
    nodes.compactMap { node in if case .tap = node.op { node.result } else { nil } }
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
