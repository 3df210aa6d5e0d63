// SPDX-License-Identifier: Apache-2.0

import ChartDrawing
import Foundation
import SVGDrawing
import TestEquipment
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Charts")
struct ChartTests {
  private static func chart(_ series: [Series], x: Axis = Axis(.number), y: Axis = Axis(.number)) -> Chart {
    Chart("Chart", rows: [[Panel("Panel", x: x, y: y, series: series)]])
  }

  private static func line(_ values: [Double]) -> Series.Shape {
    .line(values.enumerated().map { Series.Value(Double($0), $1) })
  }

  @Test("it is XML, without scripts, and says what it was told, whatever the characters")
  func characters() throws {
    let odd = "a <&\"> \u{7}"
    var panel = Panel(
      odd + "1", notes: [odd + "2"], x: Axis(.frequency), xTitle: odd + "3", y: Axis(.decibels),
      series: [Series(odd + "4", .blue, .line([.init(20, -30), .init(20_000, 0)]))])
    let beside = Chart(odd + "5", notes: [odd + "6"], rows: [[panel]]).svg
    panel.legend = .lineEnds
    for svg in [beside, Chart(odd + "5", notes: [odd + "6"], rows: [[panel, panel], [panel]]).svg] {
      let contents = try #require(ChartContents(svg), "it is not well-formed XML")
      #expect(!contents.elements.contains("script"))
      for number in 1...6 { #expect(contents.texts.contains("a <&\"> \u{FFFD}\(number)"), "\(number)") }
      #expect(contents.texts.contains("1 kHz") && contents.texts.contains("−30"))
    }
  }

  @Test("a picture of dots is the file that zlib and its checksums make of it in another program")
  func dots() {
    let palette: [(red: UInt8, green: UInt8, blue: UInt8)] = (0...255).map { index in
      let number = UInt8(index)
      return (red: number, green: 255 - number, blue: number / 2)
    }
    let png = PixelImage(width: 3, dots: [0, 1, 2, 253, 254, 255], palette: palette).png
    // Written by Python, with struct, zlib.crc32 and zlib.adler32: 856 bytes, and the remainder of all of them.
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in png {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    #expect(png.count == 856 && b << 16 | a == 3_718_009_846)
    // More than one block.
    let large = PixelImage(width: 1000, dots: [UInt8](repeating: 7, count: 200_000), palette: palette)
    #expect(large.png.count > 200_000 && large.height == 200)
  }

  @Test("names stand between whole numbers, turned where they do not fit, and cells where they belong")
  func names() throws {
    let names = ["one", "two", "a name that is long", "four"]
    let cells = [Series.Cell(x: 0...1, y: 3...4, share: 1, words: ["12", "much longer than that"])]
    let raster = Series.Raster(
      x: 0...4, y: 0...4, columns: [[0, .nan], [.infinity, -1]], range: 0...1, unit: "dB")
    let series = [
      Series("", .blue, .cells(cells)), Series("", .gray, .raster(raster)),
      Series("", .gray, .marks([1, 2])),
    ]
    func panel(_ names: [String]) -> Panel {
      Panel("p", x: Axis(names: names), y: Axis(names: names), series: series)
    }
    let wide = Chart("c", rows: [[panel(names)]]).svg
    let contents = try #require(ChartContents(wide))
    #expect(
      names.allSatisfy(contents.texts.contains) && contents.texts.contains("12") && !wide.contains("rotate"))
    #expect(
      contents.texts.contains("0 dB") && contents.texts.contains("1 dB")
        && wide.contains("data:image/png;base64,"))
    let narrow = Chart("c", rows: [[panel(names), panel(names), panel(names)]]).svg
    #expect(ChartContents(narrow) != nil && narrow.contains("rotate(-40 "))
    #expect(Chart("c", rows: [[panel([])]]).svg.contains("</svg>"))
  }

  @Test("the same chart is the same bytes")
  func determinism() {
    let series = [Series("a", .blue, Self.line([1, 5, 2])), Series("b", .gray, Self.line([2, .nan, 3]))]
    #expect(Self.chart(series).svg == Self.chart(series).svg)
  }

