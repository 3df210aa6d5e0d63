// SPDX-License-Identifier: Apache-2.0

import BoxLayout
import SVGDrawing
import Testing

@Suite("Layered layouts")
struct LayeredLayoutTests {
  @Test("no two boxes overlap, and edges touch no box but their own", arguments: [1, 2, 12, 60, 120], 0..<8)
  func places(_ count: Int, _ seed: Int) {
    let layout = LayeredLayout(RandomLayering.graph(boxes: count, seed: UInt64(seed)))
    for a in layout.frames.indices {
      for b in layout.frames.indices where b > a {
        #expect(!overlap(layout.frames[a], layout.frames[b]), "boxes \(a) and \(b) of \(count), seed \(seed)")
      }
    }
    for way in layout.ways {
      for point in points(of: way) {
        let hit = layout.frames.first { contains($0, point) }
        #expect(hit == nil, "an edge at \(point) crosses \(String(describing: hit)), seed \(seed)")
      }
    }
    for frame in layout.frames {
      #expect(frame.left >= -0.01 && frame.top >= -0.01)
      #expect(frame.right <= layout.size.width + 0.01 && frame.bottom <= layout.size.height + 0.01)
    }
  }

  @Test("edges lead downwards but for those that lead back", arguments: 0..<8)
  func directions(_ seed: Int) {
    let graph = RandomLayering.graph(boxes: 80, seed: UInt64(seed))
    let layout = LayeredLayout(graph)
    for edge in graph.edges where !edge.leadsBack {
      #expect(layout.frames[edge.source].bottom < layout.frames[edge.target].top, "seed \(seed)")
    }
    let arrows = layout.ways.count { $0.endsInBox }
    #expect(arrows == graph.edges.count, "each edge ends in a box once; seed \(seed)")
  }

  @Test("the same graph has the same layout")
  func determinism() {
    let graph = RandomLayering.graph(boxes: 150, seed: 7)
    let (a, b) = (LayeredLayout(graph), LayeredLayout(graph))
    #expect(a.frames == b.frames && a.ways == b.ways)
  }

  @Test("a chain is straight")
  func chain() {
    let boxes = (0..<20).map { LayeredGraph.Box(Size(Double(40 + 7 * $0 % 50), 30)) }
    let layout = LayeredLayout(LayeredGraph(boxes: boxes, edges: (1..<20).map { .init($0 - 1, $0) }))
    for way in layout.ways { #expect(abs(way.start.x - way.end.x) < 0.01) }
  }

  @Test("edges that need not cross do not")
  func crossings() {
    // Two ladders whose rungs are handed over in a mixed order.
    var graph = LayeredGraph(boxes: (0..<20).map { _ in .init(Size(50, 30)) })
    for rung in 0..<9 {
      graph.edges.append(.init(2 * rung, 2 * rung + 2))
      graph.edges.append(.init(2 * rung + 1, 2 * rung + 3))
    }
    #expect(LayeredLayout(graph).crossings == 0)
  }

  @Test("a thousand boxes take about ten times the work of a hundred")
  func growth() {
    func work(_ count: Int) -> Double {
      Double(
        (0..<2).reduce(0) { $0 + LayeredLayout(RandomLayering.graph(boxes: count, seed: UInt64($1))).work })
    }
    let ratio = work(1000) / work(100)
    #expect(ratio < 30, "ten times the boxes take \(ratio) times the work")
  }

  private func overlap(_ a: Rectangle, _ b: Rectangle) -> Bool {
    a.left < b.right - 0.01 && b.left < a.right - 0.01 && a.top < b.bottom - 0.01 && b.top < a.bottom - 0.01
  }

  private func contains(_ frame: Rectangle, _ point: Point) -> Bool {
    point.x > frame.left + 0.01 && point.x < frame.right - 0.01 && point.y > frame.top + 0.01
      && point.y < frame.bottom - 0.01
  }

  /// Points along a way: its straight parts and its curve.
  private func points(of way: LayeredLayout.Way) -> [Point] {
    (0...16).flatMap { step in
      let t = Double(step) / 16
      let (s, middle) = (1 - t, (way.bend + way.landing) / 2)
      let pull = way.bulge == 0 ? middle : way.bend + way.bulge
      let curve = Point(
        (s * s * s + 3 * s * s * t) * way.start.x + (3 * s * t * t + t * t * t) * way.end.x,
        s * s * s * way.bend + 3 * s * s * t * pull + 3 * s * t * t * pull + t * t * t * way.landing)
      return [
        Point(way.start.x, way.start.y + t * (way.bend - way.start.y)), curve,
        Point(way.end.x, way.landing + t * (way.end.y - way.landing)),
      ]
    }
  }
}
