// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import Legato
import NativeCode
import Testing

/// A delay by a signal gathers each number from a place of its own; where the signal stands still, all of them are a
/// row.
@Suite struct StandingDelayTests {
  @Test(arguments: [
    ("q * 50", false), ("p * 50", false), ("3.5", false), ("z", true), ("50 * tanh(z * q)", true),
  ])
  func isReadAsARow(amount: String, gathers: Bool) throws {
    let graph = try Graph(
      parsing: """
        graph "late" stream 48000
        input x [frames]
        input z [frames]
        parameter p [] = 1 minimum 0 maximum 1 ramp 0 scale linear
        parameter q [frames] = 1 minimum 0 maximum 1 ramp 70 scale linear
        y = q * delay(x, by: \(amount), maximum: 90)
        output y = y
        """)
    let text = try CompiledGraph(graph, options: CompileOptions(target: Target.named("x86-64-v4"))).llvmText
    let settled = text.split(separator: "define internal void @step_").dropFirst().filter { function in
      !function.prefix { $0 != "(" }.hasSuffix("_varying")
    }
    let gathersNumbers = settled.contains { $0.contains("call <16 x float> @llvm.masked.gather") }
    #expect(gathersNumbers == gathers)
  }
}
