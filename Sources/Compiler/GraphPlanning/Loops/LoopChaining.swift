// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Joins loops of one form that feed each other in one cycle, where they run side by side.
  ///
  ///     cycle   v ← loop over x          each: frame by frame
  ///     map     w ← of v and x
  ///     cycle   y ← loop over w
  /// →
  ///     cycle   w ← loop over x, and what the map makes of it
  ///             y ← loop over w
  ///
  /// Legal because a loop reads only the present frame of the one before it, so that the order of frames and loops may
  /// change. Maps between the loops join the loop before them; unrelated kernels go before all of them. Holds stay, as
  /// they have no latency to overlap. For the native code of such a cycle see `Wavefront`.
  ///
  /// A single loop of many rows is joined by the other readers of its state, which can then stay in registers, with the
  /// rows in lanes.
  ///
  ///     cycle   v ← loop over x                   frame by frame, each v into memory
  ///     map     y ← of v, and of v a frame ago
  /// →
  ///     cycle   y ← loop over x, and what the map makes of it
  ///
  /// Legal for the same reason. The loop may read a history that the map writes, but only beyond the frames that it
  /// runs through at a time.
  package static let loopChaining = KernelPass(
    name: "loop-chaining",
    summary: "lets loops of one form that feed each other, and the rows of one, run side by side"
  ) { graph, context in
    guard context.goal == .speed, graph.graph.clock == .stream else { return }
    var chaining = LoopChaining(graph, for: context.target)
    let kernels = chaining.chained(graph.kernels, &context)
    graph = graph.replacing(kernels: kernels)
  }
}

/// One walk over the kernels that looks for chains of loops.
private struct LoopChaining {
  private let kernels: KernelGraph
  private let target: Target
  private let readers: [Location: Int]
  /// The most that the kernels at hand go through at a time.
  private var frames = Plan.tileFrames

  /// A chain of loops, with the kernels between them and those that go before them.
  private struct Chain {
    var loops: [ChainedLoop]
    var before: [Kernel]
    /// The first kernel behind them.
    var end: Int
  }

  init(_ kernels: KernelGraph, for target: Target) {
    self.kernels = kernels
    self.target = target
    readers = kernels.readersOfPlaces
  }

  mutating func chained(_ list: [Kernel], _ context: inout KernelPass.Context) -> [Kernel] {
    var result: [Kernel] = []
    var position = 0
    while position < list.count {
      if let chain = chain(from: position, in: list), context.mayRewrite() {
        result += chain.before
        result.append(.cycle(CycleKernel(span: 1, chain.loops.map { .map($0.map) })))
        position = chain.end
        continue
      }
      var kernel = list[position]
      if case .cycle(var cycle) = kernel, cycle.span > 1 {
        let around = frames
        frames = min(frames, cycle.span)
        cycle.kernels = chained(cycle.kernels, &context)
        frames = around
        kernel = .cycle(cycle)
      }
      result.append(kernel)
      position += 1
    }
    return result
  }

  /// The longest chain that begins here; where there is none, one loop with the readers of its state.
  private func chain(from position: Int, in list: [Kernel]) -> Chain? {
    guard let loop = list[position].loop, HoldLoop(loop, in: kernels.graph) == nil else { return nil }
    let alone = Chain(loops: [ChainedLoop(loop)], before: [], end: position + 1)
    return longest(alone, in: list) ?? withWhatReadsItsPast(alone, in: list)
  }

  private func longest(_ alone: Chain, in list: [Kernel]) -> Chain? {
    var chain = alone
    var longest: Chain?
    repeat {
      let bare = chain
      joinWhatFollows(&chain, in: list)
      // The last loop may be one only without what follows it.
      guard let good = [chain, bare].first(where: isWavefront) ?? (chain.loops.count == 1 ? chain : nil)
      else { break }
      if good.loops.count > 1 { longest = good }
    } while append(&chain, from: list)
    return longest
  }

  /// A loop of many rows with the fewest maps that let its rows run in lanes; nil where they do so alone.
  private func withWhatReadsItsPast(_ alone: Chain, in list: [Kernel]) -> Chain? {
    let rows = alone.loops[0].map.space.extents.last ?? 1
    guard rows >= Wavefront.leastRowsInLanes, !goesInLanes(alone) else { return nil }
    var chain = alone
    joinWhatFollows(&chain, in: list, until: goesInLanes)
    return goesInLanes(chain) ? chain : nil
  }

