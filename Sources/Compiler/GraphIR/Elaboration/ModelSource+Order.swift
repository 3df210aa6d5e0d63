// SPDX-License-Identifier: Apache-2.0

extension ModelSource {
  /// Definitions that name each other around cycles, or one that is in none.
  struct Component {
    /// Their rows, each behind those that it names, except around cycles.
    var rows: [Int]
    var isCycle: Bool
  }

  /// The definitions, each component behind those whose values it names.
  ///
  /// - Parameter definitionRows: Where each name is defined.
  func components(_ definitionRows: [String: Int]) -> [Component] {
    let named = definitions.map { definition in
      definition.expression.names.compactMap { definitionRows[definition.scope.values + $0] }
    }
    var rank = [Int](repeating: 0, count: definitions.count)
    for (position, row) in Self.leaving(named).enumerated() { rank[row] = position }
    return strongComponents(count: definitions.count) { named[$0] }.map { rows in
      Component(
        rows: rows.sorted { rank[$0] < rank[$1] },
        isCycle: rows.count > 1 || named[rows[0]].contains(rows[0]))
    }
  }

  /// The definitions in the order in which a walk along names leaves them.
  private static func leaving(_ named: [[Int]]) -> [Int] {
    enum Progress { case waiting, begun, done }
    var progress = [Progress](repeating: .waiting, count: named.count)
    var order: [Int] = []
    for root in named.indices where progress[root] == .waiting {
      var stack = [root]
      while let row = stack.last {
        switch progress[row] {
        case .done:
          stack.removeLast()
        case .waiting:
          progress[row] = .begun
          stack += named[row].reversed().filter { progress[$0] == .waiting }
        case .begun:
          stack.removeLast()
          order.append(row)
          progress[row] = .done
        }
      }
    }
    return order
  }
}
