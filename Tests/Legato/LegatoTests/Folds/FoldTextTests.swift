// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import NativeCode
import Testing

/// The code of a fold: nothing masked where there is room, and sums that stay in registers.
@Suite struct FoldTextTests {
  private static let levels = Target.levels.compactMap(Target.x86(level:))

  private static func compiled(_ channels: Int, _ lines: String, for target: Target) throws -> CompiledGraph {
    let graph = try Graph(
      parsing: """
        graph "layers" stream 48000
        input x [\(channels), frames]
        weights "w" \(SmallWeights.text([channels, channels, 3]))
        weights "b" \(SmallWeights.text([channels]))
        \(lines)
        output y = y
        """)
    return try CompiledGraph(graph, options: CompileOptions(target: target))
  }

  /// The functions of kernels, in order.
  private static func kernels(of text: String) -> [Substring] {
    text.split(separator: "\n}").filter { $0.contains("define internal void @step_") }
  }

  @Test(arguments: levels)
  func onlyACallersMemoryIsMasked(_ target: Target) throws {
    let compiled = try Self.compiled(
      8, "a = max(conv1d(x, \"w\", \"b\"), 0)\ny = conv1d(a, \"w\", \"b\", dilation: 2)", for: target)
    let folds = zip(compiled.plan.kernelGraph.kernels, Self.kernels(of: compiled.llvmText)).filter {
      if case .fold = $0.0 { true } else { false }
    }
    #expect(folds.map { $0.1.contains("llvm.masked.store") } == [false, true])
    #expect(folds.allSatisfy { !$0.1.contains("llvm.masked.load") })
  }

  @Test(arguments: levels, [1, 2, 3, 8, 12, 16, 20, 33, 64])
  func sumsStayInRegisters(_ target: Target, _ channels: Int) throws {
    let compiled = try Self.compiled(channels, "y = conv1d(x, \"w\", \"b\")", for: target)
    let assembly = try compiled.assembly()
    let spills = assembly.split(separator: "\n").filter { line in
      line.contains("(%rsp)") && ["%xmm", "%ymm", "%zmm"].contains(where: line.contains)
    }
    #expect(spills.isEmpty, "\(spills.joined(separator: "\n"))")
  }
}
