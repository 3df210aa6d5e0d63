// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import Testing

/// Weights that do not stay in the second cache: while a panel of them is read, the next one is fetched.
@Suite struct PanelFetchTests {
  /// A dense layer of so many inputs and outputs, by so many rows.
  private static func layer(rows: [Int], inputs: Int, outputs: Int = 1536, ways: Int = 1) throws -> Graph {
    var assembler = GraphAssembler(name: "layer", clock: .step, sampleRate: 48_000)
    let x = assembler.input("x", TensorType(Shape(rows + [inputs])))
    let numbers = (0..<outputs * inputs).map { Float($0 * 7919 % 1021 - 510) / 5100 }
    let w = assembler.weights(Weights(name: "w", shape: [outputs, inputs], values: Numbers(numbers)))
    assembler.output("y", try assembler.apply(.dense(axis: rows.count, ways: ways), x, w))
    return assembler.finished()
  }

  private static func folds(_ graph: Graph) throws -> [FoldKernel] {
    let target = try #require(Target.x86(level: "x86-64-v4"))
    let packed = [KernelPass.foldTiling, .columnSplitting, .weightRepacking].reduce(
      KernelGraph(lowering: graph)
    ) {
      $1.run(on: $0, for: target, goal: .speed).kernels
    }
    return packed.kernels.compactMap { if case .fold(let fold) = $0 { fold } else { nil } }
  }

