// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Testing

/// Cycles that go through columns, and what the verifiers say of those that are broken on purpose.
@Suite struct ColumnTests {
  private static let cell = """
    input x [3, frames]
    weights "u" [3, 3] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    past = delay(h, 1)
    h = tanh(dense(past, "u", axis: 0) + x)
    output y = h
    """

  private static func lowered(_ lines: String) throws -> KernelGraph {
    KernelGraph(lowering: try Graph(parsing: "graph \"columns\" stream 48000\n" + lines))
  }

  private static func layouts(_ lines: String) throws -> [FrameLayout] {
    try lowered(lines).kernels.compactMap { if case .cycle(let cycle) = $0 { cycle.layout } else { nil } }
  }

  @Test("a fold within a cycle of few frames makes columns; what has to look along the frames makes none")
  func choice() throws {
    #expect(try Self.layouts(Self.cell) == [.columns])
    #expect(try Self.layouts(Self.cell.replacing("delay(h, 1)", with: "delay(h, 40)")) == [.rows])
    #expect(try Self.layouts(Self.cell.replacing("dense(past, \"u\", axis: 0)", with: "past")) == [.rows])
    let tapped = Self.cell.replacing("delay(h, 1)", with: "delay(h, by: 2.5, minimum: 1, maximum: 3)")
    #expect(try Self.layouts(tapped) == [.rows])
    let held = Self.cell.replacing("+ x", with: "* control(sum(past, axis: 0)) + x")
    #expect(try Self.layouts(held) == [.rows])
  }

  @Test("what only the cycle reads is computed in it, unless its weights are too many or others read it")
  func feeders() throws {
    func turns(_ lines: String) throws -> Int {
      try Self.lowered(lines).kernels.count { if case .map(let map) = $0 { map.isTurn } else { false } }
    }
    // The input is turned, and the result.
    #expect(try turns(Self.cell) == 2)
    // Of one number a frame nothing is turned but the result.
    let mono = Self.cell.replacing("x [3, frames]", with: "mono [1, frames]")
      .replacing("past =", with: "weights \"w\" [3, 1] = [1, 2, 3]\nx = dense(mono, \"w\", axis: 0)\npast =")
    #expect(try turns(mono) == 1)
    #expect(try turns(mono + "\noutput other = x") == 2)
  }

  // MARK: Verifiers

  private static func violations(_ change: (inout CycleKernel) -> Void) throws -> [String] {
    let graph = try lowered(cell)
    var kernels = graph.kernels
    let index = try #require(kernels.firstIndex { if case .cycle = $0 { true } else { false } })
    guard case .cycle(var cycle) = kernels[index] else { return [] }
    change(&cycle)
    kernels[index] = .cycle(cycle)
    return KernelVerifier.violations(in: graph.replacing(kernels: kernels))
  }

  @Test("columns are walked as columns, rows as rows")
  func layouts() throws {
    #expect(try Self.violations { _ in }.isEmpty)
    let inRows = try Self.violations { $0.layout = .rows }
    #expect(inRows.contains { $0.contains("and no frame's") }, "\(inRows)")
    let spans = try Self.violations { $0.span = 2 }
    #expect(spans.contains { $0.contains("has columns of spans") }, "\(spans)")
    let graph = try Self.lowered(Self.cell)
    for index in graph.kernels.indices {
      guard case .map(var map) = graph.kernels[index], map.isTurn, var store = map.stores.first else {
        continue
      }
      store.access.innerStride = store.access.innerStride > 1 ? 3 : 16
      map.stores = [store]
      var kernels = graph.kernels
      kernels[index] = .map(map)
      let found = KernelVerifier.violations(in: graph.replacing(kernels: kernels))
      #expect(found.contains { $0.contains(" as ") }, "\(found)")
    }
  }

  @Test("a past in columns is read in its own cycle only: its slots are those of the frame at hand")
  func past() throws {
    let graph = try Self.lowered(Self.cell)
    let reader = graph.kernels.flatMap { kernel -> [Kernel] in
      if case .cycle(let cycle) = kernel { cycle.kernels } else { [] }
    }.first { kernel in
      kernel.accesses.reads.contains { if case .history = $0.location { true } else { false } }
    }
    let other = Kernel.cycle(CycleKernel(span: 1, layout: .columns, [try #require(reader)]))
    let violations = KernelVerifier.violations(in: graph.replacing(kernels: graph.kernels + [other]))
    #expect(violations.contains { $0.contains("reads columns of history") }, "\(violations)")
  }

  @Test("numbers of the frame at hand are read in their own cycle only")
  func frameAtHand() throws {
    let graph = try Self.lowered(Self.cell)
    let cycles = graph.kernels.compactMap { if case .cycle(let cycle) = $0 { cycle } else { nil } }
    // The hyperbolic tangent of what the kernels before it left for this frame.
    let reader = try #require(
      cycles.first?.kernels.first { $0.nodes.contains { graph.graph[$0].op == .unary(.tanh) } })
    let other = Kernel.cycle(CycleKernel(span: 1, layout: .columns, [reader]))
    let violations = KernelVerifier.violations(in: graph.replacing(kernels: graph.kernels + [other]))
    #expect(
      violations.contains { $0.contains("\(graph.kernels.count).0 reads one frame's numbers") },
      "\(violations)")
    // Another cycle that writes them makes neither right.
    let writer = try #require(
      cycles.first?.kernels.first { kernel in
        kernel.accesses.writes.contains { write in
          reader.accesses.reads.contains { $0.location == write.location }
        }
      })
    let both = Kernel.cycle(CycleKernel(span: 1, layout: .columns, [writer, reader]))
    let others = KernelVerifier.violations(in: graph.replacing(kernels: graph.kernels + [both]))
    #expect(
      others.contains { $0.contains("\(graph.kernels.count).1 reads one frame's numbers") }, "\(others)")
  }

  @Test("a parameter that moves is read where its ramp is followed")
  func ramps() throws {
    let graph = try Self.lowered(
      """
      input x [4, frames]
      parameter gain [frames] = 1 minimum 0 maximum 2 ramp 480 scale linear
      weights "w" [1, 4] = [1, 2, 3, 4]
      y = dense(x * gain, "w", axis: 0)
      output y = y
      """)
    #expect(KernelVerifier.violations(in: graph).isEmpty)
    let kernels = graph.kernels.map { kernel in
      guard case .fold(var fold) = kernel else { return kernel }
      fold.left = Access(.parameter(0), strides: fold.left.strides.map { _ in 0 }, innerStride: 0)
      return .fold(fold)
    }
    let violations = KernelVerifier.violations(in: graph.replacing(kernels: kernels))
    #expect(violations.contains { $0.contains("whose ramp it does not follow") }, "\(violations)")
  }
}
