// SPDX-License-Identifier: Apache-2.0

import BoxLayout
import GraphDrawing
import GraphIR
import GraphPasses
import GraphPlanning
import SVGDrawing
import TestEquipment
import Testing

/// Pictures of graphs with more nodes than a page has room for.
@Suite("Pictures of large graphs")
struct LargePictureTests {
  /// A hundred stages one after the other, each of three nodes of which one has a name.
  private static let chain: String = {
    var lines = ["graph \"chain\" stream 48000", "input x [2, frames]"]
    for stage in 0..<100 {
      let before = stage == 0 ? "x" : "s\(stage - 1)"
      lines.append("v\(stage)a [2, frames] = \(before) * 1.5")
      lines.append("v\(stage)b [2, frames] = tanh(v\(stage)a)")
      lines.append("s\(stage) [2, frames] = v\(stage)b - x")
    }
    return (lines + ["output y = s99"]).joined(separator: "\n") + "\n"
  }()

  /// A graph whose values have lost the names that do not begin with a letter of their own.
  private func graph(_ text: String, named: (String) -> Bool = { !$0.hasPrefix("v") }) throws -> Graph {
    var graph = try Graph(parsing: text)
    graph.origins.names = graph.origins.names.filter { named($0.value) }
    return graph
  }

  private func diagrams(_ graph: Graph) throws -> [PlacedDiagram] {
    let target = try #require(Target.x86(level: "x86-64-v3"))
    let pipeline = Pipeline()
    let plan = try Plan(pipeline.lower(pipeline.run(graph).graph, for: target).kernels, target: target)
    return [PlacedDiagram(Diagram(declared: graph)), PlacedDiagram(Diagram(compiled: plan))]
  }

  private func all(_ diagram: PlacedDiagram) -> [PlacedDiagram] {
    [diagram] + diagram.boxes.compactMap(\.interior).flatMap(all)
  }

  @Test("a long chain fills a page instead of a strip, and each stage is drawn once")
  func chain() throws {
    let graph = try graph(Self.chain)
    for diagram in try diagrams(graph) {
      #expect(diagram.columns > 1)
      let aspect = diagram.size.width / diagram.size.height
      #expect(aspect > 0.6 && aspect < 2.5, "\(diagram.size)")
      let titles = all(diagram).flatMap(\.boxes).filter { !$0.box.isSign }.map(\.box.title)
      for stage in 0..<100 { #expect(titles.count { $0 == "s\(stage)" } == 1, "s\(stage)") }
    }
    let few = try Graph(
      parsing: "graph \"g\" stream 48000\ninput x [frames]\ny [frames] = tanh(x)\noutput y = y\n")
    for diagram in try diagrams(few) { #expect(diagram.columns == 1) }
  }

  @Test("boxes of all columns keep apart, and every edge ends at the border of a box", arguments: 0..<6)
  func columns(_ seed: Int) throws {
    let diagrams =
      seed == 0
      ? try diagrams(graph(Self.chain))
      : [PlacedDiagram(Diagram.random(boxes: 150, seed: UInt64(seed)))]
    for diagram in diagrams.flatMap(all) {
      let frames = diagram.boxes.map(\.frame)
      for (index, a) in frames.enumerated() {
        #expect(
          a.left > -0.01 && a.right < diagram.size.width + 0.01 && a.bottom < diagram.size.height + 0.01)
        for b in frames[(index + 1)...] {
          #expect(
            a.right < b.left + 0.01 || b.right < a.left + 0.01 || a.bottom < b.top + 0.01
              || b.bottom < a.top + 0.01, "\(a) and \(b)")
        }
      }
      for way in diagram.ways where way.endsInBox {
        let target = frames.first { frame in
          let isAbove = abs(frame.top - way.end.y) < 0.01
          return isAbove && frame.left < way.end.x + 0.01 && way.end.x < frame.right + 0.01
        }
        #expect(target != nil, "an edge ends at \(way.end)")
      }
    }
  }

  @Test("what a column takes from another is a sign with its name")
  func signs() throws {
    let diagram = PlacedDiagram(Diagram(declared: try graph(Self.chain)))
    let signs = diagram.boxes.filter(\.box.isSign).map(\.box.title)
    #expect(signs.count { $0.hasPrefix("s") } == diagram.columns - 1)
  }

  @Test("expressions with values spelled in them mean the same graph", arguments: 0..<40)
  func spelled(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    var lines = ["graph \"random\" stream 48000", "input x [frames]"]
    var known = ["x"]
    for index in 0..<60 {
      let name = random.below(4) == 0 ? "n\(index)" : "v\(index)"
      func operand() -> String { known[max(0, known.count - 1 - random.below(3))] }
      let (a, b) = (operand(), operand())
      let infix = ["+", "-", "*", "/", "%", "<", "=="][random.below(7)]
      let right = [
        "\(a) \(infix) \(b)", "\(a) \(infix) 0.5", "2 \(infix) \(b)", "tanh(\(a))", "negate(\(a))",
        "fma(\(a), \(b), 3)", "max(\(a), \(b))",
      ][random.below(7)]
      lines.append("\(name) [frames] = \(right)")
      known.append(name)
    }
    lines.append("output y = \(known.last!)")
    let source = try graph(lines.joined(separator: "\n") + "\n").canonical()
    // The boxes, written down again, are the graph.
    let operations = Diagram(declared: source).boxes.filter { $0.kind == .operation && !$0.isSign }
    let boxes = operations.map { "\($0.title) [frames] = \($0.details.joined(separator: " "))" }
    let nodes = source.nodes.count { !$0.op.isLeaf }
    #expect(nodes <= 40 || operations.count < nodes)
    let output = try #require(Diagram(declared: source).edges.last).source
    let shown = Diagram(declared: source).boxes[output].title
    let text = (lines[..<2] + boxes + ["output y = \(shown)"]).joined(separator: "\n") + "\n"
    #expect(try Graph(parsing: text).canonical() == source, "\(source)\n\(text)")
  }
}