  /// In all passes over a panel each line of the next one is fetched, and little behind it.
  @Test(arguments: [
    ([20], 1536), ([33], 1536), ([3, 20], 1536), ([2, 3, 9], 1536), ([6, 4], 1536), ([20], 1711), ([8], 1536),
  ])
  func theWholeNextPanelIsFetched(rows: [Int], outputs: Int) throws {
    let fold = try #require(try Self.folds(Self.layer(rows: rows, inputs: 180, outputs: outputs)).first)
    #expect((fold.tile.lines > 1) == (rows == [6, 4]))
    let (ahead, numbers) = try #require(fold.ahead)
    let (right, panel) = (try #require(fold.right), try #require(fold.right).strides[0])
    #expect(Array(fold.space.extents.dropFirst()) == rows)
    let width = fold.tile.vectors * 16
    #expect(fold.space.inner == .count(width) && fold.space.extents[0] == outputs / width)
    var lines: Set<Int> = []
    /// Walks over rounds of the axes from one on, from a place.
    func walk(from axis: Int, at place: Int) {
      guard axis < ahead.strides.count else {
        for number in stride(from: 0, to: numbers, by: 16) { lines.insert((place + number) / 16) }
        return
      }
      let extent = axis < fold.space.extents.count ? fold.space.extents[axis] : 180
      for round in stride(from: 0, to: extent, by: fold.tile.rounds(of: axis)) {
        walk(from: axis + 1, at: place + round * ahead.strides[axis])
      }
    }
    walk(from: 1, at: ahead.offset - right.offset)
    let next = Set(panel / 16..<2 * panel / 16)
    #expect(next.isSubset(of: lines) && lines.count <= next.count * 3 / 2, "\(lines.count) of \(next.count)")
  }

  /// Lines with weights of their own read several panels at once, of which the next one is none that comes later.
  @Test func whatLinesReadIsNotFetched() throws {
    let target = try #require(Target.x86(level: "x86-64-v4"))
    let tiled = KernelPass.foldTiling.run(
      on: KernelGraph(lowering: try Self.layer(rows: [20], inputs: 180)), for: target, goal: .speed
    ).kernels
    let packed = KernelPass.weightRepacking.run(on: tiled, for: target, goal: .speed).kernels
    func violations(_ change: (inout FoldTile) -> Void) -> [String] {
      let kernels = packed.kernels.map { kernel in
        guard case .fold(var fold) = kernel else { return kernel }
        change(&fold.tile)
        return .fold(fold)
      }
      return KernelVerifier.violations(in: packed.replacing(kernels: kernels))
    }
    #expect(violations { _ in }.isEmpty)
    let found = violations { ($0.lineAxis, $0.lines) = (0, 2) }
    #expect(found.count == 1 && found[0].contains("fetches what is not read panel after panel"), "\(found)")
  }

  /// Panels are as wide as a tile; of many columns a fold of its own computes those behind the last panel.
  @Test(
    arguments: [(96, 48, 0), (1536, 48, 0), (1711, 48, 31), (50257, 96, 49), (1021, 96, 61), (90, nil, 0)]
      as [(Int, Int?, Int)])
  func panelsAreAsWideAsATile(outputs: Int, columns: Int?, rest: Int) throws {
    let folds = try Self.folds(Self.layer(rows: [16], inputs: 2, outputs: outputs))
    let fold = try #require(folds.first)
    #expect(fold.space.inner == .count(columns ?? outputs))
    #expect(fold.space.extents == (columns.map { [outputs / $0] } ?? []) + [16])
    #expect(folds.dropFirst().map(\.space.inner) == (rest > 0 ? [.count(rest)] : []))
  }

  /// A weight that is shared has parts, too, where all read it alike; not where rows of it are looked up, nor where the output
  /// may lie on an input that is added to it.
  @Test(arguments: [
    ("a = dense(x, \"w\", axis: 1)", "b = dense(z, \"w\", axis: 1)", 4),
    ("a = dense(x, \"w\", axis: 1)", "b = gather(\"w\", i, axis: 0)", 0),
    ("a = dense(x, \"w\", axis: 1) + y", "b = 2 * i", 2),
    ("a = 2 * i", "b = dense(x, \"w\", axis: 1) + y", 0),
  ]) func partsOfWeights(a: String, b: String, count: Int) throws {
    let graph = try Graph(
      parsing: """
        graph "parts" step 48000
        input x [20, 9]
        input y [20, 521]
        input z [20, 9]
        input i [3]
        weights "w" \(SmallWeights.text([521, 9]))
        \(a)
        \(b)
        output a = a
        output b = b
        """)
    let example = LawCase(label: b, graph: graph, seed: 5)
    let compiled = try CompiledGraph(
      graph, options: CompileOptions(target: try #require(Target.x86(level: "x86-64-v4"))))
    #expect(compiled.plan.kernelGraph.kernels.count { $0.isPart } == count)
    for target in [nil] + Target.runnable {
      let parts = try NativeRun(graph, target: target).outputs(of: example.stimulus)
      let whole = try NativeRun(graph, target: target, without: [KernelPass.columnSplitting.name])
      example.expectSame(try whole.outputs(of: example.stimulus), as: parts, "parts change no bit")
    }
  }

  /// Each number comes from the same sum, however many columns are left, on any machine; without one of the parts the plan is
  /// refused.
  @Test(arguments: [513, 1000, 1021]) func partsOfTheColumnsChangeNoBit(outputs: Int) throws {
    let example = LawCase(
      label: "a layer of \(outputs)", graph: try Self.layer(rows: [20], inputs: 18, outputs: outputs), seed: 4
    )
    for target in [nil] + Target.runnable {
      let parts = try NativeRun(example.graph, target: target).outputs(of: example.stimulus)
      let whole = try NativeRun(example.graph, target: target, without: [KernelPass.columnSplitting.name])
      example.expectSame(try whole.outputs(of: example.stimulus), as: parts, "parts change no bit")
    }
    let target = try #require(Target.x86(level: "x86-64-v4"))
    let passes = [KernelPass.copyElision, .foldTiling, .columnSplitting]
    let split = passes.reduce(KernelGraph(lowering: example.graph)) {
      $1.run(on: $0, for: target, goal: .speed).kernels
    }
    #expect(split.kernels.count == 2 && KernelVerifier.violations(in: split).isEmpty)
    for kernel in split.kernels {
      let found = KernelVerifier.violations(in: split.replacing(kernels: [kernel]))
      #expect(found == ["not all of output y is written"])
    }
    // A fold that says that it is a part, is one, and no other is.
    func marked(_ graph: KernelGraph, asPart isPart: Bool) -> KernelGraph {
      graph.replacing(
        kernels: graph.kernels.map { kernel in
          guard case .fold(var fold) = kernel else { return kernel }
          fold.isPart = isPart
          return .fold(fold)
        })
    }
    let whole = KernelPass.copyElision.run(
      on: KernelGraph(lowering: example.graph), for: target, goal: .speed)
    for wrong in [marked(split, asPart: false), marked(whole.kernels, asPart: true)] {
      let found = KernelVerifier.violations(in: wrong)
      #expect(!found.isEmpty && found.allSatisfy { $0.contains("of \(20 * outputs) numbers") }, "\(found)")
    }
  }

  /// What stays near, is read in one row, or is added in several ways, is not fetched; the code says what the plan does.
  @Test(arguments: [
    ([20], 180, 1, true), ([4], 180, 1, true), ([20], 40, 1, false), ([1], 180, 1, false),
    ([20], 180, 2, false),
  ])
  func isFetched(rows: [Int], inputs: Int, ways: Int, expected: Bool) throws {
    let graph = try Self.layer(rows: rows, inputs: inputs, ways: ways)
    #expect(try Self.folds(graph).map(\.fetchesAhead) == [expected])
    let compiled = try CompiledGraph(
      graph, options: CompileOptions(target: try #require(Target.x86(level: "x86-64-v4"))))
    #expect(compiled.llvmText.contains("call void @llvm.prefetch") == expected)
  }

  /// Weights that layers of several tiles read are there once.
  @Test func layersOfDifferentRowsShareAPanel() throws {
    let graph = try Graph(
      parsing: """
        graph "shared" step 48000
        input x [1, 20]
        input y [20, 20]
        weights "w" \(SmallWeights.text([768, 20]))
        a = dense(x, "w", axis: 1)
        b = dense(y, "w", axis: 1)
        output a = a
        output b = b
        """)
    let compiled = try CompiledGraph(
      graph, options: CompileOptions(target: try #require(Target.x86(level: "x86-64-v4"))))
    #expect(compiled.plan.kernelGraph.weights.count == 768 * 20)
  }

  @Test func panelsOfALargeLayerChangeNoBit() throws {
    let example = LawCase(label: "a large layer", graph: try Self.layer(rows: [20], inputs: 180), seed: 3)
    for target in [nil] + Target.runnable {
      let fetching = try NativeRun(example.graph, target: target).outputs(of: example.stimulus)
      let natural = try NativeRun(example.graph, target: target, without: [KernelPass.weightRepacking.name])
      example.expectSame(try natural.outputs(of: example.stimulus), as: fetching, "panels change no bit")
    }
  }
}

extension Kernel {
  fileprivate var isPart: Bool {
    if case .fold(let fold) = self { fold.isPart } else { false }
  }
}
