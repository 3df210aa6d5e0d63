// SPDX-License-Identifier: Apache-2.0

/// Finds how far right each vertex stands: in the order of its row, with edges as straight as there is room for.
///
///     aligned downwards, to the left     downwards, to the right     upwards, to the left     upwards, to the right
///                └────────────────────────────┴───────┬──────────────────────┴───────────────────────┘
///                                       the mean of the two middle ones
///
/// After Brandes and Köpf (2001): in each of four ways vertices line up in straight blocks, and blocks move together.
/// Each way keeps the room between neighbours, and so does the mean of the middle two. Where many long edges cross,
/// their straight blocks push each other far apart: what would become too wide is relaxed instead.
struct LayerCoordinates {
  /// The middle of each vertex.
  let x: [Double]
  /// Vertices and segments that were looked at.
  let work: Int

  init(_ layering: ProperLayering, _ ordering: LayerOrdering) {
    let conflicts = Conflicts(layering, ordering.rows)
    var work = 2 * layering.segments.count
    var ways: [[Double]] = []
    for leadsUp in [false, true] {
      for isMirrored in [false, true] {
        let blocks = AlignedBlocks(
          layering, ordering.rows, conflicts, leadsUp: leadsUp, isMirrored: isMirrored)
        ways.append(blocks.x)
        work += blocks.work
      }
    }
    let straight = Self.mean(of: ways, layering)
    if Self.width(of: straight, layering) <= Self.widening * Self.widestRow(layering, ordering.rows) {
      x = straight
    } else {
      let relaxed = RelaxedCoordinates(layering, ordering.rows)
      x = relaxed.x
      work += relaxed.work
    }
    self.work = work
  }

  /// How much wider than its widest row a drawing may be for the sake of straight edges.
  private static let widening = 1.4

  private static func widestRow(_ layering: ProperLayering, _ rows: [[Int]]) -> Double {
    rows.map { row in
      guard let first = row.first, let last = row.last else { return 0 }
      let ends = (layering.vertices[first].width + layering.vertices[last].width) / 2
      return zip(row, row.dropFirst()).reduce(ends) { $0 + layering.room($1.0, $1.1) }
    }.max() ?? 0
  }

  /// How far vertices reach to both sides.
  private static func borders(of x: [Double], _ layering: ProperLayering) -> (left: Double, right: Double) {
    let vertices = layering.vertices
    let left = vertices.indices.map { x[$0] - vertices[$0].width / 2 }.min() ?? 0
    let right = vertices.indices.map { x[$0] + vertices[$0].width / 2 }.max() ?? 0
    return (left, right)
  }

  private static func width(of x: [Double], _ layering: ProperLayering) -> Double {
    let (left, right) = borders(of: x, layering)
    return right - left
  }

  /// Brings the ways side by side with the narrowest, each at the border that it was packed to.
  private static func mean(of ways: [[Double]], _ layering: ProperLayering) -> [Double] {
    let borders = ways.map { Self.borders(of: $0, layering) }
    let narrowest = borders.min { $0.right - $0.left < $1.right - $1.left } ?? (0, 0)
    let shifts = borders.enumerated().map { index, border in
      index % 2 == 0 ? narrowest.left - border.left : narrowest.right - border.right
    }
    return layering.vertices.indices.map { vertex in
      let sorted = ways.indices.map { ways[$0][vertex] + shifts[$0] }.sorted()
      return (sorted[1] + sorted[2]) / 2
    }
  }
}

/// Segments that must not be straight because a straight one crosses them: a part of a long edge goes first.
struct Conflicts {
  private var pairs: Set<[Int]> = []

  func contains(_ a: Int, _ b: Int) -> Bool { pairs.contains([min(a, b), max(a, b)]) }

  init(_ layering: ProperLayering, _ rows: [[Int]]) {
    let vertices = layering.vertices
    var position = vertices.map { _ in 0 }
    for row in rows { for (index, vertex) in row.enumerated() { position[vertex] = index } }
    var byRow = [[ProperLayering.Segment]](repeating: [], count: rows.count)
    for segment in layering.segments { byRow[vertices[segment.upper].layer].append(segment) }
    for (row, segments) in zip(rows, byRow) {
      // The furthest right that a part of a long edge reaches from so far left, and the furthest left from the right.
      var (reach, back) = ([Int](repeating: -1, count: row.count), [Int](repeating: .max, count: row.count))
      func isInner(_ segment: ProperLayering.Segment) -> Bool {
        vertices[segment.upper].box == nil && vertices[segment.lower].box == nil
      }
      for segment in segments where isInner(segment) {
        let (upper, lower) = (position[segment.upper], position[segment.lower])
        reach[upper] = max(reach[upper], lower)
        back[upper] = min(back[upper], lower)
      }
      for index in row.indices.dropFirst() { reach[index] = max(reach[index], reach[index - 1]) }
      for index in row.indices.dropLast().reversed() { back[index] = min(back[index], back[index + 1]) }
      for segment in segments where !isInner(segment) {
        let (upper, lower) = (position[segment.upper], position[segment.lower])
        let isCrossedFromLeft = upper > 0 && reach[upper - 1] > lower
        let isCrossedFromRight = upper + 1 < row.count && back[upper + 1] < lower
        if isCrossedFromLeft || isCrossedFromRight {
          pairs.insert([min(segment.upper, segment.lower), max(segment.upper, segment.lower)])
        }
      }
    }
  }
}