  @Test(
    "odd values are drawn without harm, and no number in the picture is odd",
    arguments: [
      [], [1], [.nan], [.infinity], [-.infinity, .infinity], [2, 2, 2], [0, 0], [1e300, -1e300],
      [.leastNonzeroMagnitude],
      [1, .nan, 2, .infinity, 3], [-1, -2], [.nan, .nan],
    ])
  func oddValues(_ values: [Double]) throws {
    let spans = values.enumerated().map { Series.Span(Double($0), -abs($1), $1) }
    let points = values.enumerated().map { Series.Value(Double($0), $1) }
    let turned = values.enumerated().map { Series.Value($1, Double($0)) }
    for quantity in Axis.Quantity.allCases {
      for shape in [
        Series.Shape.line(points), .dottedLine(points), .thinLine(points), .band(spans), .paleBand(spans),
        .line(turned),
      ] {
        for legend in [Panel.Legend.beside, .lineEnds] {
          let panel = Panel(
            "p", x: Axis(quantity), y: Axis(quantity), series: [Series("s", .rose, shape)], legend: legend)
          let svg = Chart("c", rows: [[panel]]).svg
          let contents = try #require(ChartContents(svg))
          for number in contents.numbers { #expect(number >= -10 && number < 2000, "\(number) in \(svg)") }
          #expect(!svg.lowercased().contains("nan") && !svg.contains("inf"))
        }
      }
    }
  }

  @Test("a line stands where its values are, and leaves a gap where one is not a number")
  func places() throws {
    let axis = Axis(.number, range: 0...4)
    func path(_ values: [Double]) throws -> String {
      let svg = Self.chart([Series("s", .blue, Self.line(values))], x: axis, y: axis).svg
      return try #require(ChartContents(svg)?.paths["line line-blue"]?.first)
    }
    let straight = try path([0, 1, 2, 3, 4])
    #expect(straight.count(where: { $0 == "M" }) == 1)
    #expect(try path([0, 1, .nan, 3, 4]).count(where: { $0 == "M" }) == 2)
    // What is beyond the field stands at its edge.
    #expect(try path([0, 9]).split(separator: " ").last == path([0, 4]).split(separator: " ").last)
    // x grows to the right, y upwards.
    let numbers = straight.split { "ML ".contains($0) }.compactMap { Double($0) }
    #expect(numbers[0] < numbers[numbers.count - 2] && numbers[1] > numbers[numbers.count - 1])
    #expect(numbers[numbers.count - 1] == numbers[1] - 180)
  }

  @Test("the names at the ends of lines do not cover each other")
  func lineEnds() throws {
    let series = Tint.several.map { Series("name \($0.rawValue)", $0, Self.line([1, 2.001])) }
    let panel = Panel("p", x: Axis(.number), y: Axis(.number), series: series, legend: .lineEnds)
    let contents = try #require(ChartContents(Chart("c", rows: [[panel]]).svg))
    let places = contents.textPlaces.filter { $0.text.hasPrefix("name ") }.map(\.y).sorted()
    #expect(places.count == series.count)
    for (a, b) in zip(places, places.dropFirst()) { #expect(b - a >= 16.5) }
  }

  @Test(
    "no text covers another, however many and long the names are",
    arguments: 1...Tint.several.count, ["y", "output 1", String(repeating: "long ", count: 20), "長い名前"])
  func legend(_ count: Int, _ name: String) throws {
    let series = Tint.several.prefix(count).map {
      Series("\($0.rawValue.prefix(1)) \(name)", $0, Self.line([1, 2]))
    }
    for panels in 1...3 {
      let panel = Panel(
        "Response to an impulse", notes: ["a note"], x: Axis(.number), y: Axis(.number), series: series)
      let row = Array(repeating: panel, count: panels)
      let svg = Chart("Chart", notes: ["a note"], rows: [row, row]).svg
      let contents = try #require(ChartContents(svg))
      let boxes = contents.textBoxes + contents.swatches.map { ("swatch", $0) }
      #expect(contents.swatches.count == 2 * panels * count)
      for (index, (text, box)) in boxes.enumerated() {
        #expect(box.left >= 0 && box.right <= contents.width, "\(text) leaves the page")
        for (other, otherBox) in boxes[(index + 1)...] {
          #expect(!box.meets(otherBox), "\(text) and \(other), \(panels) beside each other")
        }
      }
    }
  }

  @Test("the legend takes lines of its own only where it does not fit beside the title")
  func legendRows() throws {
    func lines(_ count: Int) throws -> [Double] {
      let series = Tint.several.prefix(count).map { Series("name \($0.rawValue)", $0, Self.line([1, 2])) }
      let panel = Panel("Panel", x: Axis(.number), y: Axis(.number), series: series)
      let contents = try #require(ChartContents(Chart("Chart", rows: [[panel, panel]]).svg))
      let title = try #require(contents.textPlaces.first { $0.text == "Panel" }?.y)
      return contents.textPlaces.filter { $0.text.hasPrefix("name ") }.prefix(count).map { $0.y - title }
    }
    #expect(try lines(2) == [0, 0])
    #expect(try lines(4) == [18, 18, 36, 36])
  }

  @Test("text and lines stand out from their ground, in light and in dark", arguments: Tint.allCases)
  func contrast(_ tint: Tint) {
    #expect(contrastRatio(tint.light, PageColors.light.background) >= 4.5)
    #expect(contrastRatio(tint.dark, PageColors.dark.background) >= 4.5)
  }
}

/// The contents of a picture.
private final class ChartContents: NSObject, XMLParserDelegate {
  private(set) var elements: Set<String> = []
  private(set) var texts: Set<String> = []
  private(set) var textPlaces: [(text: String, y: Double)] = []
  /// The boxes of texts in a usual font.
  private(set) var textBoxes: [(text: String, box: Rectangle)] = []
  /// The colours of a legend.
  private(set) var swatches: [Rectangle] = []
  private(set) var width = 0.0
  /// The commands of paths, by their class.
  private(set) var paths: [String: [String]] = [:]
  /// All coordinates.
  private(set) var numbers: [Double] = []
  private var text = ""
  private var attributes: [String: String] = [:]

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
    for key in ["x", "y", "width", "height"] {
      if let value = attributes[key] { numbers.append(Double(value) ?? .nan) }
    }
    self.attributes = attributes
    if name == "svg" { width = number("width") }
    if name == "rect", attributes["rx"] == "2" {
      swatches.append(
        Rectangle(Point(number("x"), number("y")), Size(number("width"), number("height"))))
    }
    if let commands = attributes["d"] {
      paths[attributes["class"] ?? "", default: []].append(commands)
      numbers += commands.split { "MLZ ".contains($0) }.map { Double($0) ?? .nan }
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    if name == "text" {
      texts.insert(text)
      textPlaces.append((text, number("y")))
      textBoxes.append((text, textBox))
    }
    text = ""
  }

  private func number(_ name: String) -> Double { attributes[name].flatMap { Double($0) } ?? 0 }

  private var textBox: Rectangle {
    let classes = attributes["class"]?.split(separator: " ") ?? []
    let size = classes.contains("large") ? 22.0 : classes.contains("heading") ? 15 : 13
    // Letters of one weight are narrower than what is bold.
    let width = TextMeasure.width(text, size: classes.contains("heading") ? size : 0.95 * size)
    let left =
      switch attributes["text-anchor"] {
      case "end": number("x") - width
      case "middle": number("x") - width / 2
      case _: number("x")
      }
    return Rectangle(Point(left, number("y") - 0.75 * size), Size(width, 0.97 * size))
  }
}

extension Rectangle {
  fileprivate func meets(_ other: Rectangle) -> Bool {
    left < other.right && other.left < right && top < other.bottom && other.top < bottom
  }
}
