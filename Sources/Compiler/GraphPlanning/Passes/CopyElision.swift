// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Removes copies: readers of a copy read its source, or the source is written in the copy's place.
  ///
  ///     buffer 0 ← tanh(x)
  ///     buffer 1 ← buffer 0, row 1      a slice
  ///     buffer 2 ← buffer 1 * 2
  ///     history 0 ← buffer 2
  ///     y ← buffer 2
  /// →
  ///     buffer 0 ← tanh(x)
  ///     history 0, y ← buffer 0, row 1 * 2
  ///
  /// Slices, transpositions, broadcasts, reshapes and delays are read through; parts of a concatenation, the inside of
  /// a padding, histories and outputs are written in place. Legal because a copy changes no bit, each number of a buffer is
  /// written once before it is read, a history is read at earlier frames, and an input is not read after an output that
  /// may alias it was written.
  ///
  /// A copy stays where its reader could not use vectors without it, and where no strides describe its source; in a
  /// cycle of columns also where it keeps frames of what is there for one frame only.
  package static let copyElision = KernelPass(
    name: "copy-elision", summary: "lets copies be read, or written, where their numbers stand"
  ) { graph, context in
    var elision = CopyElision(graph)
    elision.run(&context)
    graph = graph.replacing(blockKernels: elision.blockKernels, kernels: elision.kernels)
  }
}

/// The kernels while copies are removed, with an index of readers and writers.
private struct CopyElision {
  let graph: KernelGraph
  private var uses: KernelUses

  init(_ graph: KernelGraph) {
    self.graph = graph
    uses = KernelUses(graph)
  }

  var blockKernels: [Kernel] { uses.blockKernels }
  var kernels: [Kernel] { uses.kernels }

