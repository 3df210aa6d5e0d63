// SPDX-License-Identifier: Apache-2.0

/// Replaces lookaheads by delays of all other values.
///
///     peak = lookahead(abs(x), frames: 64)      dst = x * gain(peak)      output dst
/// →
///     peak = abs(x)
///     v1 = delay(x, frames: 64)                 x waits
///     v2 = v1 * gain(peak)
///     v3 = delay(1, frames: 64)                 0 until the first frame of v2, then 1
///     dst = select(v3, v2, 0)
///
/// The numbers are the same at later frames: a value of latency n has at frame n the number of its frame 0. Its earlier
/// numbers are not read: outputs are silent until their first frame, and state begins with zeros there, as at the start
/// of a graph without lookahead. Values that are only delayed are silent by themselves.
///
/// A value that is delayed by different lengths has one history, of the longest.
package struct Alignment: Sendable {
  /// The graph in canonical order, without lookaheads, and with its latency.
  package let graph: Graph
  /// The latency of each value, in frames.
  package let latencies: [Int]
  /// Values that show numbers before their first frame which mean nothing.
  package let unsettled: Set<ValueID>
  /// The value of the source whose numbers each value holds; nil for what only tells when something begins.
  package let meanings: [ValueID?]

  /// - Parameter source: a graph of which the verifier finds nothing wrong.
  package init(_ source: Graph) {
    var alignment = Aligner(source)
    alignment.align()
    let (graph, rows) = alignment.graph.canonicalRows()
    self.graph = graph
    var latencies = [Int](repeating: 0, count: graph.values.count)
    var meanings = [ValueID?](repeating: nil, count: graph.values.count)
    for (value, row) in rows {
      latencies[Int(row.index)] = alignment.latencies[Int(value.index)]
      meanings[Int(row.index)] = alignment.meanings[Int(value.index)]
    }
    self.latencies = latencies
    self.meanings = meanings
    unsettled = Set(alignment.unsettled.compactMap { rows[$0] })
  }
}

extension Graph {
  /// The same graph without lookaheads, with its latency.
  package func aligned() -> Graph { looksAhead ? Alignment(self).graph : self }
}

private struct Aligner {
  private let source: Graph
  private let late: Latencies
  private(set) var graph: Graph
  private(set) var latencies: [Int]
  private(set) var meanings: [ValueID?]
  private(set) var unsettled: Set<ValueID> = []
  /// The value that holds each value's numbers, under whatever frames.
  private var streams: [ValueID]
  private var waiting: [Wait: ValueID] = [:]
  private var silenced: [Wait: ValueID] = [:]
  private var begun: [Int: ValueID] = [:]
  /// Literals by their bits: +0 and -0 are equal, but not the same.
  private var literals: [UInt32: ValueID] = [:]

  /// A value and a number of frames.
  private struct Wait: Hashable {
    var value: ValueID
    var frames: Int
  }

  init(_ source: Graph) {
    self.source = source
    late = Latencies(source)
    graph = source
    latencies = source.values.indices.map { [late] in late[ValueID($0)] ?? 0 }
    streams = source.values.indices.map { ValueID($0) }
    meanings = streams
    for component in source.components(cuttingDelays: true) {
      let node = source[component[0]]
      if let number = node.op.literal { literals[number.bitPattern] = node.result }
      if node.op.isLookahead { forward(node) }
      if !isSilentAtFirst(node) { unsettled.insert(node.result) }
    }
  }

  mutating func align() {
    for id in source.nodeIDs where !source[id].op.isLookahead {
      let node = source[id]
      let own = late[node.result]
      for (index, operand) in node.operands.enumerated() {
        var stream = stream(of: operand, late: own)
        if index == 0, node.op.history > 0 { stream = silent(stream, of: operand, late: own) }
        if index == 1, let range = node.op.row.counted {
          stream = asking(stream, of: operand, within: range, late: own)
        }
        graph[id].operands[index] = stream
      }
    }
    for (index, output) in source.outputs.enumerated() {
      let stream = stream(of: output.value, late: late.latency)
      graph.outputs[index].value = silent(stream, of: output.value, late: late.latency)
    }
    graph.latency += late.latency
  }

  /// The operand of a lookahead holds the numbers, and gets the name where it has none.
  private mutating func forward(_ node: Node) {
    let stream = streams[Int(node.operands[0].index)]
    streams[Int(node.result.index)] = stream
    if graph.origins.names[stream] == nil { graph.origins.names[stream] = source.origins.names[node.result] }
  }

  // MARK: Before the first frame

  /// Whether a value is zero before its first frame, as data movement and state of zeros are.
  private func isSilentAtFirst(_ node: Node) -> Bool {
    guard let own = late[node.result], own > 0 else { return true }
    return node.op.isDelay
      || (node.op.onlyMoves && node.operands.allSatisfy { late[$0] != nil && !unsettled.contains($0) })
  }

  /// The same with zeros before the first frame.
  private mutating func silent(_ stream: ValueID, of value: ValueID, late own: Int?) -> ValueID {
    guard let own, unsettled.contains(value) else { return stream }
    let key = Wait(value: stream, frames: own)
    if let known = silenced[key] { return known }
    let operands = [hasBegun(own), stream, literal(0)]
    let result = append(.select, operands, graph[stream].type, late: own, like: value)
    silenced[key] = result
    return result
  }

  /// The same with an amount before the first frame that is within the range of a delay by a signal, so that nothing is
  /// counted.
  private mutating func asking(
    _ stream: ValueID, of value: ValueID, within range: ClosedRange<Int>, late own: Int?
  ) -> ValueID {
    guard let own, own > 0 else { return stream }
    let type = TensorType(
      Shape(graph.shape(of: stream).fixed, frames: .init()), element: graph[stream].type.element)
    let operands = [hasBegun(own), stream, literal(Float(range.lowerBound))]
    return append(.select, operands, type, late: own, like: value)
  }

  /// 0 before the first frame at a latency, 1 from there on.
  private mutating func hasBegun(_ own: Int) -> ValueID {
    if let known = begun[own] { return known }
    let result = append(.delay(own), [literal(1)], TensorType(.frames), late: 0, like: nil)
    begun[own] = result
    return result
  }

  // MARK: Waiting

  /// The value that holds a value's numbers at a latency.
  private mutating func stream(of operand: ValueID, late own: Int?) -> ValueID {
    let stream = streams[Int(operand.index)]
    guard let own, let now = late[operand], now < own else { return stream }
    let key = Wait(value: stream, frames: own - now)
    if let known = waiting[key] { return known }
    let type = TensorType(
      Shape(graph.shape(of: stream).fixed, frames: .init()), element: graph[stream].type.element)
    let result = append(.delay(own - now), [stream], type, late: own, like: operand)
    waiting[key] = result
    if unsettled.contains(operand) { unsettled.insert(result) }
    return result
  }

  private mutating func append(
    _ op: Op, _ operands: [ValueID], _ type: TensorType, late own: Int, like value: ValueID?
  ) -> ValueID {
    let result = graph.append(op, operands, type: type)
    latencies.append(own)
    meanings.append(value)
    if let value { graph.origins.places[result] = source.origins.places[value] }
    return result
  }

  private mutating func literal(_ number: Float) -> ValueID {
    if let known = literals[number.bitPattern] { return known }
    let result = append(.literal(number), [], TensorType(.scalar), late: 0, like: nil)
    literals[number.bitPattern] = result
    return result
  }
}

extension Op {
  /// Whether zeros give zeros, at the frames of the operands.
  fileprivate var onlyMoves: Bool { isMovement || row.ahead == 0 }
}
