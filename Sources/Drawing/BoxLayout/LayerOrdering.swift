// SPDX-License-Identifier: Apache-2.0

/// Orders the vertices of each row so that few edges cross.
///
/// Sweeps go down and up in turn and sort each row by the barycentres of its neighbours in the row before (Sugiyama,
/// Tagawa and Toda 1981); after each pair of sweeps, neighbours change places where that saves crossings. The best
/// order that was seen is kept.
struct LayerOrdering {
  /// The vertices of each row, from left to right.
  private(set) var rows: [[Int]]
  private(set) var crossings: Int
  /// Vertices and segments that were looked at.
  private(set) var work = 0

  /// The other end of an edge, and where the edge meets both its vertices: from -0.5 at their left to 0.5.
  private struct End {
    var vertex: Int
    var port = 0.0
    var ownPort = 0.0
  }

  private let vertices: [ProperLayering.Vertex]
  private var above: [[End]]
  private var below: [[End]]
  private var position: [Int]

  private static let sweeps = 12
  /// Sweeps without a gain after which it is over.
  private static let patience = 4

  init(_ layering: ProperLayering) {
    vertices = layering.vertices
    above = vertices.map { _ in [] }
    below = above
    for segment in layering.segments {
      let upper = segment.upperPort / vertices[segment.upper].width
      let lower = (segment.lowerPort ?? 0) / vertices[segment.lower].width
      above[segment.lower].append(End(vertex: segment.upper, port: upper, ownPort: lower))
      below[segment.upper].append(End(vertex: segment.lower, port: lower, ownPort: upper))
    }
    rows = []
    crossings = 0
    position = vertices.map { _ in 0 }
    rows = initialRows(layering.layerCount)
    for row in rows { place(row) }

    crossings = countCrossings()
    var (best, idle) = (rows, 0)
    for _ in 0..<Self.sweeps where crossings > 0 && idle < Self.patience {
      for layer in rows.indices.dropFirst() { sort(layer, by: above) }
      for layer in rows.indices.dropLast().reversed() { sort(layer, by: below) }
      exchangeNeighbours()
      let count = countCrossings()
      idle += 1
      if count < crossings { (best, crossings, idle) = (rows, count, 0) }
    }
    rows = best
  }

  /// Rows in the order in which a walk down from the top finds their vertices: what belongs together is together.
  private mutating func initialRows(_ count: Int) -> [[Int]] {
    var rows = [[Int]](repeating: [], count: count)
    var seen = vertices.map { _ in false }
    let roots = vertices.indices.sorted { (vertices[$0].layer, $0) < (vertices[$1].layer, $1) }
    for root in roots where !seen[root] {
      var stack = [root]
      while let vertex = stack.popLast() {
        guard !seen[vertex] else { continue }
        seen[vertex] = true
        rows[vertices[vertex].layer].append(vertex)
        stack += below[vertex].reversed().map(\.vertex).filter { !seen[$0] }
      }
    }
    work += vertices.count
    return rows
  }

  /// The position of an end in its row.
  private func place(_ end: End) -> Double { Double(position[end.vertex]) + end.port }

  private mutating func place(_ row: [Int]) {
    for (index, vertex) in row.enumerated() { position[vertex] = index }
  }

  /// Sorts a row by the middles of the neighbours; who has none stays about where it is.
  private mutating func sort(_ layer: Int, by neighbours: [[End]]) {
    let row = rows[layer]
    var keys: [Int: Double] = [:]
    func share(_ end: End) -> Double {
      (place(end) + 0.5) / Double(rows[vertices[end.vertex].layer].count)
    }
    for vertex in row {
      let all = neighbours[vertex]
      work += 1 + all.count
      keys[vertex] =
        all.isEmpty ? share(End(vertex: vertex)) : all.reduce(0) { $0 + share($1) } / Double(all.count)
    }
    // A dummy at a turn belongs beside its partner.
    for vertex in row where neighbours[vertex].isEmpty {
      if let partner = vertices[vertex].partner { keys[vertex] = keys[partner]! + 1e-6 }
    }
    rows[layer] = row.enumerated().sorted { (keys[$0.element]!, $0.offset) < (keys[$1.element]!, $1.offset) }
      .map(\.element)
    place(rows[layer])
  }

  private mutating func exchangeNeighbours() {
    for layer in rows.indices {
      guard rows[layer].count > 1 else { continue }
      let sides = rows[layer].map { vertex in
        (above[vertex].map(place).sorted(), below[vertex].map(place).sorted())
      }
      var order = Array(rows[layer].indices)
      for index in 1..<order.count {
        let (a, b) = (sides[order[index - 1]], sides[order[index]])
        work += a.0.count + a.1.count + b.0.count + b.1.count
        let now = Self.crossings(a.0, b.0) + Self.crossings(a.1, b.1)
        guard now > 0 else { continue }
        if now > Self.crossings(b.0, a.0) + Self.crossings(b.1, a.1) { order.swapAt(index - 1, index) }
      }
      rows[layer] = order.map { rows[layer][$0] }
      place(rows[layer])
    }
  }

  /// Crossings of the edges of two neighbours whose other ends stand at these places, the first on the left.
  private static func crossings(_ left: [Double], _ right: [Double]) -> Int {
    var (count, smaller) = (0, 0)
    for place in left {
      while smaller < right.count, right[smaller] < place { smaller += 1 }
      count += smaller
    }
    return count
  }

  /// Pairs of edges that cross, counted with a tree of sums (Barth, Jünger and Mutzel 2002).
  private mutating func countCrossings() -> Int {
    var count = 0
    for row in rows.dropLast() {
      let edges = row.flatMap { upper in
        below[upper].map { (from: Double(position[upper]) + $0.ownPort, to: place($0)) }
      }.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
      work += edges.count
      let places = edges.map(\.to).sorted()
      // Ends at one place share its first rank: they do not cross.
      let ranks = Dictionary(zip(places, places.indices)) { first, _ in first }
      var sums = [Int](repeating: 0, count: edges.count + 1)
      for (index, edge) in edges.enumerated() {
        let rank = ranks[edge.to]!
        var (notRight, node) = (0, rank + 1)
        while node > 0 {
          notRight += sums[node]
          node &= node - 1
        }
        count += index - notRight
        node = rank + 1
        while node < sums.count {
          sums[node] += 1
          node += node & -node
        }
      }
    }
    return count
  }
}