  /// Removes copies until none can be: where one is removed, another one may become removable.
  mutating func run(_ context: inout KernelPass.Context) {
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for index in uses.leaves.indices {
        guard let copy = Copy(uses.leaves[index]) else { continue }
        guard let change = readingThrough(copy, at: index) ?? writingThrough(copy, at: index) else {
          continue
        }
        guard context.mayRewrite() else { return }
        for (leaf, kernel) in change { uses.replace(leaf, with: kernel) }
        uses.replace(index, with: nil)
        hasChanged = true
      }
    }
  }

  /// Whether a place that a cycle of columns writes has no frame but the one at hand.
  private func isOfOneFrame(_ location: Location, in space: Space) -> Bool {
    guard graph.graph.clock == .stream, space.inner != .frames else { return false }
    switch location {
    case .buffer(let id):
      if case .elements = graph.buffers[id.index].extent { return graph.buffers[id.index].lifetime == .tile }
      return false
    case .history(let id): return graph.histories[id.index].layout == .columns
    case .input, .output, .weights, .parameter: return false
    }
  }

  // MARK: Readers

  /// The readers of a copy as readers of its source, if all of them can be that.
  private func readingThrough(_ copy: Copy, at index: Int) -> [(Int, Kernel)]? {
    guard case .buffer(let id) = copy.store.location, graph.buffers[id.index].lifetime != .state,
      uses.writers(of: copy.store.location) == [index], !uses.isReadBySettling(id),
      !isOfOneFrame(copy.load.location, in: copy.space) || isOfOneFrame(copy.store.location, in: copy.space),
      let view = View(
        from: copy.store, to: copy.load, over: copy.space, count: graph.buffers[id.index].extent.count)
    else { return nil }
    var changes: [(Int, Kernel)] = []
    for reader in uses.readers(of: copy.store.location).sorted() {
      guard let kernel = uses.leaves[reader],
        let changed = rewritten(kernel, reading: copy.store.location, through: view),
        !wouldReadTooLate(changed, at: reader, copy.load.location)
      else { return nil }
      changes.append((reader, changed))
    }
    return changes
  }

  private func rewritten(_ kernel: Kernel, reading place: Location, through view: View) -> Kernel? {
    var isPossible = true
    let result = kernel.rewriting(reads: { access, loops in
      guard access.location == place else { return access }
      guard let translated = view.translate(access, loops),
        !loses(\.isReadInVectors, kernel, access, translated, loops),
        !losesTerms(kernel, access, translated), kernel.canRead(translated.location, graph.graph.clock)
      else {
        isPossible = false
        return access
      }
      return translated
    })
    return isPossible ? result : nil
  }

  /// Whether a kernel would read an input after an output that may alias it was written.
  private func wouldReadTooLate(_ kernel: Kernel, at index: Int, _ source: Location) -> Bool {
    guard case .input(let port) = source, graph.graph.mayAlias(port) else { return false }
    return uses.writers(of: .output(port)).contains { writer in
      writer < index || (writer == index && !kernel.goesInStep(reading: source, writing: .output(port)))
    }
  }

  // MARK: Writers

  /// The writers of a copy's source as writers of the copy, if all of them can be that.
  ///
  /// Other readers of the source keep it: then both places are written. Those of what is padded read it in its padding.
  private func writingThrough(_ copy: Copy, at index: Int) -> [(Int, Kernel)]? {
    guard case .buffer(let id) = copy.load.location, graph.buffers[id.index].lifetime == .tile,
      copy.store.location.isWrittenEachTile(in: graph),
      graph.graph.clock == .step || copy.space.inner == .frames
        || isOfOneFrame(copy.load.location, in: copy.space),
      let view = View(
        from: copy.load, to: copy.store, over: copy.space, count: graph.buffers[id.index].extent.count)
    else { return nil }
    let others = uses.readers(of: copy.load.location).subtracting([index])
    var changes = readingPadded(others, copy, at: index, view) ?? []
    let staysInUse = changes.count < others.count
    for writer in uses.writers(of: copy.load.location).sorted() {
      // A cycle along an axis writes its results while inputs are still read.
      if case .output = copy.store.location, uses.leaves[writer]?.elementwise?.space.isWalked == true {
        return nil
      }
      guard let kernel = uses.leaves[writer],
        let changed = kernel.writing(
          copy.load.location, elsewhere: view, staysInUse: staysInUse,
          { loses(\.isWrittenInVectors, $0, $1, $2, $3) }),
        !wouldBeWrittenTooEarly(changed, at: writer, copy.store.location)
      else { return nil }
      changes.append((writer, changed))
    }
    return changes
  }

  /// Readers of what is padded as readers of the padding, where their walks are only moved; nil where not all can be. Beside
  /// it the padding has zeros only, which kernels write that read nothing.
  private func readingPadded(
    _ readers: Set<Int>, _ copy: Copy, at index: Int, _ view: View
  ) -> [(Int, Kernel)]? {
    guard graph.graph.clock == .step, case .buffer(let id) = copy.load.location,
      case .buffer(let padding) = copy.store.location, !uses.isReadBySettling(id),
      graph.buffers[padding.index].extent.count <= 2 * graph.buffers[id.index].extent.count
    else { return nil }
    let borders = uses.writers(of: copy.store.location).subtracting([index])
    let writers = uses.writers(of: copy.load.location)
    guard readers.isDisjoint(with: writers), borders.allSatisfy({ uses.leaves[$0]?.readsNothing == true }),
      readers.union(writers).allSatisfy({ uses.leaves[$0]?.elementwise?.space.isWalked == false })
    else { return nil }
    var changes: [(Int, Kernel)] = []
    for reader in readers.sorted() {
      guard let kernel = uses.leaves[reader], Copy(kernel) == nil else { return nil }
      var isMoved = true
      let changed = kernel.rewriting(reads: { access, loops in
        guard access.location == copy.load.location else { return access }
        guard let translated = view.translate(access, loops), translated.isMoved(from: access) else {
          isMoved = false
          return access
        }
        return translated
      })
      guard isMoved else { return nil }
      changes.append((reader, changed))
    }
    return changes
  }

  /// Whether a kernel would write an output before an input that may alias it was read.
  private func wouldBeWrittenTooEarly(_ kernel: Kernel, at index: Int, _ target: Location) -> Bool {
    guard case .output(let port) = target, graph.graph.mayAlias(port) else { return false }
    return uses.readers(of: .input(port)).contains { reader in
      reader > index || (reader == index && !kernel.goesInStep(reading: .input(port), writing: target))
    }
  }

  /// Whether a kernel would no longer compute in vectors where it reads, or writes, by another access.
  private func loses(
    _ isInVectors: (Access) -> Bool, _ kernel: Kernel, _ old: Access, _ new: Access, _ loops: Loops
  ) -> Bool {
    guard case .count(let count) = loops.inner, count > 1, !kernel.nodes.isEmpty else { return false }
    return isInVectors(old) && !isInVectors(new)
  }

  /// Whether the terms of a layer that lie side by side, so that they are vectors, would not any more.
  private func losesTerms(_ kernel: Kernel, _ old: Access, _ new: Access) -> Bool {
    guard case .fold(let fold) = kernel, graph.graph[fold.node].op.layer != nil, graph.canGoAlongTerms(fold)
    else { return false }
    return old.strides.last == 1 && new.strides.last != 1 && [fold.left, fold.right].contains(old)
  }
}

