// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The integers in the bodies of loops along an axis, and how far they may go.
///
///     n' = n + 1                  of 300 turns: at most 300 more than at first, let through
///     s' = (s * 1103515245) % m   s stays below m, and s * 1103515245 does not: refused
///
/// Loops that are written out are computed in integers of 64 bits where all is constant. Along an axis integers are
/// floats, exact up to 2^24; what a turn makes of the one before is followed here, so that nothing beyond that is
/// silently rounded. Integers that are given count as positions and classes, and what is made of these alone as exact, as
/// everywhere.
final class ONNXIntegerTrace {
  /// The least and the most that integers may be.
  typealias Range = ClosedRange<Double>

  /// The numbers that a value may be: one that was carried and so much more, or others.
  private struct Bounds {
    var moved, fixed: Range?

    static let exact = Bounds(fixed: -0x1p24...0x1p24)
    /// An integer of which nothing is known but that it is a position, or the number of a class.
    static let given = Bounds(fixed: -0x1p16...0x1p16)
    static let any = Bounds(fixed: -.infinity ... .infinity)

    init(moved: Range? = nil, fixed: Range?) { (self.moved, self.fixed) = (moved, fixed) }

    /// The same where nothing is known of what is carried.
    var whole: Range { moved == nil ? fixed ?? 0...0 : -.infinity ... .infinity }

    /// The largest magnitude.
    var most: Double { max(abs(whole.lowerBound), abs(whole.upperBound)) }
  }

  private struct Row {
    /// Nil for what is carried, or goes into a turn.
    let node: ONNXNode?
    let operands: [ONNXValue?]
    var result: ONNXValue
    /// The position among the node's results.
    let index: Int
  }

  private var rows: [Row] = []
  /// The loops whose bodies are being translated.
  var depth = 0
  var count: Int { rows.count }

  /// A value that goes into a turn, or is carried from one to the next.
  func begin(_ value: ONNXValue, from first: ONNXValue) -> ONNXValue {
    guard value.isWide else { return value }
    return append(Row(node: nil, operands: [first], result: value, index: 0))
  }

  /// The results of a node, which are followed within the body of a loop.
  func follow(_ results: [ONNXValue], of node: ONNXNode, _ operands: [ONNXValue?]) -> [ONNXValue] {
    guard depth > 0 else { return results }
    return results.enumerated().map { index, result in
      guard result.constant == nil else { return result }
      return append(Row(node: node, operands: operands, result: result, index: index))
    }
  }

  private func append(_ row: Row) -> ONNXValue {
    rows.append(row)
    rows[rows.count - 1].result.trace = rows.count - 1
    return rows[rows.count - 1].result
  }

  /// The first integer that may go beyond what floats hold exactly, as messages call it; nil where all stay within.
  ///
  /// - Parameters:
  ///   - begin: the number of rows before the loop.
  ///   - carried: the values as they go into a turn, and as they come out.
  ///   - turns: how often it turns.
  ///   - place: how messages call a node.
  func excess(
    from begin: Int, carried: [(in: ONNXValue, out: ONNXValue)], turns: Int, place: (ONNXNode) -> String
  ) -> String? {
    // A value that stays as it was is no more than what goes in.
    let carried = carried.filter { $0.in.isWide && origin(of: $0.out) != $0.in.trace }
    // First how each changes in a turn, then how far all of them come.
    let changing = Set(carried.compactMap(\.in.trace))
    let turn = bounds(from: begin, changing, Bounds(moved: 0...0, fixed: nil))
    var (reach, growth): (Range?, Range) = (nil, 0...0)
    for (input, output) in carried {
      let change = bounds(of: output, turn, from: begin)
      let first = bounds(of: rows[input.trace!].operands[0], [], from: rows.count)
      reach = union(reach, union(first.fixed, change.fixed))
      if let moved = change.moved { growth = union(growth, moved)! }
    }
    let times = Double(turns)
    func grown(_ end: Double, _ step: Double) -> Double { step == 0 ? end : end + times * step }
    let first = reach ?? 0...0
    let far = grown(first.lowerBound, growth.lowerBound)...grown(first.upperBound, growth.upperBound)
    let all = bounds(from: begin, changing, Bounds(fixed: far))
    // A node is named rather than what goes in, which is as far as what comes out.
    for (row, bounds) in zip(rows[begin...], all) where row.result.isWide && bounds.most > 0x1p24 {
      if let node = row.node { return place(node) }
    }
    return max(abs(far.lowerBound), abs(far.upperBound)) > 0x1p24 ? "what it carries" : nil
  }

  /// The row that a value is the same as, whatever nodes hand it on.
  private func origin(of value: ONNXValue) -> Int? {
    var trace = value.trace
    while let row = trace, rows[row].node?.op == "Identity" { trace = rows[row].operands[0]?.trace }
    return trace
  }

  /// The bounds of all rows, where some are carried and have bounds of their own.
  private func bounds(from begin: Int, _ carried: Set<Int>, _ own: Bounds) -> [Bounds] {
    var (all, depends, isGiven): ([Bounds], [Bool], [Bool]) = ([], [], [])
    for (place, row) in rows[begin...].enumerated() {
      guard row.node != nil else {
        let isCarried = carried.contains(begin + place)
        all.append(isCarried ? own : bounds(of: row.operands[0], [], from: rows.count))
        depends.append(isCarried)
        isGiven.append(!isCarried && row.operands[0]?.constant == nil)
        continue
      }
      func any(_ holds: [Bool], _ others: (ONNXValue) -> Bool) -> Bool {
        row.operands.contains { value in
          guard let value else { return false }
          guard let trace = value.trace, trace >= begin else { return others(value) }
          return holds[trace - begin]
        }
      }
      let isDependent = any(depends) { _ in false }
      isGiven.append(any(isGiven) { $0.constant == nil })
      var result = bounds(of: row) { self.bounds(of: $0, all, from: begin) }
      if !isDependent, isGiven.last! || result.most == .infinity, result.most > 0x1p24 { result = .exact }
      all.append(result)
      depends.append(isDependent)
    }
    return all
  }

