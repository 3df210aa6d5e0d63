// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Checks the invariants of kernels, independently of how they were made.
///
/// Each walk stays within its place for all rounds of its loops; loops are as long as the shapes of what they compute;
/// a map has its operands before it uses them; every number of a buffer is written before it is read, and
/// every number of an output and a history is written; what is given is not; histories are read as far back as they
/// reach, and after the frames that are read were written; what a cycle of columns has of the frame at hand only is read
/// within it; no round of a fold writes what another one reads; in-place execution overwrites nothing that is still read.
package struct KernelVerifier {
  let graph: KernelGraph
  var violations: [String] = []
  private(set) var coverage = Coverage()
  /// The cycles that the kernel at hand is in, the outermost first.
  private var cycles: [Enclosure] = []
  /// For each history, the cycles that its writers are in.
  private let feeders: [HistoryID: [[Enclosure]]]
  /// Of the cycle along an axis at hand its positions, and the buffers of which it reads what it wrote before.
  private var positions: CycleKernel.Positions?
  private var readBehind: Set<BufferID> = []
  /// For each buffer with numbers of one frame of a cycle of columns, the cycles that its writer is in.
  private let ofOneFrame: [BufferID: [[Enclosure]]]

  /// A cycle by its place among the kernels around it.
  fileprivate struct Enclosure: Hashable {
    var position: Int
    var span: Int
    var layout: FrameLayout
  }

  package static func violations(in graph: KernelGraph) -> [String] {
    var verifier = KernelVerifier(graph)
    verifier.check()
    return verifier.violations
  }

  private init(_ graph: KernelGraph) {
    self.graph = graph
    var feeders: [HistoryID: [[Enclosure]]] = [:]
    var ofOneFrame: [BufferID: [[Enclosure]]] = [:]
    func visit(_ kernels: [Kernel], in cycles: [Enclosure]) {
      for (position, kernel) in kernels.enumerated() {
        if case .cycle(let cycle) = kernel {
          visit(cycle.kernels, in: cycles + [cycle.enclosure(at: position)])
          continue
        }
        for location in kernel.accesses.writes.map(\.location) {
          switch location {
          case .history(let id): feeders[id, default: []].append(cycles)
          case .buffer(let id):
            guard cycles.last?.layout == .columns, case .elements = graph.buffers[id.index].extent else {
              break
            }
            ofOneFrame[id, default: []].append(cycles)
          case .input, .output, .weights, .parameter: break
          }
        }
      }
    }
    visit(graph.kernels, in: [])
    (self.feeders, self.ofOneFrame) = (feeders, ofOneFrame)
  }

  private mutating func check() {
    for (index, kernel) in graph.blockKernels.enumerated() {
      let name = "block kernel \(index)"
      check(kernel, name)
      let (reads, writes) = kernel.accesses
      if !reads.allSatisfy({ lasts($0.location) }) {
        violations.append("\(name) reads what is new in each step")
      }
      if !writes.allSatisfy({ lasts($0.location) }) { violations.append("\(name) writes what does not last") }
    }
    if let settling = graph.settling { check(.map(settling), "the settling kernel") }
    checkAll(graph.kernels, "kernel ")
    for (index, output) in graph.graph.outputs.enumerated()
    where !coverage.isWhole(.output(index), graph.graph.shape(of: output.value).count) {
      violations.append("not all of output \(output.name) is written")
    }
    for (index, history) in graph.histories.enumerated()
    where !coverage.isWhole(.history(HistoryID(index)), history.width) {
      violations.append("not all of history \(index) is written")
    }
    let inPlace = InPlace(graph.kernels)
    for index in graph.graph.inputs.indices
    where graph.graph.mayAlias(index) && !inPlace.isHarmless(index) {
      violations.append("input \(index) is read after output \(index) overwrote it")
    }
  }

  /// Whether numbers stay what they are until a stepped parameter, or an array parameter, changes.
  private func lasts(_ location: Location) -> Bool {
    switch location {
    case .buffer(let id): graph.buffers[id.index].lifetime == .held
    case .input(let port): graph.graph.inputs[port].isArrayParameter
    case .weights, .parameter: true
    case .output, .history: false
    }
  }

  private mutating func checkAll(_ kernels: [Kernel], _ prefix: String) {
    for (position, kernel) in kernels.enumerated() {
      let name = "\(prefix)\(position)"
      guard case .cycle(let cycle) = kernel else {
        check(kernel, name)
        checkRamps(kernel, name)
        continue
      }
      let around = cycles.last?.span ?? Plan.tileFrames
      if !(1..<around).contains(cycle.span) {
        violations.append("\(name) has spans of \(cycle.span) frames within \(around)")
      }
      if cycle.layout == .columns, cycle.span != 1 { violations.append("\(name) has columns of spans") }
      cycles.append(cycle.enclosure(at: position))
      let outer = positions
      positions = cycle.positions
      let pasts = positions.map { self.pasts(of: cycle.kernels, $0, name) } ?? []
      readBehind.formUnion(pasts)
      checkAll(cycle.kernels, name + ".")
      positions = outer
      readBehind.subtract(pasts)
      for id in pasts where !coverage.isWhole(.buffer(id), graph.buffers[id.index].extent.count) {
        violations.append("\(name) reads more of buffer \(id.index) than is written")
      }
      cycles.removeLast()
    }
  }

  /// Only maps over frames, and samples, know where a ramp has come to.
  private mutating func checkRamps(_ kernel: Kernel, _ name: String) {
    guard graph.graph.clock == .stream else { return }
    let isOverFrames = kernel.elementwise.map { $0.space.inner == .frames && !$0.isTurn } ?? false
    let reads: [Access] =
      switch kernel {
      case .map: isOverFrames ? [] : kernel.accesses.reads
      case .fold(let fold): isOverFrames ? fold.operands : kernel.accesses.reads
      case .sample, .cycle: []
      }
    for case .parameter(let index) in reads.map(\.location)
    where graph.graph.parameters[index].rampFrames > 0 {
      violations.append("\(name) reads parameter \(index), whose ramp it does not follow")
    }
  }

  private mutating func check(_ kernel: Kernel, _ name: String) {
    if kernel.elementwise?.space.isWalked == true, positions == nil {
      violations.append("\(name) is part of a cycle along an axis, and is in none")
    }
    switch kernel {
    case .map(let map):
      checkValues(of: map, name)
      let goesAlongColumns = map.space.inner == .frames && !map.isTurn
      if goesAlongColumns, map.hasColumns { violations.append("\(name) computes along columns") }
    case .fold(let fold):
      let extent = graph.graph.shape(of: graph.graph[fold.node].result).count
      let rounds = fold.goesOn ? positions?.count ?? 1 : 1
      // Whether the other parts are there shows in what is written.
      let isWhole = fold.space.count == extent * rounds
      if fold.isPart ? fold.space.count >= extent : !isWhole {
        violations.append("\(name) loops over \(fold.space.count) of \(extent) numbers")
      }
      let mostRows = fold.tile.rowAxis.map { fold.space.extents[$0] } ?? 1
      if !(1...mostRows).contains(fold.tile.rows) || fold.tile.vectors < 1 {
        violations.append("\(name) has tiles of \(fold.tile.rows) of \(mostRows) rows")
      }
      check(lines: fold.tile, of: fold.space, name)
      if fold.tile.isAlongTerms, !graph.canGoAlongTerms(fold) {
        violations.append("\(name) goes along terms that do not lie one after the other")
      }
      if let axis = fold.tile.rowAxis, fold.space.isWalked, axis == 0 {
        violations.append("\(name) has rows along the axis that its cycle goes through")
      }
      if fold.fetchesAhead, !fold.canFetchAhead {
        violations.append("\(name) fetches what is not read panel after panel")
      }
      checkValues(
        of: fold.epilogue, ofPart: fold.isPart ? extent : nil, given: graph.graph[fold.node].result, name)
      if fold.epilogue.hasColumns { violations.append("\(name) computes along columns") }
      checkRounds(of: fold, name)
    // A sample is constant in a tile, and so in each span of it.
    case .sample: break
    case .cycle: violations.append("\(name) is a cycle among the kernels of parameters")
    }
    let (reads, writes) = kernel.walks
    for (access, loops) in reads {
      checkBounds(access, loops, "\(name) reads")
      checkIsWritten(access, loops, name)
    }
    for (access, loops) in writes {
      checkBounds(access, loops, "\(name) writes")
      switch access.location {
      case .input, .weights, .parameter: violations.append("\(name) writes \(access.location)")
      case .buffer, .output: coverage.add(access, loops, of: extent(of: access.location).count)
      case .history(let id):
        coverage.add(access, loops, of: extent(of: access.location).count)
        if access.delay != 0 { violations.append("\(name) writes earlier frames of history \(id.index)") }
      }
    }
  }

  // MARK: Values

  /// A map loads or computes what it uses, and its values fit its loops.
  ///
  /// - Parameters:
  ///   - all: The numbers of a fold of which it computes a part; nil where it computes all.
  ///   - given: The result of the fold that the map is the epilogue of.
  private mutating func checkValues(
    of map: MapKernel, ofPart all: Int? = nil, given: ValueID? = nil, _ name: String
  ) {
    var known = Set(map.loads.keys)
    if let given { known.insert(given) }
    func fits(_ value: ValueID) -> Bool {
      let shape = graph.graph.shape(of: value)
      return (shape.count == all ?? map.space.count || shape.count == 1)
        && (shape.frames == nil || isInColumns || map.space.inner == .frames)
    }
    func isNumber(_ value: ValueID) -> Bool { graph.uniform.contains(value) || graph.held.contains(value) }
    for id in map.nodes {
      let node = graph.graph[id]
      for operand in node.operands
      where !known.contains(operand) && !graph.graph.definition(of: operand).op.isLiteral {
        violations.append("\(name) uses %\(operand.index) before it has it")
      }
      if !fits(node.result) && !isNumber(node.result) {
        violations.append("\(name) computes %\(node.result.index) in loops that do not fit it")
      }
      known.insert(node.result)
    }
    for index in map.loads.values.compactMap(\.index?.value)
    where !known.contains(index) && !graph.graph.definition(of: index).op.isLiteral {
      violations.append("\(name) reads where %\(index.index) says, which it does not have")
    }
    for value in map.stores.compactMap(\.value) {
      if !known.contains(value) && !graph.graph.definition(of: value).op.isLiteral {
        violations.append("\(name) stores %\(value.index) before it has it")
      }
    }
  }

  /// Checks that the lines of a tile divide an axis of a counted space, which is neither that of its rows nor a cycle's.
  private mutating func check(lines tile: FoldTile, of space: Space, _ name: String) {
    guard let axis = tile.lineAxis else {
      if tile.lines != 1 { violations.append("\(name) has tiles of \(tile.lines) lines along no axis") }
      return
    }
    let axes = space.extents.indices.dropFirst(space.isWalked ? 1 : 0)
    let isCounted = if case .count = space.inner { true } else { false }
    guard isCounted, tile.rowAxis != nil, tile.rowAxis != axis, !tile.isAlongTerms, axes.contains(axis) else {
      return violations.append("\(name) has lines along axis \(axis), which cannot have any")
    }
    let extent = space.extents[axis]
    if !(1...extent).contains(tile.lines) || extent % tile.lines != 0 {
      violations.append("\(name) has tiles of \(tile.lines) of \(extent) lines")
    }
  }

  /// Checks that an epilogue does not write what a later round of its fold, or of itself, still reads.
  private mutating func checkRounds(of fold: FoldKernel, _ name: String) {
    let loops = Loops(fold.space, reduced: fold.reduced)
    for place in Set(fold.epilogue.stores.map(\.access.location)) {
      let stores = fold.epilogue.stores.map(\.access).filter { $0.location == place }
      // Of a cycle along an axis one position goes on at a time.
      func isApart(_ access: Access, _ loops: Loops) -> Bool {
        guard fold.space.isWalked else { return false }
        let own = access.atOnePosition(of: loops)
        return stores.allSatisfy { !$0.atOnePosition(of: Loops(fold.space)).overlaps(own) }
      }
      let operands = fold.operands.filter {
        $0.location == place && !readsThePast($0, loops) && !isApart($0, loops)
          && !fold.takesSums(by: $0)
      }
      let loads = fold.epilogue.loads.values.filter {
        $0.location == place && !readsThePast($0, Loops(fold.space)) && !isApart($0, Loops(fold.space))
      }
      if !operands.isEmpty || !(loads.isEmpty || (loads + stores).goInStep(over: fold.space)) {
        violations.append("\(name) writes \(place), which another of its rounds reads")
      }
    }
  }

  /// Whether a walk sees only frames of a history that no kernel of the same tile (or span of a cycle, or step) writes.
  private func readsThePast(_ access: Access, _ loops: Loops) -> Bool {
    guard case .history(let id) = access.location else { return false }
    return access.delays(of: loops).lowerBound >= framesAtOnce(for: id)
  }

  /// The most frames that are written to a history from one time that the kernel at hand runs to the next: a span of
  /// the innermost cycle that the two have in common.
  private func framesAtOnce(for id: HistoryID) -> Int {
    guard graph.graph.clock == .stream else { return 1 }
    let spans = (feeders[id] ?? []).map { writer in
      zip(cycles, writer).prefix { $0 == $1 }.last?.0.span ?? Plan.tileFrames
    }
    return spans.max() ?? Plan.tileFrames
  }

  // MARK: Places

  private var isInColumns: Bool { cycles.last?.layout == .columns }

  /// How many numbers a frame has in a place, and how they lie; nil where they are not those of one frame of many.
  private func extent(of location: Location) -> (count: Int, layout: FrameLayout?) {
    let isStream = graph.graph.clock == .stream
    let port: FrameLayout? = isStream ? .rows : nil
    switch location {
    case .input(let index): return (graph.graph.inputs[index].type.shape.count, port)
    case .output(let index): return (graph.graph.shape(of: graph.graph.outputs[index].value).count, port)
    case .buffer(let id):
      switch graph.buffers[id.index].extent {
      case .rows(let count): return (count, .rows)
      case .elements(let count): return (count, nil)
      case .columns(let count): return (count, .columns)
      }
    case .weights(let offset): return (graph.weights.count - offset, nil)
    case .parameter: return (1, nil)
    case .history(let id):
      let history = graph.histories[id.index]
      return (history.width, isStream ? history.layout : nil)
    }
  }

  private mutating func checkBounds(_ access: Access, _ loops: Loops, _ what: String) {
    guard access.strides.count == loops.extents.count, access.delayStrides.count == loops.extents.count else {
      violations.append(
        "\(what) \(access.location) with \(access.strides.count) of \(loops.extents.count) strides")
      return
    }
    let (count, layout) = extent(of: access.location)
    if isInColumns, loops.inner == .frames { violations.append("\(what) frames in a cycle of columns") }
    switch (loops.inner, layout) {
    case (.frames, .rows):
      if access.innerStride != 1 { violations.append("\(what) rows of \(access.location) as one number") }
    case (.frames, nil):
      if access.innerStride != 0 { violations.append("\(what) numbers of \(access.location) as frames") }
    case (.frames, .columns):
      if case .buffer = access.location, access.innerStride == FrameLayout.columnPitch(count) { break }
      violations.append("\(what) columns of \(access.location) as rows")
    case (.count, .rows):
      if isInColumns, access.innerStride == 0 { break }
      violations.append("\(what) rows of \(access.location) as numbers")
    case (.count, .columns):
      if !isInColumns { violations.append("\(what) columns of \(access.location), and no frame's") }
    case (.count, nil): break
    }
    let places = access.places(of: loops)
    let last = places.upperBound + (access.index?.furthest ?? 0)
    if places.lowerBound < 0 || last >= count {
      violations.append("\(what) \(access.location) from \(places.lowerBound) to \(last) of \(count)")
    }
    guard case .history(let id) = access.location else { return }
    let delays = access.delays(of: loops)
    let length = graph.histories[id.index].length
    if case .frames(let tap) = access.index?.reach, tap.maximum > length {
      violations.append("\(what) history \(id.index) up to \(tap.maximum) back; it has \(length)")
    }
    if delays.lowerBound < 0 || delays.upperBound > length {
      violations.append(
        "\(what) history \(id.index) from \(delays.lowerBound) to \(delays.upperBound) back; it has \(length)"
      )
    }
  }

  private mutating func checkIsWritten(_ access: Access, _ loops: Loops, _ name: String) {
    switch access.location {
    case .buffer(let id):
      let buffer = graph.buffers[id.index]
      if let writers = ofOneFrame[id], !writers.allSatisfy({ $0 == cycles }) {
        violations.append("\(name) reads one frame's numbers of buffer \(id.index) outside of their cycle")
      }
      guard buffer.lifetime != .state, !readBehind.contains(id),
        !coverage.isWhole(access.location, buffer.extent.count), !coverage.covers(access, loops)
      else { return }
      violations.append("\(name) reads buffer \(id.index) before all that it reads is written")
    case .history(let id):
      if graph.graph.clock == .stream, graph.histories[id.index].layout == .columns,
        feeders[id]?.allSatisfy({ $0 == cycles }) != true
      {
        violations.append("\(name) reads columns of history \(id.index) outside of their cycle")
      }
      let isThere = coverage.isWhole(access.location, graph.histories[id.index].width)
      guard !readsThePast(access, loops), !isThere else { return }
      violations.append("\(name) reads frames of history \(id.index) before they are written")
    case .input, .output, .weights, .parameter:
      break
    }
  }
}

extension CycleKernel {
  fileprivate func enclosure(at position: Int) -> KernelVerifier.Enclosure {
    KernelVerifier.Enclosure(position: position, span: span, layout: layout)
  }
}
