// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import NativeCode
import RealtimeWatch
import TestEquipment
import Testing

/// A plan and its text grow by what their graph grows by: four times as much of one kind makes at most a little more
/// than four times as much work for the stages behind it.
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

  /// A graph, what becomes of it, and the bytes that compiling it asks for.
  private struct Work {
    let graph: Graph
    let compiled: CompiledGraph
    let bytes: Int

    init(_ family: Family, _ count: Int) throws {
      let target = try #require(Target.x86(level: "x86-64-v3"))
      let graph = try family.graph(count)
      var compiled: CompiledGraph?
      bytes = try HeapUse.bytes {
        compiled = try CompiledGraph(graph, options: CompileOptions(target: target, pipeline: .none))
      }
      self.graph = graph
      self.compiled = try #require(compiled)
    }
  }

  /// The memory that compiling asks for is the same on every machine; a pass that copies its graph for each node asks
  /// for sixteen times as much. Where instructions are not counted, work that explodes shows here at least by not
  /// coming to an end.
  @Test(.timeLimit(.minutes(30)), arguments: families) func workIsInProportion(family: Family) throws {
    _ = try Work(family, 10)
    let (few, many) = (try Work(family, 250), try Work(family, 1_000))
    func numbers(_ number: (Work) -> Int) -> (few: Int, many: Int) { (number(few), number(many)) }
    let kernels = numbers { $0.compiled.plan.kernelGraph.kernels.count }
    #expect(kernels.many <= 4 * kernels.few + 8, "\(kernels)")
    // Numbers and names get longer with their count.
    let text = numbers { $0.compiled.llvmText.utf8.count }
    #expect(Double(text.many) <= 4.2 * Double(text.few), "\(text)")
    let memory = numbers { $0.compiled.plan.layout.size }
    #expect(memory.many <= 4 * memory.few + 4096, "\(memory)")
    let asked = numbers(\.bytes)
    #expect(asked.few > 100_000, "what compiling asks for is not seen")
    #expect(asked.many <= 6 * asked.few, "\(asked)")
    // Each node costs at least a tenth of the lines that are written for it, whatever kind it is.
    for work in [few, many] {
      let lines = work.compiled.llvmText.utf8.count { $0 == UInt8(ascii: "\n") }
      #expect(lines <= 10 * work.graph.cost, "\(lines) lines for a cost of \(work.graph.cost)")
    }
  }

  /// Layers that differ in their weights, in how far they look back and in where their numbers stand have their code in
  /// common, and run in one loop.
  @Test(arguments: [Clock.stream, .step]) func equalLayersAreWrittenOnce(clock: Clock) throws {
    func text(_ count: Int) throws -> (lines: [Substring], kernels: Int) {
      let target = try #require(Target.x86(level: "x86-64-v3"))
      let layers = try CompiledGraph(
        try Self.layers(count, clock), options: CompileOptions(target: target))
      return (layers.llvmText.split(separator: "\n"), layers.plan.kernelGraph.kernels.count)
    }
    let (few, many) = (try text(20), try text(60))
    // One line for each call of the other layers would be 120 at least; rounds of ten layers are a loop.
    #expect(many.lines.count <= few.lines.count + 60, "\(few.lines.count), \(many.lines.count)")
    // The first layer and the last are no others' like, and there are the entry, and what moves pasts of three lengths.
    let defined = many.lines.count { $0.hasPrefix("define") }
    #expect(defined <= 14, "\(defined) of \(many.kernels) kernels")
  }

  /// Each of them is told its own numbers.
  @Test(arguments: [Clock.stream, .step]) func equalLayersGiveWhatTheyShould(clock: Clock) throws {
    let graph = try Self.layers(12, clock)
    try Laws(LawCase(label: "layers, \(clock)", graph: graph, seed: 5)).check(seed: 5)
  }

  private static func layers(_ count: Int, _ clock: Clock) throws -> Graph {
    func numbers(_ many: Int, _ layer: Int) -> String {
      (0..<many).map { "\(Double(($0 * 7 + layer) % 11 - 5) / 64)" }.joined(separator: ", ")
    }
    let lines = (0..<count).flatMap { layer in
      let (weight, past) = ("\"c\(layer)\"", 1 << (layer % 10))
      let heard =
        switch clock {
        case .stream: "conv1d(y\(layer), \(weight), dilation: \(past))"
        case .step: "dense(delay(y\(layer), frames: \(past)), \(weight), axis: 0)"
        }
      let taps = clock == .stream ? 3 : 1
      return [
        "weights \(weight) [8, 8\(taps > 1 ? ", 3" : "")] = [\(numbers(64 * taps, layer))]",
        "weights \"d\(layer)\" [8, 8] = [\(numbers(64, layer + 3))]",
        "a\(layer) = tanh(\(heard))", "y\(layer + 1) = y\(layer) + dense(a\(layer), \"d\(layer)\", axis: 0)",
      ]
    }
    let shape = clock == .stream ? "[8, frames]" : "[8]"
    let all =
      ["graph \"layers\" \(clock) 48000", "input y0 \(shape)"] + lines + ["output y = y\(count)"]
    return try Graph(parsing: all.joined(separator: "\n") + "\n")
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