  private func goesInLanes(_ chain: Chain) -> Bool {
    Wavefront(alone: chain.loops[0], in: kernels, readers: readers, for: target, frames: frames) != nil
  }

  private func isWavefront(_ chain: Chain) -> Bool {
    Wavefront(chain.loops, in: kernels, readers: readers, for: target, frames: frames) != nil
  }

  /// Appends the next loop that reads the last one's results; false where there is none.
  private func append(_ chain: inout Chain, from list: [Kernel]) -> Bool {
    guard chain.loops.count < Wavefront.mostLanes(for: target) else { return false }
    var longer = chain
    while longer.end < list.count, longer.before.count <= chain.before.count + Kernel.joiningReach {
      let kernel = list[longer.end]
      longer.end += 1
      if let loop = kernel.loop, reads(.map(loop), ofLastOf: longer) {
        longer.loops.append(ChainedLoop(loop))
        chain = longer
        return true
      }
      guard isIndependent(kernel, of: longer) else { return false }
      longer.before.append(kernel)
    }
    return false
  }

  /// Joins the maps that read the last loop's results to it, until there are enough.
  private func joinWhatFollows(
    _ chain: inout Chain, in list: [Kernel], until isEnough: (Chain) -> Bool = { _ in false }
  ) {
    var longer = chain
    while !isEnough(chain), longer.end < list.count,
      longer.before.count <= chain.before.count + Kernel.joiningReach
    {
      let kernel = list[longer.end]
      longer.end += 1
      let last = longer.loops.count - 1
      if case .map(let map) = kernel, !map.isTurn, reads(kernel, ofLastOf: longer) {
        guard let joined = join(map, to: longer.loops[last]) else { break }
        longer.loops[last] = joined
        chain = longer
      } else {
        guard isIndependent(kernel, of: longer) else { break }
        longer.before.append(kernel)
      }
    }
  }

  private func reads(_ kernel: Kernel, ofLastOf chain: Chain) -> Bool {
    let places = Set(chain.loops[chain.loops.count - 1].map.stores.map(\.access.location))
    return kernel.accesses.reads.contains { access in
      if case .buffer = access.location { places.contains(access.location) } else { false }
    }
  }

  /// Whether a kernel can run before a chain that it stands behind.
  private func isIndependent(_ kernel: Kernel, of chain: Chain) -> Bool {
    let (reads, writes) = kernel.accesses
    let written = Set(chain.loops.flatMap { $0.map.stores.map(\.access.location) })
    let read = Set(chain.loops.flatMap { $0.map.loads.values.map(\.location) })
    let isLocal = writes.allSatisfy { if case .buffer = $0.location { true } else { false } }
    return isLocal && !(reads + writes).contains { written.contains($0.location) }
      && !writes.contains { read.contains($0.location) }
  }

  /// The loop and a map of its results as one loop; nil where the map reads other places, or more of them.
  private func join(_ map: MapKernel, to loop: ChainedLoop) -> ChainedLoop? {
    guard let own = map.walked(over: loop.map.space) else { return nil }
    var result = loop
    result.note(map)
    var isComputed = Set(loop.map.nodes)
    for (value, access) in own.loads {
      if let other = loop.map.loads[value] {
        guard other == access else { return nil }
      } else if isComputed.contains(kernels.graph[value].definition) {
        guard loop.map.stores.contains(Store(value, access)) else { return nil }
      } else {
        // A part of what the loop writes, by another name, would be read before it is written.
        let isWritten = loop.map.stores.contains { $0.access.location == access.location }
        if case .buffer = access.location, isWritten { return nil }
        result.map.loads[value] = access
      }
    }
    for node in own.nodes where isComputed.insert(node).inserted { result.map.nodes.append(node) }
    result.map.stores += own.stores
    // What only the map has read stays in a register.
    result.map.stores.removeAll { store in
      guard case .buffer = store.access.location, !own.stores.contains(store) else { return false }
      return readers[store.access.location] == result.reads[store.access.location]
    }
    return kernels.costWhileSettled(of: result.map.nodes) <= Kernel.maximumLongCost ? result : nil
  }
}
