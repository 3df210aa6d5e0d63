// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import NativeCode
import RealtimeWatch
import TestEquipment
import Testing

/// What a graph grows by, its plan and its text grow by: twice as much of one kind makes at most a little more than
/// twice as much work for the stages behind it.
@Suite struct GrowthTests {
  /// A kind of graph that can be made as large as one likes.
  struct Family: Sendable, CustomTestStringConvertible {
    let name: String
    let lines: @Sendable (_ count: Int) -> [String]

    var testDescription: String { name }

    func graph(_ count: Int) throws -> Graph {
      try Graph(parsing: (["graph \"\(name)\" stream 48000"] + lines(count)).joined(separator: "\n") + "\n")
    }
  }

  static let families = [
    Family(name: "ports") { count in
      let all = 0..<count
      return all.map { "input x\($0) [frames]" } + all.map { "y\($0) = tanh(x\($0))" }
        + all.map { "output out\($0) = y\($0)" }
    },
    Family(name: "ports that cross over") { count in
      let all = 0..<count
      return all.map { "input x\($0) [frames]" } + all.map { "y\($0) = x\(count - 1 - $0) * 2" }
        + all.map { "output out\($0) = y\($0)" }
    },
    Family(name: "folds") { count in
      ["input x [2, frames]", "y0 = sum(x, axis: 0)"]
        + (1..<count).map { "y\($0) = sum(x * y\($0 - 1), axis: 0)" } + ["output y = y\(count - 1)"]
    },
    Family(name: "live buffers") { count in
      let all = 0..<count
      return ["input x [2, frames]"] + all.map { "s\($0) = sum(x * \($0).5, axis: 0)" } + ["y0 = s0 * 2"]
        + all.dropFirst().map { "y\($0) = y\($0 - 1) + s\($0)" } + ["output y = y\(count - 1)"]
    },
    Family(name: "operands of a concatenation") { count in
      let all = (0..<count).map { _ in "x" }.joined(separator: ", ")
      return ["input x [1, frames]", "y = concatenate([\(all)], axis: 0)", "output y = y"]
    },
    Family(name: "loops that feed each other") { count in
      ["input x [2, frames]", "y0 = x * 2"]
        + (1..<count).map { "y\($0) = 0.5 * y\($0 - 1) + 0.25 * delay(y\($0), 1)" }
        + ["output y = y\(count - 1)"]
    },
    Family(name: "loops side by side") { count in
      let all = 0..<count
      return ["input x [2, frames]"] + all.map { "y\($0) = x + 0.\($0) * delay(y\($0), 1)" } + ["s0 = y0 * 2"]
        + all.dropFirst().map { "s\($0) = s\($0 - 1) + y\($0)" } + ["output y = s\(count - 1)"]
    },
    Family(name: "maps that cannot join") { count in
      ["input x [2, frames]", "y0 = x * 2"]
        + (1..<count).map {
          "y\($0) = transpose(reshape(y\($0 - 1), shape: [\($0 % 2 + 1), \(2 - $0 % 2)]), order: [1, 0]) * 2"
        } + ["output y = reshape(y\(count - 1), shape: [2])"]
    },
  ]

  private func compiled(_ family: Family, _ count: Int) throws -> CompiledGraph {
    let target = try #require(Target.x86(level: "x86-64-v3"))
    return try CompiledGraph(
      family.graph(count), options: CompileOptions(target: target, pipeline: .none))
  }

  @Test(arguments: families) func workIsInProportion(family: Family) throws {
    let (one, two) = (try compiled(family, 400), try compiled(family, 800))
    let kernels = (one.plan.kernelGraph.kernels.count, two.plan.kernelGraph.kernels.count)
    #expect(kernels.1 <= 2 * kernels.0 + 8, "\(kernels)")
    let text = (one.llvmText.utf8.count, two.llvmText.utf8.count)
    // Numbers and names get longer with their count.
    #expect(Double(text.1) <= 2.2 * Double(text.0), "\(text)")
    let memory = (one.plan.layout.size, two.plan.layout.size)
    #expect(memory.1 <= 2 * memory.0 + 4096, "\(memory)")
    // Each node costs at least a tenth of the lines that are written for it, whatever kind it is.
    for (count, compiled) in [(400, one), (800, two)] {
      let lines = compiled.llvmText.utf8.count { $0 == UInt8(ascii: "\n") }
      let cost = try family.graph(count).cost
      #expect(lines <= 10 * cost, "\(lines) lines for a cost of \(cost)")
    }
  }

  /// Four times as many ask for four times the memory and a little more, on every machine; a pass that copies its
  /// graph for each node asks for sixteen times as much. Where instructions are not counted, work that explodes
  /// shows here at least by not coming to an end.
  @Test(.timeLimit(.minutes(30)), arguments: families)
  func memoryAskedForIsInProportion(family: Family) throws {
    let target = try #require(Target.x86(level: "x86-64-v3"))
    let options = CompileOptions(target: target, pipeline: .none)
    func bytes(_ count: Int) throws -> Int {
      let graph = try family.graph(count)
      return try HeapUse.bytes { _ = try CompiledGraph(graph, options: options) }
    }
    _ = try bytes(10)
    let (few, many) = (try bytes(1_000), try bytes(4_000))
    #expect(few > 100_000, "what compiling asks for is not seen")
    #expect(Double(many) <= 4.5 * Double(few), "\(many) bytes, \(few) for a quarter")
  }

  /// Four times as many take four times the instructions and a little more; quadratic work would take sixteen times.
  @Test(
    .enabled(if: InstructionCount.isAvailable, "this machine counts no instructions"), arguments: families)
  func instructionsAreInProportion(family: Family) throws {
    let target = try #require(Target.x86(level: "x86-64-v3"))
    let options = CompileOptions(target: target, pipeline: .none)
    func instructions(_ count: Int) throws -> UInt64 {
      let graph = try family.graph(count)
      return try InstructionCount.count { _ = try CompiledGraph(graph, options: options) }
    }
    let (few, many) = (try instructions(500), try instructions(2_000))
    #expect(many <= 6 * few, "\(many) instructions, \(few) for a quarter")
  }
}
