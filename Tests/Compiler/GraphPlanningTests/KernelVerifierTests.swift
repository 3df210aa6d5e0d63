// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Testing

/// Kernels that are broken on purpose: the verifier says which promise, and where.
@Suite struct KernelVerifierTests {
  /// Kernels 0 to 4: `double`, its history, the delay, the sum, and the copy to the output.
  private func lowered() throws -> KernelGraph {
    KernelGraph(
      lowering: try Graph(
        parsing: """
          graph "broken" stream 48000
          input x [2, frames]
          double = x * 2
          past = delay(double, 5)
          y = double + past
          output y = y
          """))
  }

  /// Changes the first map for which `change` does something.
  private func changing(_ graph: KernelGraph, _ change: (inout MapKernel) -> Bool) throws -> [String] {
    var kernels = graph.kernels
    for index in kernels.indices {
      guard case .map(var map) = kernels[index], change(&map) else { continue }
      kernels[index] = .map(map)
      return KernelVerifier.violations(in: graph.replacing(kernels: kernels))
    }
    Issue.record("no kernel was changed")
    return []
  }

  private func loading(
    _ graph: KernelGraph, from isWanted: (Location) -> Bool, _ change: (inout Access) -> Void
  ) throws -> [String] {
    try changing(graph) { map in
      guard let (value, access) = map.loads.first(where: { isWanted($0.value.location) }) else {
        return false
      }
      var changed = access
      change(&changed)
      map.loads[value] = changed
      return true
    }
  }

  private func isInput(_ location: Location) -> Bool { if case .input = location { true } else { false } }

  private func isHistory(_ location: Location) -> Bool { if case .history = location { true } else { false } }

  @Test func kernelsAsTheyAreLoweredAreSound() throws {
    #expect(KernelVerifier.violations(in: try lowered()).isEmpty)
  }

  /// Rows along j, of a convolution of 4 by 4 places.
  @Test(
    arguments: [
      (nil, 1, nil), (0, 1, nil), (0, 2, nil), (0, 0, "0 of 4 lines"), (0, 3, "3 of 4 lines"),
      (0, 8, "8 of 4 lines"),
      (nil, 2, "2 lines along no axis"), (1, 2, "axis 1, which cannot have any"),
      (2, 2, "axis 2, which cannot have any"),
    ] as [(Int?, Int, String?)])
  func linesDivideAnAxisOfTheirOwn(axis: Int?, lines: Int, violation: String?) throws {
    let numbers = (0..<32 * 9).map { String($0 % 7) }.joined(separator: ", ")
    let graph = KernelGraph(
      lowering: try Graph(
        parsing: """
          graph "picture" step 48000
          input x [1, 6, 6]
          weights "w" [32, 1, 3, 3] = [\(numbers)]
          y = conv2d(x, "w")
          output y = y
          """))
    let kernels = graph.kernels.map { kernel in
      guard case .fold(var fold) = kernel else { return kernel }
      (fold.tile.rowAxis, fold.tile.rows, fold.tile.lineAxis, fold.tile.lines) = (1, 4, axis, lines)
      return .fold(fold)
    }
    let violations = KernelVerifier.violations(in: graph.replacing(kernels: kernels))
    #expect(violations.count == (violation == nil ? 0 : 1), "\(violations)")
    #expect(violations.allSatisfy { $0.contains(violation ?? "") })
  }

  @Test func whatIsComputedOnceReadsAndWritesWhatLasts() throws {
    let graph = KernelGraph(
      lowering: try Graph(
        parsing: """
          graph "broken" step 48000
          input x [8]
          input w parameter [8]
          y = x * exp(w)
          output y = y
          """))
    #expect(graph.blockKernels.count == 1 && KernelVerifier.violations(in: graph).isEmpty)
    let broken = graph.replacing(blockKernels: graph.blockKernels + graph.kernels, kernels: [])
    let violations = KernelVerifier.violations(in: broken)
    for flaw in ["reads what is new in each step", "writes what does not last"] {
      #expect(violations.contains("block kernel 1 \(flaw)"), "\(violations)")
    }
  }

