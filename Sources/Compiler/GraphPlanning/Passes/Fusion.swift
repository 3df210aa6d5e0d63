// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Lets maps share one loop with each other, and with the fold whose results they go on with.
  ///
  ///     buffer 0 ← conv(x)           for each channel and frame
  ///     buffer 1 ← tanh(buffer 0)
  ///     y ← buffer 1 + x
  /// →
  ///     y ← tanh(conv(x)) + x
  ///
  /// Chains, diamonds, several results and siblings alike: a map joins the first one that runs after all its other
  /// operands are there. Numbers that pass from one to the other stay in registers, and are written only if another
  /// kernel reads them. Nothing is computed twice. A map that reads a fold's results number by number becomes part of
  /// the fold's epilogue; a fold's operands stay in memory.
  ///
  /// Legal where a loop reads what it writes only at the same place, and where an output that may alias an input is
  /// written when its number has been read, or in a later kernel. No other round of a fold reads what its epilogue
  /// writes. The kernels of a cycle share loops with each other, not with those around it; two cycles of one loop each,
  /// frame by frame, become one, so that their latencies overlap. A hold has no such latency, and joins only other
  /// holds.
  ///
  /// A kernel stays below a cost and a number of rows. A processor looks some hundred instructions ahead: in a short
  /// kernel it computes many vectors at once, in a long one it waits for the chain of a few, and reading another loop's
  /// results from memory costs less. Vector code does not join scalar code. For epilogues see `Epilogue`.
  package static let fusion = KernelPass(
    name: "fusion", summary: "lets maps share one loop with each other and with the fold before them"
  ) { graph, context in
    let tile = graph.graph.clock == .step ? 1 : Plan.tileFrames
    // Maps find together first: a fold takes all that follows it, or what follows stays one loop.
    var fillsEpilogues = false
    while true {
      let before = context.rewrites
      var fusion = Fusion(
        graph, for: context.target, goal: context.goal, fillsEpilogues: fillsEpilogues)
      let blockKernels = fusion.fused(graph.blockKernels, span: tile, isCycle: false, &context)
      let kernels = fusion.fused(graph.kernels, span: tile, isCycle: false, &context)
      graph = graph.replacing(blockKernels: blockKernels, kernels: kernels)
      // Where kernels have joined, others come within reach.
      guard context.rewrites == before else { continue }
      if fillsEpilogues { return }
      fillsEpilogues = true
    }
  }
}

/// One walk over the kernels, each of which joins an earlier one or stays.
private struct Fusion {
  /// The most accesses that one map may walk along.
  private static let maximumWalks = 48
  /// The most numbers that are copied in the loop of another copy, before they are needed: more would take memory, and leave
  /// the caches.
  private static let mostCopied = 1 << 14

  private let graph: Graph
  private let target: Target
  private let goal: Goal
  /// Whether maps join folds, too.
  private let fillsEpilogues: Bool
  /// How many kernels read each buffer from memory.
  private var readers: [Int]

  init(_ kernels: KernelGraph, for target: Target, goal: Goal, fillsEpilogues: Bool) {
    graph = kernels.graph
    (self.target, self.goal) = (target, goal)
    self.fillsEpilogues = fillsEpilogues
    readers = [Int](repeating: 0, count: kernels.buffers.count)
    for kernel in kernels.allKernels.flatMap(\.leaves) {
      for id in kernel.buffersRead { readers[id.index] += 1 }
    }
  }

  /// The most that one map may cost, in vector instructions of one vector. Where a multiply-add is two instructions, so
  /// are many others: there the same map has twice as many.
  private var maximumCost: Int { target.hasFMA ? 34 : 17 }

  /// The kernels of one list while they are fused.
  private struct List {
    var kernels: [Kernel] = []
    /// The elementwise cost of each of them.
    var costs: [Int] = []
    var lastReader: [Location: Int] = [:]
    var lastWriter: [Location: Int] = [:]
    /// The frames that they run for together.
    let span: Int
    let isCycle: Bool

    mutating func note(_ kernel: Kernel, at position: Int) {
      let (reads, writes) = kernel.accesses
      for access in reads {
        lastReader[access.location] = max(position, lastReader[access.location] ?? position)
      }
      for access in writes {
        lastWriter[access.location] = max(position, lastWriter[access.location] ?? position)
      }
    }
  }

