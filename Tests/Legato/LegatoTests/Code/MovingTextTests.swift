// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import NativeCode
import Testing

/// The code for time-varying parameters beside that for settled ones.
@Suite struct MovingTextTests {
  /// The parts of a text that belong to the two functions of the only kernel of a bitcrusher that holds no samples.
  private static func functions(
    of text: String, from beginning: (String) -> String, to end: String
  ) throws -> (settled: Substring, moving: Substring) {
    func part(_ name: String) throws -> Substring {
      let first = try #require(text.range(of: beginning(name))?.upperBound)
      let last = try #require(text[first...].range(of: end)?.lowerBound)
      return text[first..<last]
    }
    return (try part("step_0"), try part("step_0_varying"))
  }

  private static func bitcrusher(_ target: String) throws -> CompiledGraph {
    let graph = try Graph(
      parsing: """
        graph "Bitcrusher" stream 8000
        input src [2, frames]
        parameter resolution [frames] = 8 minimum 1 maximum 256 ramp 160 scale linear
        parameter gain [frames] = 2 minimum 0.1 maximum 20 ramp 160 scale linear
        parameter dryWet [frames] = 1 minimum 0 maximum 1 ramp 160 scale linear
        quantized = round(tanh(src * gain) * resolution) / resolution
        dst = quantized * dryWet + src * (1 - dryWet)
        output dst = dst
        """)
    return try CompiledGraph(graph, options: CompileOptions(target: Target.named(target)))
  }

  /// An instruction that takes an operand from memory saves a register; where there is none, nothing is read twice.
  @Test(arguments: ["x86-64", "x86-64-v3", "x86-64-v4", "aarch64"])
  func coefficientsAreReadEachTimeWhereRegistersAreFew(target: String) throws {
    let text = try Self.bitcrusher(target).llvmText
    let (settled, moving) = try Self.functions(of: text, from: { "void @\($0)(" }, to: "\n}")
    let isStaggered = try Target.named(target).takesOperandsFromMemory
    #expect(!settled.contains("load volatile"))
    #expect(moving.contains("load volatile") == isStaggered)
  }

  /// Seven coefficients of tanh in each of four vectors: six are operands, and the first one is where a sum begins.
  @Test func coefficientsAreOperandsInMemory() throws {
    let assembly = try Self.bitcrusher("x86-64-v4").assembly()
    let (settled, moving) = try Self.functions(of: assembly, from: { "\n\($0):" }, to: "\tretq")
    func operandsInMemory(_ code: Substring) -> Int {
      code.split(separator: "\n").count { line in
        (line.contains("fmadd") || line.contains("vaddps")) && line.contains(".Lfloat.")
      }
    }
    // The rest of a block, one vector at a time, is the same in both.
    #expect(operandsInMemory(moving) == operandsInMemory(settled) + 24)
    #expect(!moving.contains("(%rsp), %zmm"))
  }
}
