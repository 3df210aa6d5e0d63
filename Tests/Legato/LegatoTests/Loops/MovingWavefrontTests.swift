// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import LLVMText
import Legato
import NativeCode
import Testing

/// Cascades of filters whose coefficients move: with a parameter, with a sample that is held, or frame by frame.
@Suite struct MovingWavefrontTests {
  /// The rate of a cascade's frequencies.
  enum Rate: CaseIterable {
    case parameter, held, heldByEach, frame
    /// Of every third filter; those of the others stand still.
    case frameOfSome

    /// The frequency of one of the filters.
    func frequency(of filter: Int) -> String {
      let ratio = 1 + 0.3 * Double(filter)
      return switch self {
      case .parameter: "cut * \(ratio)"
      case .held: "control(cut + 90 * sine(7)) * \(ratio)"
      case .heldByEach: "control(cut * \(ratio) + 90 * sine(\(7 + filter)))"
      case .frame: "(cut + 90 * sine(7)) * \(ratio)"
      case .frameOfSome: filter % 3 == 1 ? "(cut + 90 * sine(7)) * \(ratio)" : "\(400 * ratio)"
      }
    }
  }

  /// One of the filters, of the stream `x`.
  private static func filter(_ name: String, _ x: String, _ frequency: String) -> String {
    switch name {
    case "peak", "lowShelf", "highShelf": "\(name)(\(x), \(frequency), 3 + 2 * level)"
    case "biquad":
      "biquad(\(x), 0.3 + 0.0001 * (\(frequency)), 0.2, 0.1 * level, 0.0001 * (\(frequency)) - 0.6, 0.2)"
    case "dcBlock", "onePole": "\(name)(\(x), \(frequency))"
    case _: "\(name)(\(x), \(frequency), 0.6 + level)"
    }
  }

  private static func graph(_ names: [String], _ rate: Rate, channels: Int) throws -> Graph {
    let body = names.enumerated().map { index, name in
      "y\(index) = " + filter(name, index == 0 ? "x" : "y\(index - 1)", rate.frequency(of: index))
    }
    return try Graph(
      parsing: """
        graph "cascade" stream 48000
        input x [\(channels), frames]
        parameter cut [frames] = 500 minimum 50 maximum 3000 ramp 150 scale linear
        parameter level [frames] = 0.5 minimum 0 maximum 1 ramp 90 scale linear
        \(body.joined(separator: "\n"))
        output y = y\(names.count - 1)
        """)
  }

  private static let names = [
    "lowpass", "highpass", "bandpass", "notch", "allpass", "peak", "lowShelf", "highShelf", "onePole",
    "dcBlock", "biquad",
  ]

  private struct Cascade: CustomStringConvertible {
    let names: [String]
    let channels: Int
    let rate: Rate

    var description: String { "\(names) in \(channels) channels, \(rate)" }
  }

  /// Each filter so many times, and different ones; every other one with a parameter.
  private static var cascades: [Cascade] {
    let counts = [(2, 1), (3, 2), (4, 5), (5, 1), (6, 3), (7, 2), (8, 1), (9, 8), (2, 3), (3, 1), (5, 2)]
    var cascades = zip(names, counts).map { ([String](repeating: $0, count: $1.0), $1.1) }
    cascades += [
      (["lowShelf", "peak", "peak", "highShelf"], 2),
      (["lowpass", "notch", "peak", "lowpass", "allpass"], 3),
    ]
    let rates = Rate.allCases.filter { $0 != .parameter }
    return cascades.enumerated().map { index, cascade in
      let rate = index.isMultiple(of: 2) ? .parameter : rates[index / 2 % rates.count]
      return Cascade(names: cascade.0, channels: cascade.1, rate: rate)
    }
  }

  @Test(arguments: cascades) private func allLawsHold(cascade: Cascade) throws {
    let graph = try Self.graph(cascade.names, cascade.rate, channels: cascade.channels)
    let seed = UInt64(cascade.names.count + cascade.channels)
    try Laws(LawCase(label: "\(cascade)", graph: graph, seed: seed)).check(seed: seed)
  }

  /// While parameters move, a cascade computes numbers side by side, and none by itself.
  @Test(arguments: [1, 2, 3]) func movingCodeIsInLanes(channels: Int) throws {
    let graph = try Self.graph(
      ["lowShelf"] + [String](repeating: "peak", count: 6) + ["highShelf"], .parameter, channels: channels)
    for target in Target.runnable {
      let plan = try CompiledGraph(graph, options: CompileOptions(target: target)).plan
      #expect(plan.wavefronts == 1, "\(target.name)")
      let functions = ModuleText(plan).text.split(separator: "define internal void @")
      let moving = functions.filter { $0.prefix { $0 != "(" }.hasSuffix("_varying") }
      #expect(!moving.isEmpty)
      for function in moving {
        #expect(!function.contains(/f(mul|add|sub|div) float|fma\.f32/), "\(target.name): \(function)")
      }
    }
  }

  /// Factors of loops are divided before them, and nothing is divided twice.
  @Test func divisionsAreMadeOnceBeforeTheLoops() throws {
    let graph = try Self.graph(
      ["lowShelf"] + [String](repeating: "peak", count: 6) + ["highShelf"], .parameter, channels: 2)
    let plan = try CompiledGraph(graph, options: CompileOptions(target: .host())).plan
    func divisions(of kernel: Kernel) -> [NodeID] {
      kernel.nodes.filter { plan.graph[$0].op == .binary(.divide) }
    }
    let all = plan.kernelGraph.kernels.flatMap(divisions)
    #expect(all.count > 8 && Set(all).count == all.count)
    for case .cycle(let cycle) in plan.kernelGraph.kernels { #expect(divisions(of: .cycle(cycle)).isEmpty) }
  }

  /// A coefficient of held samples only is a number in each tile, and the filters are a wavefront over numbers.
  @Test(arguments: [Rate.held, .heldByEach]) func heldCoefficientsAreNumbers(rate: Rate) throws {
    let graph = try Self.graph([String](repeating: "onePole", count: 8), rate, channels: 2)
    let plan = try CompiledGraph(graph, options: CompileOptions(target: .host())).plan
    #expect(plan.wavefronts == 1)
    for case .map(let map) in plan.kernelGraph.kernels where map.space.inner == .frames {
      #expect(map.nodes.allSatisfy { plan.graph[$0].op != .unary(.tan) })
    }
  }
}