  mutating func fused(
    _ kernels: [Kernel], span: Int, isCycle: Bool, _ context: inout KernelPass.Context
  ) -> [Kernel] {
    var list = List(span: span, isCycle: isCycle)
    for kernel in kernels {
      var kernel = kernel
      if case .cycle(var cycle) = kernel {
        cycle.kernels = fused(cycle.kernels, span: cycle.span, isCycle: true, &context)
        kernel = .cycle(cycle)
      }
      if let loop = kernel.loop, let host = host(ofLoop: loop, in: list), context.mayRewrite() {
        join(loop, to: host, in: &list)
        list.note(kernel, at: host)
        continue
      }
      if case .map(let map) = kernel, let host = host(of: map, in: list), context.mayRewrite() {
        join(map, to: host, in: &list)
        list.note(kernel, at: host)
      } else {
        list.note(kernel, at: list.kernels.count)
        list.kernels.append(kernel)
        list.costs.append(cost(of: (kernel.elementwise ?? kernel.loop)?.nodes ?? []))
      }
    }
    return list.kernels
  }

  private func cost(of nodes: [NodeID]) -> Int { nodes.reduce(0) { $0 + graph[$1].op.cost } }

  // MARK: Where a map may go

  /// The first map that another one can join: the last producer of its operands, or one close to the end.
  private func host(of map: MapKernel, in list: List) -> Int? {
    let earliest = earliestPosition(of: map, in: list)
    guard earliest < list.kernels.count else { return nil }
    if canJoin(map, earliest, in: list) { return earliest }
    return
      (max(earliest + 1, list.kernels.count - Kernel.joiningReach)..<max(earliest + 1, list.kernels.count))
      .first { canJoin(map, $0, in: list) }
  }

  /// The first cycle of one loop that the loop of another one can join.
  private func host(ofLoop map: MapKernel, in list: List) -> Int? {
    let earliest = max(earliestPosition(of: map, in: list), list.kernels.count - Kernel.joiningReach)
    guard earliest < list.kernels.count else { return nil }
    return (earliest..<list.kernels.count).first { position in
      guard let host = list.kernels[position].loop, let map = map.walked(over: host.space) else {
        return false
      }
      return map.loads.allSatisfy { host.loads[$0.key] ?? $0.value == $0.value }
        && (HoldLoop(host, in: graph) == nil) == (HoldLoop(map, in: graph) == nil)
        && list.costs[position] + cost(of: map.nodes) <= Kernel.maximumLongCost
        && host.loads.count + host.stores.count + map.loads.count + map.stores.count <= Self.maximumWalks
    }
  }

  private func canJoin(_ map: MapKernel, _ position: Int, in list: List) -> Bool {
    let kernel = list.kernels[position]
    guard let host = kernel.elementwise, let map = map.walked(over: host.space) else { return false }
    // One value, one register: two walks over it, each broadcast in its own way, are two.
    guard map.loads.allSatisfy({ host.loads[$0.key] ?? $0.value == $0.value }) else { return false }
    let cost = list.costs[position] + cost(of: map.nodes)
    let walks = host.loads.count + host.stores.count + map.loads.count + map.stores.count
    if map.isTurn || host.isTurn { return false }
    switch kernel {
    case .map(let own):
      // What computes in vectors does not join what has to go number by number.
      let computesNothing = own.nodes.isEmpty && map.nodes.isEmpty
      if computesNothing, graph.clock == .step, map.space.count > Self.mostCopied, !isHanded(map, by: own),
        !map.loads.contains(where: { own.loads[$0.key] == $0.value })
      {
        return false
      }
      guard computesNothing || own.isComputedInVectors == map.isComputedInVectors else { return false }
      let staysLong = list.isCycle || goal == .size
      return cost <= (staysLong ? Kernel.maximumLongCost : maximumCost) && walks <= Self.maximumWalks
    case .fold(let fold):
      return fillsEpilogues && isHanded(map, by: host)
        && fold.isComputedInVectors == map.isComputedInVectors
        && Epilogue(of: fold, for: target, goal: goal).holds(cost: cost, walks: walks)
    case .sample, .cycle: return false
    }
  }

