// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Lets folds over many terms go through a part of them at a time, one after the other for each part.
  ///
  ///     gradient.u ← contraction(buffer 0, buffer 1), reducing r: 9600         of buffer 0 [9600, 64], 2.4 MB
  ///     gradient.b ← sum(buffer 0), reducing r: 9600
  /// →
  ///     buffer 2 ← 0
  ///     buffer 3 ← 0
  ///     cycle, 24 positions one by one
  ///       buffer 2 ← buffer 2 + contraction(buffer 0, buffer 1), reducing r: 400
  ///       buffer 3 ← buffer 3 + sum(buffer 0), reducing r: 400
  ///     gradient.u ← buffer 2
  ///     gradient.b ← buffer 3
  ///
  /// The tiles of a fold read the same terms again and again, and folds behind each other, such as the gradients of one
  /// layer, do. Of a part they are still in the second cache. Legal because each sum takes its terms in the same order.
  /// Folds with a bias, in several ways, with more to do at their end, of packed weights or of several matrices stay whole.
  static let termBlocking = KernelPass(
    name: "term-blocking", summary: "lets folds over many terms go through a part of them at a time"
  ) { graph, context in
    guard graph.graph.clock == .step, context.goal == .speed else { return }
    var kernels: [Kernel] = []
    var buffers = graph.buffers
    for run in graph.runsOfTerms {
      guard let part = run.termsAtATime(for: context.target), context.mayRewrite() else {
        kernels += run.kernels
        continue
      }
      var (begin, parts, end): ([Kernel], [Kernel], [Kernel]) = ([], [], [])
      for fold in run.folds {
        buffers.append(.init(extent: .elements(fold.results), lifetime: .tile))
        let sums = fold.sums(in: .buffer(BufferID(buffers.count - 1)))
        let value = graph.graph[fold.node].result
        begin.append(.map(MapKernel(space: fold.space, stores: [Store(nil, sums)])))
        parts.append(.fold(fold.taking(part, addingTo: sums, value)))
        end.append(.map(MapKernel(space: fold.space, loads: [value: sums], stores: fold.epilogue.stores)))
      }
      let positions = CycleKernel.Positions(count: run.folds[0].reduced[0] / part, isBackward: false)
      kernels += begin + [.cycle(CycleKernel(span: 1, positions: positions, parts))] + end
    }
    graph = graph.replacing(kernels: kernels, buffers: buffers)
  }
}

/// Kernels that follow each other: folds over as many terms, which they share, and of which none reads another one's results;
/// or one kernel that goes as it is.
private struct TermRun {
  private(set) var kernels: [Kernel]
  private(set) var folds: [FoldKernel] = []
  private var results: Set<Location> = []
  /// The numbers that each place has of one term.
  private var numbers: [Location: Int] = [:]

  init(_ kernel: Kernel) { kernels = [kernel] }

  init(_ fold: FoldKernel) {
    kernels = []
    append(fold)
  }

  private mutating func append(_ fold: FoldKernel) {
    kernels.append(.fold(fold))
    folds.append(fold)
    results.insert(fold.epilogue.stores[0].access.location)
    for read in fold.reads {
      numbers[read.location] = max(numbers[read.location] ?? 0, fold.numbersOfTerm(read))
    }
  }

  /// Takes a fold where it goes with the others, and their terms stay near together.
  mutating func take(_ fold: FoldKernel) -> Bool {
    let reads = Set(fold.reads.map(\.location))
    guard folds.count < Self.mostFolds, folds.first?.reduced == fold.reduced, results.isDisjoint(with: reads),
      !reads.isDisjoint(with: numbers.keys)
    else { return false }
    var longer = self
    longer.append(fold)
    guard longer.staysNear else { return false }
    self = longer
    return true
  }

  /// Numbers that the terms of a part have, 128 KiB of them, and those that all terms have at least, 512 KiB: fewer stay in
  /// the second cache by themselves.
  private static let (numbersAtATime, fewestNumbers) = (1 << 15, 1 << 17)
  /// One function has the code of all.
  private static let mostFolds = 16
  /// A part that is shorter would load and store sums more than it adds.
  private static let fewestTerms = 64

  private var numbersOfTerm: Int { numbers.values.reduce(0, +) }

