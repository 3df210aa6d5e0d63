// SPDX-License-Identifier: Apache-2.0

/// The strongly connected components of a directed graph, each before those that lead to it (Tarjan 1972).
///
///     0 ─▶ 1 ⇄ 2        [1, 2], then [0]
///
/// Within a component the nodes stand in no particular order.
///
/// - Parameter successors: Where the edges of a node lead; each node is asked once.
package func strongComponents(count: Int, successors: (Int) -> [Int]) -> [[Int]] {
  var components: [[Int]] = []
  var index = [Int](repeating: -1, count: count)
  var low = index
  var onPath = [Bool](repeating: false, count: count)
  var path: [Int] = []
  var counter = 0
  var stack: [(node: Int, successors: [Int], next: Int)] = []
  func enter(_ node: Int) {
    (index[node], low[node]) = (counter, counter)
    counter += 1
    path.append(node)
    onPath[node] = true
    stack.append((node, successors(node), 0))
  }
  for root in 0..<count where index[root] < 0 {
    enter(root)
    while let (node, successors, next) = stack.last {
      if next < successors.count {
        stack[stack.count - 1].next += 1
        let successor = successors[next]
        if index[successor] < 0 {
          enter(successor)
        } else if onPath[successor] {
          low[node] = min(low[node], index[successor])
        }
        continue
      }
      stack.removeLast()
      if let (parent, _, _) = stack.last { low[parent] = min(low[parent], low[node]) }
      guard low[node] == index[node] else { continue }
      var component: [Int] = []
      while let member = path.popLast() {
        onPath[member] = false
        component.append(member)
        if member == node { break }
      }
      components.append(component)
    }
  }
  return components
}