  /// Whether a map goes on with numbers of its host.
  private func isHanded(_ map: MapKernel, by host: MapKernel) -> Bool {
    map.loads.contains { host.stores.contains(Store($0.key, $0.value)) }
  }

  /// The first kernel behind which a map depends on nothing: it may join this one, or come after it.
  private func earliestPosition(of map: MapKernel, in list: List) -> Int {
    var earliest = 0
    for (value, access) in map.loads {
      guard let writer = list.lastWriter[access.location] else { continue }
      switch access.location {
      case .buffer:
        let isHanded = list.kernels[writer].hands(value, to: map)
        earliest = max(earliest, isHanded ? writer : writer + 1)
      case .history:
        // What was written in the same span.
        if access.delay < list.span { earliest = max(earliest, writer + 1) }
      case .input, .output, .weights, .parameter:
        break
      }
    }
    for store in map.stores {
      earliest = max(earliest, list.lastWriter[store.access.location] ?? 0)
      switch store.access.location {
      case .output(let port):
        guard graph.mayAlias(port), let reader = list.lastReader[.input(port)] else { continue }
        let goesInStep = list.kernels[reader].goesInStep(
          with: map, reading: .input(port), writing: store.access.location)
        earliest = max(earliest, goesInStep ? reader : reader + 1)
      case .buffer:
        if let reader = list.lastReader[store.access.location] { earliest = max(earliest, reader + 1) }
      case .history, .input, .weights, .parameter:
        break
      }
    }
    return earliest
  }

  // MARK: Joining

  private mutating func join(_ map: MapKernel, to position: Int, in list: inout List) {
    let old = list.kernels[position]
    guard var host = old.elementwise ?? old.loop, let map = map.walked(over: host.space) else { return }
    var isComputed = Set(old.nodes)
    for (value, access) in map.loads where host.loads[value] == nil {
      guard !isComputed.contains(graph[value].definition) else { continue }
      host.loads[value] = access
    }
    for node in map.nodes where isComputed.insert(node).inserted {
      host.nodes.append(node)
      list.costs[position] += graph[node].op.cost
    }
    host.stores += map.stores
    // Who read a buffer before and does so no longer: the two are one reader, or none.
    let (before, read) = (old.buffersRead, old.replacingElementwise(host).buffersRead)
    for id in Kernel.map(map).buffersRead where before.contains(id) || !read.contains(id) {
      readers[id.index] -= 1
    }
    host.stores.removeAll { store in
      if case .buffer(let id) = store.access.location { readers[id.index] == 0 } else { false }
    }
    list.kernels[position] = old.replacingElementwise(host)
  }
}

extension Kernel {
  /// The buffers that it reads, each once.
  fileprivate var buffersRead: Set<BufferID> {
    Set(accesses.reads.compactMap { if case .buffer(let id) = $0.location { id } else { nil } })
  }

  fileprivate func replacingElementwise(_ map: MapKernel) -> Kernel {
    switch self {
    case .map: return .map(map)
    case .fold(var fold):
      fold.epilogue = map
      return .fold(fold)
    case .cycle(let cycle): return .cycle(CycleKernel(span: cycle.span, [.map(map)]))
    case .sample: return self
    }
  }

  /// Whether it writes the value where a map over its space reads it, in the same walk.
  fileprivate func hands(_ value: ValueID, to map: MapKernel) -> Bool {
    guard let host = elementwise, let access = map.walked(over: host.space)?.loads[value] else {
      return false
    }
    return host.stores.contains(Store(value, access))
  }

  /// Whether it and a map behind it, as one kernel, write each number of an output at the moment it was read from the
  /// input.
  fileprivate func goesInStep(with map: MapKernel, reading input: Location, writing output: Location) -> Bool
  {
    guard var host = elementwise, let map = map.walked(over: host.space) else { return false }
    for (value, access) in map.loads where host.loads[value] == nil { host.loads[value] = access }
    host.stores += map.stores
    return replacingElementwise(host).goesInStep(reading: input, writing: output)
  }
}