  @Test func aWalkStaysInItsPlace() throws {
    let violations = try loading(try lowered(), from: isInput) { $0.offset = 1 }
    #expect(
      violations.contains { $0.contains("kernel 0 reads") && $0.contains("from 1 to 2 of 2") },
      "\(violations)")
  }

  @Test func rowsAreWalkedAlongFrames() throws {
    let violations = try loading(try lowered(), from: isInput) { $0.innerStride = 0 }
    #expect(violations.contains { $0.contains("as one number") }, "\(violations)")
  }

  /// The terms of a result may be a vector's lanes where they lie side by side; those of columns, and of rows of frames, are
  /// apart.
  @Test(arguments: [
    ("step", "[20]", "sum(x, axis: 0, ways: 16)", true),
    ("step", "[2, 20]", "sum(x, axis: 1, ways: 16)", true),
    ("step", "[20, 2]", "sum(x, axis: 0, ways: 16)", false),
    ("stream", "[20, frames]", "sum(x, axis: 0, ways: 16)", false),
    // Products: where lines of a matrix are read, and where its columns are brought side by side.
    ("step", "[3, 20]\ninput w [12, 20]", "dense(x, w, axis: 1, ways: 16)", true),
    ("step", "[20, 3]\ninput w [12, 20]", "dense(x, w, axis: 0, ways: 16)", false),
    ("step", "[3, 2]\nweights \"w\" [2, 2] = [1, 2, 3, 4]", "dense(x, \"w\", axis: 1, ways: 16)", false),
  ])
  func termsInLanesLieOneAfterTheOther(clock: String, ports: String, line: String, mayBe: Bool) throws {
    let graph = KernelGraph(
      lowering: try Graph(
        parsing: "graph \"sum\" \(clock) 48000\ninput x \(ports)\ny = \(line)\noutput y = y"))
    let kernels = graph.kernels.map { kernel in
      guard case .fold(var fold) = kernel else { return kernel }
      fold.tile = .alongTerms(rows: 1, of: nil)
      return .fold(fold)
    }
    let violations = KernelVerifier.violations(in: graph.replacing(kernels: kernels))
    #expect(violations.contains { $0.contains("do not lie one after the other") } != mayBe, "\(violations)")
    let target = try #require(Target.x86(level: "x86-64-v4"))
    let tiled = KernelPass.foldTiling.run(on: graph, for: target).kernels
    #expect(tiled.description.contains("along the terms") == mayBe)
  }

  @Test func panelsAreFetchedWhereThereAreSome() throws {
    let text = "graph \"sum\" step 48000\ninput x [3, 20]\ny = sum(x, axis: 0)\noutput y = y"
    let graph = KernelGraph(lowering: try Graph(parsing: text))
    let kernels = graph.kernels.map { kernel in
      guard case .fold(var fold) = kernel else { return kernel }
      fold.fetchesAhead = true
      return .fold(fold)
    }
    let violations = KernelVerifier.violations(in: graph.replacing(kernels: kernels))
    #expect(
      violations.contains { $0.contains("fetches what is not read panel after panel") }, "\(violations)")
  }

  @Test func everyLoopHasAStride() throws {
    let violations = try loading(try lowered(), from: isInput) { $0.strides = [] }
    #expect(violations.contains { $0.contains("0 of 1 strides") }, "\(violations)")
  }

  @Test func aHistoryIsAsLongAsItIsReadBack() throws {
    let violations = try loading(try lowered(), from: isHistory) { $0.delay = 6 }
    #expect(violations.contains { $0.contains("from 6 to 6 back; it has 5") }, "\(violations)")
  }

  @Test func loopsFitWhatTheyCompute() throws {
    let violations = try changing(try lowered()) { map in
      map.space.extents = [1]
      return true
    }
    #expect(violations.contains { $0.contains("in loops that do not fit it") }, "\(violations)")
  }

  @Test func aMapHasWhatItUses() throws {
    let violations = try changing(try lowered()) { map in
      map.loads = [:]
      return true
    }
    #expect(violations.contains { $0.contains("kernel 0 uses %") }, "\(violations)")
  }

  @Test func everyNumberIsWrittenBeforeOneIsRead() throws {
    let graph = try lowered()
    let half = try changing(graph) { map in
      map.stores[0].access.strides = [0]
      return true
    }
    #expect(half.contains { $0.contains("before all that it reads is written") }, "\(half)")
    let none = KernelVerifier.violations(in: graph.replacing(kernels: Array(graph.kernels.dropFirst())))
    #expect(none.contains { $0.contains("before all that it reads is written") }, "\(none)")
  }

  @Test func outputsAndHistoriesAreWritten() throws {
    let graph = try lowered()
    let shown = KernelVerifier.violations(in: graph.replacing(kernels: graph.kernels.dropLast()))
    #expect(shown.contains("not all of output y is written"), "\(shown)")
    let forgotten = KernelVerifier.violations(
      in: graph.replacing(
        kernels: graph.kernels.filter { kernel in !kernel.accesses.writes.contains { isHistory($0.location) }
        }))
    #expect(forgotten.contains("not all of history 0 is written"), "\(forgotten)")
    #expect(forgotten.contains { $0.contains("history 0 before they are written") }, "\(forgotten)")
    let half = try changing(graph) { map in
      guard isHistory(map.stores[0].access.location) else { return false }
      map.stores[0].access.strides = [0]
      return true
    }
    #expect(half.contains { $0.contains("history 0 before they are written") }, "\(half)")
  }

  @Test func whatIsGivenIsNotWritten() throws {
    let violations = try changing(try lowered()) { map in
      map.stores[0].access.location = .input(0)
      return true
    }
    #expect(violations.contains { $0.contains("writes input(0)") }, "\(violations)")
  }

  /// Kernels: a history, a fold of it, and what comes behind.
  private func folding() throws -> KernelGraph {
    KernelGraph(
      lowering: try Graph(
        parsing: """
          graph "broken" stream 48000
          input x [2, frames]
          weights "w" [2, 2, 2] = [1, 2, 3, 4, 5, 6, 7, 8]
          y = conv1d(x, "w")
          output y = y
          """))
  }

  /// Adds a load and a store to the epilogue of the fold; what the verifier says.
  private func adding(
    _ load: Access?, _ store: (_ fold: FoldKernel) -> Access, to graph: KernelGraph
  ) throws -> [String] {
    var kernels = graph.kernels
    let index = try #require(kernels.firstIndex { if case .fold = $0 { true } else { false } })
    guard case .fold(var fold) = kernels[index] else { return [] }
    let result = graph.graph[fold.node].result
    if let load { fold.epilogue.loads[graph.graph[fold.node].operands[0]] = load }
    fold.epilogue.stores.append(Store(result, store(fold)))
    kernels[index] = .fold(fold)
    return KernelVerifier.violations(in: graph.replacing(kernels: kernels))
  }

  @Test func noRoundOfAFoldWritesWhatAnotherOneReads() throws {
    let graph = try folding()
    let intoOperand = try adding(
      nil, { Access($0.left.location, strides: [1], innerStride: 1) }, to: graph)
    #expect(intoOperand.contains { $0.contains("which another of its rounds reads") }, "\(intoOperand)")
    // An input's memory may be overwritten by the output of its number where its own number was read; not elsewhere.
    let output = Access(.output(0), strides: [1], innerStride: 1)
    let turned = Access(.output(0), offset: 1, strides: [-1], innerStride: 1)
    #expect(try adding(output, { _ in output }, to: graph) == [])
    let swapped = try adding(turned, { _ in output }, to: graph)
    #expect(swapped.contains { $0.contains("which another of its rounds reads") }, "\(swapped)")
  }

  /// A loop of one frame within a cycle of spans of 40: kernel 0 is the outer one.
  private func looping() throws -> (graph: KernelGraph, cycle: CycleKernel, inner: Int) {
    let graph = KernelGraph(
      lowering: try Graph(
        parsing: """
          graph "loops" stream 48000
          input x [frames]
          worn = 0.5 * delay(sent, 40) + 0.5 * delay(worn, 1)
          sent = x + tanh(worn)
          output y = sent
          """))
    let cycles = graph.kernels.compactMap { if case .cycle(let cycle) = $0 { cycle } else { nil } }
    let cycle = try #require(cycles.first)
    let inner = try #require(cycle.kernels.firstIndex { if case .cycle = $0 { true } else { false } })
    #expect(cycles.count == 1 && cycle.span == 40 && KernelVerifier.violations(in: graph) == [])
    return (graph, cycle, inner)
  }

  /// The verifier's violations of a changed cycle.
  private func changing(
    _ graph: KernelGraph, _ cycle: CycleKernel, _ change: (inout CycleKernel) -> Void
  ) -> [String] {
    var changed = cycle
    change(&changed)
    return KernelVerifier.violations(
      in: graph.replacing(kernels: graph.kernels.map { $0 == .cycle(cycle) ? .cycle(changed) : $0 }))
  }

  @Test func aSpanIsNoLongerThanWhatTheCycleHearsOfItself() throws {
    let (graph, cycle, _) = try looping()
    let violations = changing(graph, cycle) { $0.span = 41 }
    #expect(
      violations.contains { $0.hasSuffix("reads frames of history 0 before they are written") },
      "\(violations)")
  }

  @Test func aLoopWithinACycleHasItsHistoryWithin() throws {
    let (graph, cycle, inner) = try looping()
    // What the inner loop reads of the last frame is then written behind all its frames.
    let violations = changing(graph, cycle) { changed in
      guard case .cycle(var loop) = changed.kernels[inner], let last = loop.kernels.popLast() else { return }
      changed.kernels[inner] = .cycle(loop)
      changed.kernels.insert(last, at: inner + 1)
    }
    #expect(violations.contains { $0.contains("before they are written") }, "\(violations)")
  }

  @Test func aCycleWithinACycleHasShorterSpans() throws {
    let (graph, cycle, inner) = try looping()
    let violations = changing(graph, cycle) { changed in
      if case .cycle(var loop) = changed.kernels[inner] {
        loop.span = 40
        changed.kernels[inner] = .cycle(loop)
      }
    }
    #expect(violations.contains { $0.contains("has spans of 40 frames within 40") }, "\(violations)")
  }

  @Test func anInputIsNotReadAfterItsOutputOverwroteIt() throws {
    let graph = try lowered()
    let violations = KernelVerifier.violations(
      in: graph.replacing(kernels: graph.kernels + [graph.kernels[0]]))
    #expect(violations == ["input 0 is read after output 0 overwrote it"])
  }

  // MARK: Cycles along an axis

  /// The violations where the kernels of the one cycle along an axis are changed.
  private func changing(_ lines: String, _ change: (inout Kernel) -> Void) throws -> [String] {
    let graph = try Graph(parsing: "graph \"sequence\" step 1\n\(lines)")
    let target = try #require(Target.x86(level: "x86-64-v3"))
    let kernels = Pipeline().lower(graph, for: target).kernels
    #expect(KernelVerifier.violations(in: kernels) == [])
    let changed = kernels.kernels.map { kernel in
      guard case .cycle(var cycle) = kernel else { return kernel }
      for index in cycle.kernels.indices { change(&cycle.kernels[index]) }
      return .cycle(cycle)
    }
    #expect(changed != kernels.kernels)
    return KernelVerifier.violations(in: kernels.replacing(kernels: changed))
  }

  @Test func aPositionReadsWhatIsThereOfItsOwn() throws {
    let lines = """
      input x [9, 4]
      weights "u" [4, 4] = \((0..<16).map(Double.init))
      y = x + dense(shifted(y, axis: 0, by: 1), "u")
      z = y + dense(y, "u") * shifted(z, axis: 0, by: 1)
      output z = z
      """
    let violations = try changing(lines) { kernel in
      guard case .map(var map) = kernel else { return }
      for (value, access) in map.loads {
        guard case .buffer = access.location else { continue }
        map.loads[value]!.strides[0] = access.strides[0] == 0 ? 4 : 0
      }
      kernel = .map(map)
    }
    #expect(violations.contains { $0.contains("of other positions") || $0.contains("not written yet") })
  }

  @Test(arguments: [true, false]) func sumsGoOnFromWhereTheyArePut(isMoved: Bool) throws {
    let lines = """
      input c [2400, 64]
      input x [2400, 16]
      w = contraction(transpose(c), transpose(x))
      output w = w
      """
    let violations = try changing(lines) { kernel in
      guard case .fold(var fold) = kernel else { return }
      if isMoved { fold.bias!.offset = 1 } else { fold.goesOn = false }
      kernel = .fold(fold)
    }
    #expect(violations.contains { $0.contains("while it reads it") }, "\(violations)")
  }
}
