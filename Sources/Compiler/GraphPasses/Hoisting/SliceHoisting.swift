// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Pass {
  /// Narrows every node to the part of its result that is read.
  ///
  ///     %1 = conv1d(%0, "w", axis: 1)               %0 [2, 256]   "w" [8, 2, 3]
  ///     %2 = tanh(%1)
  ///     %3 = slice(%2, axis: 1, start: 64, count: 32)
  /// →
  ///     %4 = slice(%0, axis: 1, start: 64, count: 34)
  ///     %1 = conv1d(%4, "w", axis: 1)
  ///     %2 = tanh(%1)
  ///
  /// A slice moves above its operand: through arithmetic as it is, along the axis of a convolution as a window of
  /// `span` positions more, along the channels of a layer as a slice of the rows of its weights, past the parts of a
  /// concatenation that it does not touch (`Op.narrowed`). It ends at inputs and parameters, and where an op cannot
  /// compute less. What several users read in part is computed once, over the smallest region that holds all parts.
  ///
  /// Legal for every op: each number that is left is computed of the same numbers in the same order, so that no bit
  /// changes, and a state that shrinks loses unread rows. No node computes more than before. Frames are never cut.
  ///
  /// A rewrite is one node (or array of weights) that computes less; with a limit, those next to the outputs. Slices
  /// of slices become one on the way.
  package static let sliceHoisting = Pass(
    name: "slice-hoisting", summary: "lets every node compute only the channels and the window that are read"
  ) { graph, context in
    guard graph.nodes.contains(where: \.op.row.demandsLess) else { return }
    var demand = Demand(graph)
    let source = graph
    let narrowed = graph.nodeIDs.reversed().filter { demand.isNarrowed($0) && !source[$0].op.row.demandsLess }
    let refused = narrowed.filter { _ in !context.mayRewrite() }
    if !refused.isEmpty { demand = Demand(graph, keepingWhole: Set(refused)) }
    for note in demand.notes { context.note(note) }
    guard refused.count < narrowed.count else { return }
    var narrower = Narrower(graph, demand)
    graph = narrower.narrowed()
  }
}

/// Puts what is left of each node in its place.
private struct Narrower {
  private let source: Graph
  private let demand: Demand
  private var graph: Graph
  private var weightsNames: WeightsNames
  /// Slices that were made, by what they cut and to which region.
  private var slices: [Cut: ValueID] = [:]

  private struct Cut: Hashable {
    var value: ValueID
    var region: Region
  }

  init(_ graph: Graph, _ demand: Demand) {
    source = graph
    self.demand = demand
    self.graph = graph
    weightsNames = WeightsNames(graph)
  }

  mutating func narrowed() -> Graph {
    for id in source.nodeIDs {
      guard let narrowing = demand.narrowings[Int(id.index)], let op = narrowing.op else { continue }
      let result = source[id].result
      graph.values[Int(result.index)].type.shape.fixed = narrowing.region.extents
      graph[id].op = op
      if case .weights(let weights) = op.given, demand.isNarrowed(id) {
        graph[id].op = .weights(cut(weights, to: narrowing.region))
      }
    }
    // Slices need the extents of what they cut.
    for id in source.nodeIDs {
      guard let narrowing = demand.narrowings[Int(id.index)], narrowing.op != nil else { continue }
      graph[id].operands = zip(source[id].operands, narrowing.reads).compactMap { operand, read in
        read.map { part(of: operand, $0) }
      }
    }
    for (index, output) in source.outputs.enumerated() {
      graph.outputs[index].value = part(of: output.value, Region(whole: source.shape(of: output.value)))
    }
    return graph
  }

  private mutating func cut(_ weights: WeightsID, to region: Region) -> WeightsID {
    let ranges = region.ranges.map { "\($0.lowerBound)..<\($0.upperBound)" }.joined(separator: ", ")
    let numbers = Constant(region, of: source[weights])
    return graph.addWeights(numbers, called: "\(source[weights].name)[\(ranges)]", &weightsNames)
  }

  /// The value that holds a region of what `value` was: itself, what it only hands on, or slices of that.
  private mutating func part(of value: ValueID, _ region: Region) -> ValueID {
    var (origin, wanted) = (value, region)
    var narrowing = demand.narrowings[Int(source[origin].definition.index)]!
    while narrowing.op == nil {
      let operand = narrowing.reads.firstIndex { $0 != nil }!
      wanted = wanted.moved(by: narrowing.region.distances(to: narrowing.reads[operand]!))
      origin = source.definition(of: origin).operands[operand]
      narrowing = demand.narrowings[Int(source[origin].definition.index)]!
    }
    let result = slice(origin, from: narrowing.region, to: wanted)
    if origin != value { handOver(value, to: result) }
    return result
  }

  private mutating func slice(_ value: ValueID, from own: Region, to wanted: Region) -> ValueID {
    var cut = Cut(value: value, region: own)
    var result = value
    for axis in own.ranges.indices where own.ranges[axis] != wanted.ranges[axis] {
      let (from, to) = (own.ranges[axis], wanted.ranges[axis])
      cut.region.ranges[axis] = to
      if let known = slices[cut] {
        result = known
        continue
      }
      var type = graph[result].type
      type.shape.fixed[axis] = to.count
      let start = to.lowerBound - from.lowerBound
      result = graph.append(.slice(axis: axis, start: start, count: to.count), [result], type: type)
      slices[cut] = result
    }
    return result
  }

  /// Lets a value keep the name and the place of one that it stands for.
  private mutating func handOver(_ origin: ValueID, to value: ValueID) {
    if graph.origins.names[value] == nil { graph.origins.names[value] = source.origins.names[origin] }
    if graph.origins.places[value] == nil { graph.origins.places[value] = source.origins.places[origin] }
  }
}

extension Demand {
  /// Notes on values that are computed although slices leave them unread.
  fileprivate var notes: [PassNote] {
    var reads = [Set<Region>](repeating: [], count: graph.values.count)
    for (node, narrowing) in zip(graph.nodes, narrowings) {
      guard let narrowing else { continue }
      for (operand, read) in zip(node.operands, narrowing.reads) {
        if let read { reads[Int(operand.index)].insert(read) }
      }
    }
    for output in graph.outputs {
      reads[Int(output.value.index)].insert(Region(whole: graph.shape(of: output.value)))
    }
    return graph.nodeIDs.compactMap { id in
      let value = graph[id].result
      guard let narrowing = narrowings[Int(id.index)], !graph[id].op.isLeaf else { return nil }
      let regions = reads[Int(value.index)]
      // The cycle itself reads all of it in the end.
      if endless.contains(id), regions.contains(where: { $0 != narrowing.region }) {
        return PassNote(
          .note, of: value, in: graph, "all of it is computed: its window grows with each round of its cycle")
      }
      let read = regions.reduce(0) { $0 + $1.count }
      guard read < narrowing.region.count else { return nil }
      let reason = narrowing.obstacle ?? "what lies between its slices is computed, too"
      return PassNote(
        .note, of: value, in: graph,
        "\(narrowing.region.count) positions are computed of which \(read) are read: \(reason)")
    }
  }
}