  /// Whether the shortest part of the terms stays in the second cache, beside the sums.
  private var staysNear: Bool {
    numbersOfTerm * Self.fewestTerms <= Self.numbersAtATime
      && folds.reduce(0) { $0 + $1.results } <= Self.numbersAtATime
  }

  /// How many terms the folds take at a time; nil where all of them are read once, or are few, or cannot be parted.
  func termsAtATime(for target: Target) -> Int? {
    func isSeveralTiles(_ fold: FoldKernel) -> Bool {
      fold.right != nil && fold.results > fold.tile.rowCount * fold.tile.vectors * target.lanes
    }
    guard folds.contains(where: isSeveralTiles) else { return nil }
    let (each, terms) = (numbersOfTerm, folds[0].reduced[0])
    guard staysNear, each * terms >= Self.fewestNumbers, terms >= 2 * Self.fewestTerms else { return nil }
    return (Self.fewestTerms...min(Self.numbersAtATime / each, terms / 2)).last { terms.isMultiple(of: $0) }
  }
}

extension KernelGraph {
  fileprivate var runsOfTerms: [TermRun] {
    var runs: [TermRun] = []
    for kernel in kernels {
      guard case .fold(let fold) = kernel, goesInParts(fold) else {
        runs.append(TermRun(kernel))
        continue
      }
      if runs.isEmpty || !runs[runs.count - 1].take(fold) { runs.append(TermRun(fold)) }
    }
    return runs
  }

  /// Whether a fold adds up what the caller or kernels of the same step give, in one way, and puts only that away.
  private func goesInParts(_ fold: FoldKernel) -> Bool {
    guard fold.combination == .sum(), fold.reduced.count == 1, !fold.tile.isAlongTerms, fold.bias == nil,
      fold.epilogue.nodes.isEmpty, fold.epilogue.loads.isEmpty, fold.epilogue.stores.count == 1,
      fold.right == nil || fold.vectorAndBroadcast != nil, case .count = fold.space.inner
    else { return false }
    // Several products of matrices would read as many other terms.
    let isOne =
      fold.right == nil
      || !fold.space.extents.indices.contains { axis in
        fold.reads.allSatisfy { $0.strides[axis] != 0 }
      }
    return isOne
      && fold.reads.allSatisfy { read in
        switch read.location {
        case .buffer(let id): buffers[id.index].lifetime == .tile && read.index == nil
        case .input: read.index == nil
        case .output, .weights, .parameter, .history: false
        }
      }
  }
}

extension FoldKernel {
  fileprivate var reads: [Access] { [left, right].compactMap(\.self) }

  fileprivate var results: Int { Loops(space).rounds }

  /// The numbers that a walk has of one term.
  fileprivate func numbersOfTerm(_ read: Access) -> Int {
    let loops = Loops(space)
    var numbers = 1
    for (extent, stride) in zip(loops.extents, read.strides) where stride != 0 { numbers *= extent }
    if case .count(let count) = loops.inner, read.innerStride != 0 { numbers *= count }
    return numbers
  }

  /// The walk over a place that has all results and nothing else.
  fileprivate func sums(in place: Location) -> Access {
    guard case .count(let count) = space.inner else { preconditionFailure("a fold along frames") }
    return Access(place, strides: Array((space.extents + [count]).rowMajorStrides.dropLast()), innerStride: 1)
  }

  /// The fold of so many terms at a time, which adds to the sums in a place; the parts are its first axis.
  fileprivate func taking(_ part: Int, addingTo sums: Access, _ value: ValueID) -> FoldKernel {
    func parted(_ read: Access) -> Access {
      var read = read
      read.strides.insert(read.strides[space.extents.count] * part, at: 0)
      read.delayStrides.insert(0, at: 0)
      return read
    }
    var standing = sums
    standing.strides.insert(0, at: 0)
    standing.delayStrides.insert(0, at: 0)
    var parts = self
    (parts.left, parts.right, parts.reduced) = (parted(left), right.map(parted), [part])
    parts.goesOn = true
    parts.tile = tile.renumbered { $0 + 1 }
    parts.epilogue = MapKernel(space: space, stores: [Store(value, standing)])
    parts.epilogue.space.extents.insert(reduced[0] / part, at: 0)
    parts.epilogue.space.isWalked = true
    standing.strides.append(0)
    standing.delayStrides.append(0)
    parts.bias = standing
    return parts
  }
}