  /// - Parameter all: those of the rows from `begin` on.
  private func bounds(of value: ONNXValue?, _ all: [Bounds], from begin: Int) -> Bounds {
    guard let value else { return Bounds(fixed: 0...0) }
    if let trace = value.trace, trace >= begin { return all[trace - begin] }
    if let constant = value.constant {
      let numbers = constant.doubles
      guard !numbers.contains(where: \.isNaN) else { return .any }
      return Bounds(fixed: (numbers.min() ?? 0)...(numbers.max() ?? 0))
    }
    if value.element.kind == .truth { return Bounds(fixed: 0...1) }
    return value.element.smallRange.map { Bounds(fixed: Double($0.lowerBound)...Double($0.upperBound)) }
      ?? .given
  }

  // MARK: Ops

  private func bounds(of row: Row, _ operand: (ONNXValue?) -> Bounds) -> Bounds {
    if let small = row.result.element.smallRange {
      return Bounds(fixed: Double(small.lowerBound)...Double(small.upperBound))
    }
    guard let node = row.node, row.result.element.kind == .integer else {
      return row.result.element.kind == .truth ? Bounds(fixed: 0...1) : .any
    }
    let operands = row.operands.map(operand)
    func oneOf(_ some: some Sequence<Bounds>) -> Bounds {
      some.reduce(into: Bounds(fixed: nil)) { result, one in
        result = Bounds(moved: union(result.moved, one.moved), fixed: union(result.fixed, one.fixed))
      }
    }
    func within(_ most: Double) -> Bounds { Bounds(fixed: -most...most) }
    switch node.op {
    case "Add": return sum(operands[0], operands[1])
    case "Sum": return operands.dropFirst().reduce(operands[0], sum)
    case "Sub": return operands[1].moved == nil ? sum(operands[0], negative(operands[1])) : .any
    case "Neg": return negative(operands[0])
    case "Abs": return within(operands[0].most)
    case "Sign": return within(1)
    case "Mul": return within(product(operands[0].most, operands[1].most))
    case "Div": return within(operands[0].most)
    case "Mod": return within(operands[1].most)
    case "Min", "Max", "Clip":
      guard operands.allSatisfy({ $0.moved == nil }) else { return oneOf(operands) }
      let ranges = operands.map(\.whole)
      return Bounds(
        fixed: node.op == "Clip" ? clipped(ranges, row) : extreme(ranges, least: node.op == "Min"))
    case "Where": return oneOf(operands.dropFirst())
    case "Cast", "CastLike":
      return row.operands[0]?.element.kind == .floating ? .any : operands[0]
    case "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice", "Split", "Expand",
      "Tile",
      "Gather", "GatherElements", "GatherND", "ReduceMax", "ReduceMin":
      return operands[0]
    case "Concat": return oneOf(operands)
    case "ReduceSum", "CumSum":
      return within(product(operands[0].most, Double(row.operands[0]?.count ?? 1)))
    case "ArgMax", "ArgMin", "NonZero": return within(Double(row.operands[0]?.shape.max() ?? 1))
    case "TopK" where row.index == 1: return within(Double(row.operands[0]?.shape.max() ?? 1))
    default: return .any
    }
  }

  private func sum(_ a: Bounds, _ b: Bounds) -> Bounds {
    guard a.moved == nil || b.moved == nil else { return .any }
    func sum(_ a: Range?, _ b: Range?) -> Range? {
      guard let a, let b else { return nil }
      let (least, most) = (a.lowerBound + b.lowerBound, a.upperBound + b.upperBound)
      return least.isNaN || most.isNaN ? -.infinity ... .infinity : least...most
    }
    return Bounds(moved: sum(a.moved, b.fixed) ?? sum(a.fixed, b.moved), fixed: sum(a.fixed, b.fixed))
  }

  private func negative(_ a: Bounds) -> Bounds {
    a.moved == nil ? Bounds(fixed: -a.whole.upperBound ... -a.whole.lowerBound) : .any
  }

  /// 0 times whatever there may be is 0.
  private func product(_ a: Double, _ b: Double) -> Double { a == 0 || b == 0 ? 0 : a * b }

  private func extreme(_ ranges: [Range], least: Bool) -> Range {
    let (low, high) = (ranges.map(\.lowerBound), ranges.map(\.upperBound))
    return least ? low.min()!...high.min()! : low.max()!...high.max()!
  }

  private func clipped(_ ranges: [Range], _ row: Row) -> Range {
    var result = ranges[0]
    if row.operands.count > 1, row.operands[1] != nil { result = extreme([result, ranges[1]], least: false) }
    if row.operands.count > 2, row.operands[2] != nil { result = extreme([result, ranges[2]], least: true) }
    return result
  }

  private func union(_ a: Range?, _ b: Range?) -> Range? {
    guard let a, let b else { return a ?? b }
    return min(a.lowerBound, b.lowerBound)...max(a.upperBound, b.upperBound)
  }
}

extension ONNXValue {
  /// Whether it is of integers that do not begin again behind their largest.
  fileprivate var isWide: Bool { element.kind == .integer && element.smallRange == nil }
}
