// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import TestEquipment
import Testing

/// A value of parameters alone is not written frame by frame while they stand still, unless somebody reads it frame by
/// frame.
@Suite struct IdlenessTests {
  /// A filter that is tuned by `coefficient`, and what else may read that.
  private static func graph(_ rest: String) -> String {
    """
    graph "idle" stream 48000
    input x [2, frames]
    parameter tone [frames] = 0.4 minimum 0 maximum 0.6 ramp 50 scale linear
    coefficient = tan(tone)
    y = x + coefficient * delay(y, 1)
    \(rest)
    output out = y + rest
    """
  }

  /// Further readers of the coefficient, and the number of idle kernels.
  private static let cases: [(String, Int)] = [
    ("rest = x * 2", 1),
    ("rest = tanh(x * coefficient)", 1),
    ("rest = sum(x, axis: 0) * coefficient", 1),
    ("rest = x * control(coefficient)", 0),
    ("rest = x * phasor(coefficient * 100)", 1),
    ("rest = x * delay(coefficient, 20)", 0),
    (
      "both = concatenate([reshape(coefficient, shape: [1]), reshape(tone * 2, shape: [1])], axis: 0)\n"
        + "rest = x * maximum(both, axis: 0)",
      0
    ),
  ]

  private func compiledKernels(of graph: Graph) throws -> KernelGraph {
    try CompiledGraph(graph, options: CompileOptions(target: .host())).plan.kernelGraph
  }

  @Test(arguments: cases) func isKnownAndExact(line: String, count: Int) throws {
    let graph = try Graph(parsing: Self.graph(line))
    let seed = UInt64(line.utf8.count)
    try Laws(LawCase(label: line, graph: graph, seed: seed)).check(seed: seed)
    let kernels = try compiledKernels(of: graph)
    #expect(kernels.kernelsWhileSettled.count { $0 == nil } == count, "\(kernels)")
  }

  /// An idle value that shares a kernel with something else is left out of it.
  @Test func aKernelWritesOnlyTheRest() throws {
    let graph = try Graph(
      parsing: """
        graph "idle" stream 48000
        input x [frames]
        parameter tone [frames] = 0.4 minimum 0 maximum 0.6 ramp 50 scale linear
        coefficient = 0.3 / (tone + max(tone, 0.5))
        y = tanh(x + coefficient * delay(y, 1))
        output out = y
        output other = x * coefficient
        """)
    try Laws(LawCase(label: "rest", graph: graph, seed: 5)).check(seed: 5)
    let kernels = try compiledKernels(of: graph)
    let stores = zip(kernels.kernels, kernels.kernelsWhileSettled).compactMap { kernel, settled -> [Int]? in
      guard case .map(let map) = kernel, case .map(let rest) = settled else { return nil }
      return [map.stores.count, rest.stores.count]
    }
    #expect(stores.contains([2, 1]), "\(kernels)")
  }

  /// The equalizer's coefficients are numbers while nothing moves: all that runs is the wavefront.
  @Test func theEqualizerRunsOneKernel() throws {
    let model = try Model(contentsOf: PackageFiles.models.appending(path: "eq8.json").path())
    let kernels = try compiledKernels(of: model.graph(extents: ["channels": 2], sampleRate: 48_000))
    #expect(kernels.kernels.count > 1)
    #expect(kernels.kernelsWhileSettled.count { $0 == nil } == kernels.kernels.count - 1)
  }
}
