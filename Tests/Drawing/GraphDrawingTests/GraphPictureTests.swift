// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphDrawing
import GraphIR
import GraphPasses
import GraphPlanning
import SVGDrawing
import TestEquipment
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Pictures of graphs")
struct GraphPictureTests {
  /// A convolution, parameters of both rates, a cycle, and a name that XML would take for something else.
  private static let text = """
    graph "Echo <&\\"> \\u{7}" stream 48000
    input src [2, frames]
    parameter feedback [frames] = 0.5 minimum 0 maximum 1 ramp 960 scale linear
    parameter mix [] = 0.5 minimum 0 maximum 1 ramp 0 scale linear
    weights "a<b" [2, 2, 2] = [1, 2, 3, 4, 5, 6, 7, 8]
    filtered [2, frames] = conv1d(src, "a<b", axis: 1, dilation: 1, stride: 1, groups: 1, padding: "causal")
    late [2, frames] = delay(echo, frames: 100)
    scaled [2, frames] = feedback * late
    echo [2, frames] = filtered + scaled
    gain [] = mix * mix
    wet [2, frames] = echo * gain
    output dst = wet
    """.replacingOccurrences(of: "\\u{7}", with: "\u{7}")

  private struct Drawn {
    let source: Graph
    let plan: Plan
    let svg: String

    init(_ text: String = GraphPictureTests.text) throws {
      source = try Graph(parsing: text)
      let target = try #require(Target.x86(level: "x86-64-v3"))
      plan = try Plan(KernelGraph(lowering: Pipeline().run(source).graph), target: target)
      svg = GraphPicture(of: source, plan).svg
    }
  }

  @Test("it is XML, without scripts, and names every node, kernel, buffer and history")
  func names() throws {
    let drawn = try Drawn()
    let contents = try #require(XMLContents(drawn.svg), "it is not well-formed XML")
    #expect(!contents.elements.contains("script"))
    let graph = drawn.plan.kernelGraph
    for name in ["filtered", "late", "scaled", "echo", "gain", "wet", "src", "dst", "feedback", "mix"] {
      #expect(contents.texts.contains(name), "\(name) is not drawn")
    }
    for index in graph.kernels.indices {
      #expect(contents.texts.contains("kernel \(index)"), "kernel \(index)")
    }
    let accesses = (graph.kernels + graph.blockKernels).map(\.accesses)
    for location in accesses.flatMap({ $0.reads + $0.writes }).map(\.location) {
      switch location {
      case .buffer(let id): #expect(contents.texts.contains("buffer \(id.index)"))
      case .history(let id): #expect(contents.texts.contains("history \(id.index)"))
      case .input, .output, .weights, .parameter: break
      }
    }
    for node in drawn.plan.graph.nodes where !node.op.isLeaf {
      let name = drawn.plan.graph.origins.names[node.result] ?? "%\(node.result.index)"
      #expect(contents.texts.contains(name), "\(name) of the plan is not drawn")
    }
    #expect(contents.texts.contains { $0.hasPrefix("\"a<b\"") })
  }

  @Test("what leads back is drawn apart, and only where something does")
  func cycles() throws {
    #expect(try Drawn().svg.contains("class=\"edge back\""))
    let straight = try Drawn(
      "graph \"g\" stream 48000\ninput x [frames]\ny [frames] = tanh(x)\noutput y = y\n")
    #expect(!straight.svg.contains("class=\"edge back\""))
  }

  @Test("a cycle along positions leads back, too")
  func sequences() throws {
    let drawn = try Drawn(
      """
      graph "g" step 48000
      input x [9, 4]
      h = tanh(x + 0.5 * shifted(h, axis: 0, by: 1))
      output y = h
      """)
    #expect(XMLContents(drawn.svg) != nil && drawn.svg.contains("class=\"edge back\""))
  }

  @Test("a loop within a cycle is a box within its box, and each place stands once")
  func loopsWithinCycles() throws {
    let drawn = try Drawn(
      """
      graph "loops" stream 48000
      input x [frames]
      worn = 0.5 * delay(sent, 40) + 0.5 * delay(worn, 1)
      sent = x + tanh(worn)
      output y = sent
      """)
    let texts = try #require(XMLContents(drawn.svg)).texts
    #expect(texts.contains("cycle, 40 frames at a time") && texts.contains("cycle, frame by frame"))
    for id in drawn.plan.kernelGraph.histories.indices {
      #expect(texts.count { $0.hasSuffix(" back") && $0.contains(",") } == 2, "history \(id)")
    }
  }

  @Test("the same graph has the same picture")
  func determinism() throws {
    #expect(try Drawn().svg == Drawn().svg)
  }

  @Test("a value that is used all over a long graph is drawn as signs, not as edges")
  func longEdges() throws {
    var lines = ["graph \"long\" stream 48000", "input x [frames]"]
    for index in 0..<300 { lines.append("a\(index) [frames] = \(index == 0 ? "x" : "a\(index - 1)") * x") }
    let source = try Graph(parsing: (lines + ["output y = a299"]).joined(separator: "\n") + "\n")
    let diagram = PlacedDiagram(Diagram(declared: source))
    #expect(diagram.boxes.contains { $0.box.isSign && $0.box.title == "x" })
    #expect(diagram.ways.count < 3 * 300, "\(diagram.ways.count) parts of edges")
  }

  @Test("characters that XML cannot hold do not reach it")
  func escapes() {
    #expect(SVGDocument.escaped("a<b>&\"c\"") == "a&lt;b&gt;&amp;&quot;c&quot;")
    #expect(SVGDocument.escaped("x\u{0}y\u{1B}z\nw") == "x\u{FFFD}y\u{FFFD}z w")
  }

  @Test("text stands out from its ground, in light and in dark", arguments: Diagram.Kind.allCases)
  func contrast(_ kind: Diagram.Kind) {
    for palette in [Palette.light, Palette.dark] {
      let paint = palette.paint(kind)
      #expect(contrastRatio(paint.text, paint.fill) >= 4.5, "\(kind)")
      #expect(contrastRatio(palette.page.text, palette.page.background) >= 4.5)
      #expect(contrastRatio(palette.page.muted, palette.page.background) >= 4.5)
      #expect(contrastRatio(palette.page.edge, palette.page.background) >= 3)
      #expect(contrastRatio(palette.back, palette.page.background) >= 3)
    }
  }
}

/// The names of a document's elements, and the texts in them.
private final class XMLContents: NSObject, XMLParserDelegate {
  private(set) var elements: Set<String> = []
  private(set) var texts: Set<String> = []
  private var text = ""

  init?(_ document: String) {
    super.init()
    let parser = XMLParser(data: Data(document.utf8))
    parser.delegate = self
    guard parser.parse() else { return nil }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    elements.insert(name)
    text = ""
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    if name == "text" { texts.insert(text) }
    text = ""
  }
}
