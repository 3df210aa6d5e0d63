// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Lets a value that is remembered be read in its history, where its present frames stand as well.
  ///
  ///     buffer 0, history 0 ← dense(a)
  ///     buffer 1 ← conv(history 0)
  ///     buffer 2 ← dense(buffer 1) + buffer 0
  /// →
  ///     history 0 ← dense(a)
  ///     buffer 1 ← conv(history 0)
  ///     buffer 2 ← dense(buffer 1) + history 0, 0 back
  ///
  /// Each number is stored once. Legal because all that is written to the buffer is written to the same row of the
  /// history, and because those who read it run in the same tile, behind all that writes to the history.
  ///
  /// What a cycle writes or reads stays where it is: there the past is in registers, or looked for frame by frame.
  static let presentReading = KernelPass(
    name: "present-reading", summary: "lets what is remembered be read where its past is"
  ) { graph, context in
    let found = PresentSearch(graph).histories
    var histories: [Location: Location] = [:]
    for (buffer, history) in found.sorted(by: { $0.key < $1.key }) {
      guard context.mayRewrite() else { break }
      histories[.buffer(buffer)] = .history(history)
    }
    guard !histories.isEmpty else { return }
    graph = graph.replacing(kernels: graph.kernels.map { $0.reading(histories) })
  }
}

/// The histories that have all that buffers have.
private struct PresentSearch {
  /// The history in which readers of a buffer may read.
  let histories: [BufferID: HistoryID]

  init(_ graph: KernelGraph) {
    var beside: [BufferID: Set<HistoryID>] = [:]
    var firstReader: [BufferID: Int] = [:]
    for (position, kernel) in graph.kernels.enumerated() {
      let (reads, writes) = kernel.accesses
      for case .buffer(let id) in reads.map(\.location) where firstReader[id] == nil {
        firstReader[id] = position
      }
      guard let map = kernel.elementwise else {
        for case .buffer(let id) in (reads + writes).map(\.location) { beside[id] = [] }
        continue
      }
      for store in map.stores {
        guard case .buffer(let id) = store.access.location else { continue }
        let found = map.stores.compactMap { $0.history(like: store) }
        beside[id] = beside[id]?.intersection(found) ?? Set(found)
      }
    }
    let uses = graph.historyUses
    var histories: [BufferID: HistoryID] = [:]
    for (id, found) in beside {
      histories[id] = found.sorted { $0.index < $1.index }.first { history in
        let use = uses[history.index]
        let buffer = graph.buffers[id.index]
        return buffer.lifetime == .tile && buffer.extent == .rows(graph.histories[history.index].width)
          && use.isWhole
          && firstReader[id, default: .max] > use.lastWriter
      }
    }
    self.histories = histories
  }
}

extension Store {
  /// The history to which this stores the same value in the same rows as another store; nil where it does not.
  fileprivate func history(like other: Store) -> HistoryID? {
    guard case .history(let id) = access.location else { return nil }
    var own = access
    own.location = other.access.location
    return value == other.value && own == other.access ? id : nil
  }
}

extension Kernel {
  /// The same kernel, which neither reads nor writes some places, but reads others instead.
  fileprivate func reading(_ others: [Location: Location]) -> Kernel {
    func moved(_ access: Access, _: Loops) -> Access {
      guard let other = others[access.location] else { return access }
      var access = access
      access.location = other
      return access
    }
    switch rewriting(reads: moved) {
    case .map(var map):
      map.stores.removeAll { others[$0.access.location] != nil }
      return .map(map)
    case .fold(var fold):
      fold.epilogue.stores.removeAll { others[$0.access.location] != nil }
      return .fold(fold)
    case .sample(let sample): return .sample(sample)
    case .cycle(let cycle): return .cycle(cycle)
    }
  }
}
