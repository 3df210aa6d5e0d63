// SPDX-License-Identifier: Apache-2.0

internal import SVGDrawing

/// Finds how far down each row stands, and draws the ways of edges between them.
struct EdgeRouting {
  private(set) var frames: [Rectangle] = []
  private(set) var ways: [LayeredLayout.Way] = []
  private(set) var size = Size(0, 0)

  private let layering: ProperLayering
  private var x: [Double]
  private var tops: [Double] = []
  private var heights: [Double]
  /// The port of an edge that enters a box from above: how far right of its middle, for each segment and each turn.
  private var segmentPorts: [Double]
  private var turnPorts: [Double]

  private static let portRoom = 14.0
  /// Between an edge's end and the corner of its box.
  private static let cornerRoom = 10.0

  init(_ graph: LayeredGraph, _ layering: ProperLayering, _ places: [Double]) {
    self.layering = layering
    x = places
    heights = [Double](repeating: 0, count: layering.layerCount)
    for vertex in layering.vertices {
      guard let box = vertex.box else { continue }
      heights[vertex.layer] = max(heights[vertex.layer], graph.boxes[box].size.height)
    }
    segmentPorts = layering.segments.map { $0.lowerPort ?? 0 }
    turnPorts = layering.turns.map { $0.port ?? 0 }
    spreadPorts()
    moveToOrigin()
    stackRows()
    frames = graph.boxes.indices.map { box in
      let size = graph.boxes[box].size
      let layer = layering.vertices[box].layer
      let top = tops[layer] + (heights[layer] - size.height) / 2
      return Rectangle(Point(x[box] - size.width / 2, top), size)
    }
    ways = layering.segments.indices.map(way) + layering.turns.indices.map(turn)
    let right = layering.vertices.indices.map { x[$0] + layering.vertices[$0].width / 2 }.max() ?? 0
    size = Size(right, size.height)
  }

  /// Lets edges that may enter a box anywhere come straight down where they can, apart from each other.
  private mutating func spreadPorts() {
    struct End {
      var index: Int
      var isTurn: Bool
      var from: Double
    }
    var ends: [Int: [End]] = [:]
    for (index, segment) in layering.segments.enumerated() where segment.lowerPort == nil {
      ends[segment.lower, default: []].append(
        End(index: index, isTurn: false, from: x[segment.upper] + segment.upperPort))
    }
    for (index, turn) in layering.turns.enumerated() where turn.side == .above && turn.port == nil {
      ends[turn.box, default: []].append(End(index: index, isTurn: true, from: x[turn.dummy]))
    }
    for (box, unsorted) in ends {
      let sorted = unsorted.sorted { ($0.from, $0.index) < ($1.from, $1.index) }
      let reach = max(0, layering.vertices[box].width / 2 - Self.cornerRoom)
      let room = min(Self.portRoom, 2 * reach / Double(max(1, sorted.count - 1)))
      let wanted = sorted.map { min(max($0.from - x[box], -reach), reach) }
      let last = sorted.count - 1
      var ports = Separation.place(
        wanted, weights: wanted.map { _ in 1 }, room: [Double](repeating: room, count: last))
      // Pooled ends may hang over either corner; there is room for all of them between the two.
      for index in ports.indices {
        ports[index] = min(
          max(ports[index], Double(index) * room - reach), reach - Double(last - index) * room)
      }
      for (end, port) in zip(sorted, ports) {
        if end.isTurn { turnPorts[end.index] = port } else { segmentPorts[end.index] = port }
      }
    }
  }

  private mutating func moveToOrigin() {
    let left = layering.vertices.indices.map { x[$0] - layering.vertices[$0].width / 2 }.min() ?? 0
    for index in x.indices { x[index] -= left }
  }

  /// The further edges go sideways between two rows, the more room they have.
  private mutating func stackRows() {
    var sideways = [Double](repeating: 0, count: layering.layerCount + 1)
    for (index, segment) in layering.segments.enumerated() {
      let distance = abs(
        x[segment.lower] + segmentPorts[index] - x[segment.upper] - segment.upperPort)
      let gap = layering.vertices[segment.lower].layer
      sideways[gap] = max(sideways[gap], distance)
    }
    var (turnsAbove, turnsBelow) = (Set<Int>(), Set<Int>())
    for turn in layering.turns {
      let layer = layering.vertices[turn.box].layer
      switch turn.side {
      case .above: turnsAbove.insert(layer)
      case .below: turnsBelow.insert(layer)
      }
    }
    var y = 0.0
    for layer in heights.indices {
      let turns = (turnsAbove.contains(layer) ? 1.0 : 0) + (turnsBelow.contains(layer - 1) ? 1 : 0)
      if layer > 0 { y += max(min(80, 24 + 0.1 * sideways[layer]), turns > 0 ? 20 + turns * Self.bulge : 0) }
      if layer == 0, turns > 0 { y += Self.bulge }
      tops.append(y)
      y += heights[layer]
    }
    if turnsBelow.contains(heights.count - 1) { y += Self.bulge }
    size.height = y
  }

  private static let bulge = 20.0

  private func way(_ index: Int) -> LayeredLayout.Way {
    let segment = layering.segments[index]
    let (upper, lower) = (layering.vertices[segment.upper], layering.vertices[segment.lower])
    let (from, to) = (x[segment.upper] + segment.upperPort, x[segment.lower] + segmentPorts[index])
    let bend = tops[upper.layer] + heights[upper.layer]
    let landing = tops[lower.layer]
    let isUpwards = segment.leadsBack
    return LayeredLayout.Way(
      start: Point(from, upper.box.map { frames[$0].bottom } ?? bend), bend: bend, landing: landing,
      end: Point(to, lower.box.map { frames[$0].top } ?? landing + heights[lower.layer]),
      endsInBox: lower.box != nil, leadsBack: isUpwards)
  }

  private func turn(_ index: Int) -> LayeredLayout.Way {
    let turn = layering.turns[index]
    let layer = layering.vertices[turn.box].layer
    let (box, dummy) = (x[turn.box] + turnPorts[index], x[turn.dummy])
    let (top, bottom) = (tops[layer], tops[layer] + heights[layer])
    switch turn.side {
    case .above:
      return LayeredLayout.Way(
        start: Point(dummy, bottom), bend: top, landing: top, end: Point(box, frames[turn.box].top),
        bulge: -Self.bulge, endsInBox: true, leadsBack: true)
    case .below:
      return LayeredLayout.Way(
        start: Point(box, frames[turn.box].bottom), bend: bottom, landing: bottom, end: Point(dummy, bottom),
        bulge: Self.bulge, endsInBox: false, leadsBack: true)
    }
  }
}
