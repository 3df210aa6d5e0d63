// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import NativeCode
import ReferenceInterpreter
import Testing

/// Weights that do not stay in the second cache: while a panel of them is read, the next one is fetched.
@Suite struct PanelFetchTests {
  /// A dense layer of 1,536 outputs and as many inputs, by so many rows.
  private static func layer(rows: Int, inputs: Int) throws -> Graph {
    var assembler = GraphAssembler(name: "layer", clock: .step, sampleRate: 48_000)
    let x = assembler.input("x", TensorType(Shape([rows, inputs])))
    let numbers = (0..<1536 * inputs).map { Float($0 * 7919 % 1021 - 510) / 5100 }
    let w = assembler.weights(Weights(name: "w", shape: [1536, inputs], values: Numbers(numbers)))
    assembler.output("y", try assembler.apply(.dense(axis: 1), x, w))
    return assembler.finished()
  }

  private static func folds(_ graph: Graph) throws -> [FoldKernel] {
    let target = try #require(Target.x86(level: "x86-64-v4"))
    let tiled = KernelPass.foldTiling.run(on: KernelGraph(lowering: graph), for: target, goal: .speed).kernels
    let packed = KernelPass.weightRepacking.run(on: tiled, for: target, goal: .speed).kernels
    return packed.kernels.compactMap { if case .fold(let fold) = $0 { fold } else { nil } }
  }

  /// In all passes over a panel each line of the next one is fetched, and little behind it.
  @Test(arguments: [1, 7, 8, 20, 33]) func theWholeNextPanelIsFetched(rows: Int) throws {
    let fold = try #require(try Self.folds(Self.layer(rows: rows, inputs: 180)).first)
    let (ahead, numbers) = try #require(fold.ahead)
    let (right, axis) = (try #require(fold.right), try #require(fold.space.extents.firstIndex { $0 > 1 }))
    #expect(fold.space.extents[axis] > 1 && right.strides[axis] > 0)
    let panel = right.strides[axis]
    var lines: Set<Int> = []
    for first in stride(from: 0, to: rows, by: fold.tile.rows) {
      for term in 0..<180 {
        let row = fold.tile.rowAxis.map { first * ahead.strides[$0] } ?? 0
        let place = ahead.offset - right.offset + row + term * ahead.strides[ahead.strides.count - 1]
        for number in stride(from: 0, to: numbers, by: 16) { lines.insert((place + number) / 16) }
      }
    }
    let next = Set(panel / 16..<2 * panel / 16)
    #expect(next.isSubset(of: lines) && lines.count <= next.count * 3 / 2, "\(lines.count) of \(next.count)")
  }

  @Test func whatStaysNearIsNotFetched() throws {
    #expect(try Self.folds(Self.layer(rows: 20, inputs: 40)).allSatisfy { $0.ahead == nil })
  }

  @Test func fetchingChangesNoBit() throws {
    let example = LawCase(label: "a large layer", graph: try Self.layer(rows: 20, inputs: 180), seed: 3)
    for target in [nil] + Target.runnable {
      let fetching = try NativeRun(example.graph, target: target).outputs(of: example.stimulus)
      let natural = try NativeRun(example.graph, target: target, without: [KernelPass.weightRepacking.name])
      example.expectSame(try natural.outputs(of: example.stimulus), as: fetching, "panels change no bit")
    }
  }
}
