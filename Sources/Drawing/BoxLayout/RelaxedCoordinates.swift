// SPDX-License-Identifier: Apache-2.0

/// Finds places for vertices by small moves: each goes to the weighted median of its neighbours, as far as its row
/// has room.
///
/// Rows begin packed side by side and stay about as wide. Long edges are heavy: they become straight before short
/// ones do.
struct RelaxedCoordinates {
  /// The middle of each vertex.
  private(set) var x: [Double]
  /// Vertices and segments that were looked at.
  private(set) var work = 0

  private struct Neighbour {
    let vertex: Int
    /// How far right of the neighbour's middle this vertex' middle stands where their edge is straight.
    let shift: Double
    let weight: Double
  }

  private let rows: [[Int]]
  private let rooms: [[Double]]

  private static let oneSided = 6
  private static let twoSided = 12

  init(_ layering: ProperLayering, _ ordered: [[Int]]) {
    rows = ordered
    rooms = rows.map { row in zip(row, row.dropFirst()).map { layering.room($0, $1) } }
    x = layering.vertices.map { _ in 0 }
    var above: [[Neighbour]] = x.map { _ in [] }
    var below = above
    for segment in layering.segments {
      let isLong =
        layering.vertices[segment.upper].box == nil || layering.vertices[segment.lower].box == nil
      let weight = segment.weight * (isLong ? 4 : 1)
      let shift = segment.upperPort - (segment.lowerPort ?? 0)
      above[segment.lower].append(Neighbour(vertex: segment.upper, shift: shift, weight: weight))
      below[segment.upper].append(Neighbour(vertex: segment.lower, shift: -shift, weight: weight))
    }
    for (row, room) in zip(rows, rooms) {
      var place = -room.reduce(0, +) / 2
      for (index, vertex) in row.enumerated() {
        x[vertex] = place
        if index < room.count { place += room[index] }
      }
    }
    let both = zip(above, below).map { $0 + $1 }
    for _ in 0..<Self.oneSided {
      for layer in rows.indices { settle(layer, by: above) }
      for layer in rows.indices.reversed() { settle(layer, by: below) }
    }
    for _ in 0..<Self.twoSided {
      for layer in rows.indices { settle(layer, by: both) }
      for layer in rows.indices.reversed() { settle(layer, by: both) }
    }
  }

  private mutating func settle(_ layer: Int, by neighbours: [[Neighbour]]) {
    var wanted: [Double] = []
    var weights: [Double] = []
    for vertex in rows[layer] {
      let all = neighbours[vertex]
      work += 1 + all.count
      wanted.append(all.isEmpty ? x[vertex] : median(all, near: x[vertex]))
      weights.append(all.isEmpty ? 0.01 : all.reduce(0) { $0 + $1.weight })
    }
    let placed = Separation.place(wanted, weights: weights, room: rooms[layer])
    for (vertex, place) in zip(rows[layer], placed) { x[vertex] = place }
  }

  /// The weighted median; where a whole interval will do, its point nearest to the present place.
  private func median(_ neighbours: [Neighbour], near present: Double) -> Double {
    let places = neighbours.map { (x[$0.vertex] + $0.shift, $0.weight) }.sorted { $0.0 < $1.0 }
    let half = places.reduce(0) { $0 + $1.1 } / 2
    var sum = 0.0
    for (index, (place, weight)) in places.enumerated() {
      sum += weight
      if sum > half { return place }
      if sum == half { return min(max(present, place), places[min(index + 1, places.count - 1)].0) }
    }
    return present
  }
}