extension Kernel {
  /// Whether it writes zeros only.
  fileprivate var readsNothing: Bool {
    if case .map(let map) = self { map.loads.isEmpty && map.nodes.isEmpty } else { false }
  }
}

extension Access {
  /// Whether it is the same walk but for where it begins.
  fileprivate func isMoved(from other: Access) -> Bool {
    var begin = other
    (begin.location, begin.offset) = (location, offset)
    return self == begin
  }
}

extension Location {
  /// Whether it is a place that kernels of a tile write and others read.
  fileprivate func isWrittenEachTile(in graph: KernelGraph) -> Bool {
    switch self {
    case .buffer(let id): graph.buffers[id.index].lifetime == .tile
    case .output, .history: true
    case .input, .weights, .parameter: false
    }
  }
}

extension Kernel {
  /// Whether its code can read there: a parameter may be time-varying, which only maps and samples follow.
  fileprivate func canRead(_ location: Location, _ clock: Clock) -> Bool {
    guard case .parameter = location else { return true }
    switch self {
    case .map(let map): return clock == .step || (map.space.inner == .frames && !map.isTurn)
    case .sample: return true
    case .fold, .cycle: return false
    }
  }

  /// The same kernel with what it writes to one place written to another one, or to both.
  fileprivate func writing(
    _ place: Location, elsewhere view: View, staysInUse: Bool,
    _ loses: (_ kernel: Kernel, _ old: Access, _ new: Access, _ loops: Loops) -> Bool
  ) -> Kernel? {
    /// The accesses that take the place of one; nil where there are none.
    func targets(_ access: Access, _ loops: Loops) -> [Access]? {
      guard access.location == place else { return [access] }
      guard let translated = view.translate(access, loops), !loses(self, access, translated, loops) else {
        return nil
      }
      return staysInUse ? [access, translated] : [translated]
    }
    func rewritten(_ map: MapKernel) -> MapKernel? {
      var result = map
      result.stores = []
      for store in map.stores {
        guard let accesses = targets(store.access, Loops(map.space)) else { return nil }
        result.stores += accesses.map { Store(store.value, $0) }
      }
      return result
    }
    switch self {
    case .map(let map):
      return rewritten(map).map(Kernel.map)
    case .fold(var fold):
      guard let epilogue = rewritten(fold.epilogue) else { return nil }
      fold.epilogue = epilogue
      return .fold(fold)
    case .sample, .cycle:
      return nil
    }
  }
}
