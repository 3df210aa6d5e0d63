// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import NativeCode
import Testing

/// The code of a map: nothing masked where there is room, nothing asked of what is a number.
@Suite struct MapTextTests {
  private static let levels = Target.levels.compactMap(Target.x86(level:))

  /// The functions of kernels, in order.
  private static func kernels(of lines: String, for target: Target) throws -> [Substring] {
    let graph = try Graph(
      parsing: """
        graph "maps" stream 48000
        input x [2, frames]
        parameter rate [frames] = 100 minimum 10 maximum 9000 ramp 960 scale linear
        \(lines)
        output y = y
        """)
    let compiled = try CompiledGraph(graph, options: CompileOptions(target: target))
    return compiled.llvmText.split(separator: "\n}").filter { $0.contains("define internal void @step_") }
  }

  /// A phasor, a map between it and what holds, which is the caller's memory's own, and a map that writes there.
  @Test(arguments: levels)
  func onlyACallersMemoryIsMasked(_ target: Target) throws {
    let kernels = try Self.kernels(
      of: """
        turns = phasor(rate)
        isDue = turns < 0.25
        held = sampleAndHold(x, isDue)
        y = tanh(held)
        """, for: target)
    // Where lanes exist is asked with a comparison of their numbers, whatever is then done with it.
    let isMasked = kernels.map { kernel in
      (kernel.split(separator: "(").first ?? "", kernel.contains("icmp ugt <"))
    }
    let settled = isMasked.filter { !$0.0.hasSuffix("_varying") }.map(\.1)
    #expect(settled == [false, false, true, true], "\(isMasked)")
  }

  @Test(arguments: [
    ("min(x, rate)", false), ("max(x, rate)", false), ("min(rate, x)", true), ("max(x, 0)", false),
  ])
  func numbersAreComparedOnce(_ expression: String, isAsked: Bool) throws {
    for kernel in try Self.kernels(of: "y = \(expression)", for: Self.levels[0]) {
      #expect(kernel.contains("fcmp uno") == isAsked)
    }
  }

  @Test(arguments: [("phasor(rate)", false), ("phasor(sum(x, axis: 0))", true)])
  func aFrequencyThatIsANumberIsNotAsked(_ expression: String, isAsked: Bool) throws {
    let kernels = try Self.kernels(of: "y = \(expression)", for: Self.levels[0])
    #expect(kernels.contains { $0.contains("fcmp uno") } == isAsked)
  }
}
