// SPDX-License-Identifier: Apache-2.0

internal import SVGDrawing

/// Puts each box into a row: below all that it depends on, as near to what it is for as that allows.
///
///     a   b              a
///      \  |              | b         b is used below a's user only: it comes down to where it is used
///       c |      →       c |
///        \|               \|
///         d                d
///
/// The rows come from longest paths. A row that is full hands what comes on to the next one.
package struct LayerAssignment {
  /// The row of each box, from the top.
  package private(set) var layers: [Int]
  package private(set) var count = 0
  /// Boxes and edges that were looked at.
  private(set) var work = 0

  /// Boxes of one row are no wider in all, unless one of them is.
  private static let fullWidth = 1600.0

  package init(_ graph: LayeredGraph) {
    let forward = graph.edges.filter { !$0.leadsBack }
    var below = [[Int]](repeating: [], count: graph.boxes.count)
    var above = below
    for edge in forward {
      below[edge.source].append(edge.target)
      above[edge.target].append(edge.source)
    }
    layers = graph.boxes.map { _ in 0 }
    var widths: [Double] = [0]
    func takes(_ layer: Int, _ box: Int) -> Bool {
      layer >= widths.count || widths[layer] == 0
        || widths[layer] + graph.boxes[box].size.width <= Self.fullWidth
    }
    func add(_ width: Double, to layer: Int) {
      while widths.count <= layer { widths.append(0) }
      widths[layer] += width
    }
    let order = Self.topologicalOrder(below, above)
    work = order.count + forward.count
    for box in order where graph.boxes[box].row != .last {
      var layer = (above[box].map { layers[$0] }.max() ?? -1) + 1
      if graph.boxes[box].row == .any { while !takes(layer, box) { layer += 1 } }
      layers[box] = layer
      add(graph.boxes[box].size.width, to: layer)
    }
    let free = graph.boxes.indices.filter { graph.boxes[$0].row != .last }
    let end = (free.map { layers[$0] }.max() ?? -1) + 1
    for box in graph.boxes.indices where graph.boxes[box].row == .last { layers[box] = end }

    for box in order.reversed() where graph.boxes[box].row == .any {
      guard let nearest = below[box].map({ layers[$0] }).min(), nearest - 1 > layers[box] else { continue }
      guard above[box].count < below[box].count || above[box].isEmpty, takes(nearest - 1, box) else {
        continue
      }
      add(-graph.boxes[box].size.width, to: layers[box])
      layers[box] = nearest - 1
      add(graph.boxes[box].size.width, to: nearest - 1)
    }
    // Rows that everything has left go.
    let used = Set(layers).sorted()
    let rank = Dictionary(uniqueKeysWithValues: zip(used, 0...))
    layers = layers.map { rank[$0]! }
    count = used.count
  }

  /// Each box after those above it (Kahn 1962).
  private static func topologicalOrder(_ below: [[Int]], _ above: [[Int]]) -> [Int] {
    var waiting = above.map(\.count)
    var order = waiting.indices.filter { waiting[$0] == 0 }
    var next = 0
    while next < order.count {
      for target in below[order[next]] {
        waiting[target] -= 1
        if waiting[target] == 0 { order.append(target) }
      }
      next += 1
    }
    precondition(order.count == below.count, "edges that are said to lead downwards form a cycle")
    return order
  }
}
