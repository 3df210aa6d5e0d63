// SPDX-License-Identifier: Apache-2.0

/// Lines vertices up in blocks, each vertex with the middle one of its neighbours, and packs the blocks.
///
///     a   b               ┃a┃ ┃b┃
///     │ ╲ │               ┃ ┃╲┃ ┃
///     c   d      →        ┃c┃ ┃d┃         a block moves as one; its edges are straight
///     │ ╱                 ┃ ┃╱
///     e                   ┃e┃
///
/// Where the number of neighbours is even, mirroring decides which of the two middle ones it is.
struct AlignedBlocks {
  /// The middle of each vertex.
  private(set) var x: [Double]
  private(set) var work = 0

  private struct Neighbour {
    let vertex: Int
    /// How far right of the neighbour's middle this vertex' middle stands where their edge is straight.
    let shift: Double
    let weight: Double
  }

  /// The first vertex of each vertex' block, and how far right of it the vertex stands.
  private var root: [Int]
  private var offset: [Double]

  init(
    _ layering: ProperLayering, _ ordered: [[Int]], _ conflicts: Conflicts, leadsUp: Bool, isMirrored: Bool
  ) {
    let vertices = layering.vertices
    let sign = isMirrored ? -1.0 : 1
    var rows = isMirrored ? ordered.map { $0.reversed() } : ordered
    if leadsUp { rows.reverse() }
    var neighbours: [[Neighbour]] = vertices.map { _ in [] }
    for segment in layering.segments {
      let shift = sign * (segment.upperPort - (segment.lowerPort ?? 0))
      if leadsUp {
        neighbours[segment.upper].append(
          Neighbour(vertex: segment.lower, shift: -shift, weight: segment.weight))
      } else {
        neighbours[segment.lower].append(
          Neighbour(vertex: segment.upper, shift: shift, weight: segment.weight))
      }
    }
    root = Array(vertices.indices)
    offset = vertices.map { _ in 0 }
    x = offset
    align(rows, neighbours, conflicts)
    pack(rows, layering)
    if isMirrored { x = x.map { -$0 } }
    work += vertices.count + layering.segments.count
  }

  private mutating func align(_ rows: [[Int]], _ neighbours: [[Neighbour]], _ conflicts: Conflicts) {
    var position = root
    for row in rows { for (index, vertex) in row.enumerated() { position[vertex] = index } }
    for row in rows {
      var last = -1
      for vertex in row {
        let heaviest = neighbours[vertex].map(\.weight).max() ?? 0
        let all = neighbours[vertex].filter { $0.weight == heaviest }
          .sorted { position[$0.vertex] < position[$1.vertex] }
        guard !all.isEmpty else { continue }
        for middle in Set([(all.count - 1) / 2, all.count / 2]).sorted() where root[vertex] == vertex {
          let neighbour = all[middle]
          guard last < position[neighbour.vertex], !conflicts.contains(vertex, neighbour.vertex) else {
            continue
          }
          root[vertex] = root[neighbour.vertex]
          offset[vertex] = offset[neighbour.vertex] + neighbour.shift
          last = position[neighbour.vertex]
        }
      }
    }
  }

  /// Moves all blocks as far left as they go, then right again up to their right neighbours.
  private mutating func pack(_ rows: [[Int]], _ layering: ProperLayering) {
    let vertices = layering.vertices
    struct Room {
      let left, right: Int
      let distance: Double
    }
    var toLeft: [[Room]] = vertices.map { _ in [] }
    var toRight = toLeft
    var waiting = vertices.map { _ in 0 }
    for row in rows {
      for (left, right) in zip(row, row.dropFirst()) {
        let distance = layering.room(left, right) + offset[left] - offset[right]
        let room = Room(left: root[left], right: root[right], distance: distance)
        toRight[room.left].append(room)
        toLeft[room.right].append(room)
        waiting[room.right] += 1
      }
    }
    var order = vertices.indices.filter { root[$0] == $0 && waiting[$0] == 0 }
    var next = 0
    var place = vertices.map { _ in 0.0 }
    while next < order.count {
      let block = order[next]
      next += 1
      if let leftmost = toLeft[block].map({ place[$0.left] + $0.distance }).max() { place[block] = leftmost }
      for room in toRight[block] {
        waiting[room.right] -= 1
        if waiting[room.right] == 0 { order.append(room.right) }
      }
    }
    for block in order.reversed() {
      guard let rightmost = toRight[block].map({ place[$0.right] - $0.distance }).min() else { continue }
      place[block] = max(place[block], rightmost)
    }
    for vertex in vertices.indices { x[vertex] = place[root[vertex]] + offset[vertex] }
  }
}
