// SPDX-License-Identifier: Apache-2.0

internal import BoxLayout
internal import SVGDrawing

/// Breaks a diagram that is much higher than wide into columns, as a newspaper breaks its text.
///
///     a               a     (b)  ← a sign for what comes from another column
///     b               b      c
///     c       →              d
///     d
///
/// Rows stay whole. What stands in the first or the last row for the sake of edges from outside does so in the column
/// in which it is used.
struct ColumnBreaking {
  /// The column of each box, from the left; nil where one column is enough.
  let columns: [Int]
  let count: Int

  /// Diagrams that fit on a page of this height stay whole.
  private static let pageHeight = 2000.0
  /// Columns together are about so many times as wide as high.
  private static let aspect = 1.4
  /// The space between rows and between boxes, roughly.
  private static let gap = 30.0

  init(_ diagram: Diagram, _ sizes: [Size]) {
    let graph = LayeredGraph(diagram, sizes: sizes)
    let assignment = LayerAssignment(graph)
    var heights = [Double](repeating: 0, count: assignment.count)
    var widths = heights
    for (box, layer) in assignment.layers.enumerated() {
      heights[layer] = max(heights[layer], sizes[box].height + Self.gap)
      widths[layer] += sizes[box].width + Self.gap
    }
    let height = heights.reduce(0, +)
    let width = max(1, widths.max() ?? 1)
    let wanted = Int((Self.aspect * height / width).squareRoot().rounded())
    guard height > Self.pageHeight, wanted > 1 else {
      (columns, count) = (diagram.boxes.map { _ in 0 }, 1)
      return
    }

    var columnOfLayer: [Int] = []
    var (used, column) = (0.0, 0)
    for layer in heights.indices {
      // A row goes where its middle falls.
      let fits = used + heights[layer] / 2 <= height * Double(column + 1) / Double(wanted)
      if !fits, layer > 0 { column += 1 }
      columnOfLayer.append(column)
      used += heights[layer]
    }
    var columns = assignment.layers.map { columnOfLayer[$0] }
    var nearest = [Int](repeating: wanted, count: columns.count)
    for edge in diagram.edges {
      if diagram.boxes[edge.source].row == .first {
        nearest[edge.source] = min(nearest[edge.source], columns[edge.target])
      }
      if diagram.boxes[edge.target].row == .last {
        nearest[edge.target] = min(nearest[edge.target], columns[edge.source])
      }
    }
    for index in columns.indices where nearest[index] < wanted { columns[index] = nearest[index] }
    // Columns from which everything has moved away go.
    let rank = Dictionary(uniqueKeysWithValues: zip(Set(columns).sorted(), 0...))
    self.columns = columns.map { rank[$0]! }
    count = rank.count
  }
}

extension Diagram {
  /// The diagram of one column, with signs for boxes of other columns that its edges come from.
  ///
  /// - Returns: The diagram, and for each of its boxes the number that it has in the whole; nil for signs.
  func column(_ column: Int, of breaking: ColumnBreaking) -> (diagram: Diagram, numbers: [Int?]) {
    var part = Diagram()
    var numbers: [Int?] = []
    var own: [Int: Int] = [:]
    for index in boxes.indices where breaking.columns[index] == column {
      own[index] = part.add(boxes[index])
      numbers.append(index)
    }
    var signs: [Int: Int] = [:]
    for edge in edges {
      guard let target = own[edge.target] else { continue }
      var moved = edge
      moved.target = target
      if let source = own[edge.source] {
        moved.source = source
      } else {
        if signs[edge.source] == nil {
          signs[edge.source] = part.add(Box(sign: boxes[edge.source].kind, boxes[edge.source].title))
          numbers.append(nil)
        }
        moved.source = signs[edge.source]!
        (moved.sourcePin, moved.leadsBack) = (nil, false)
      }
      part.connect(moved)
    }
    return (part, numbers)
  }
}
