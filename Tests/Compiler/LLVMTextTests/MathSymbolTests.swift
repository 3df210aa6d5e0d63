// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import LLVMText
import NativeCode
import Testing

@Suite struct MathSymbolTests {
  static let targets: [Target] =
    ["x86-64", "x86-64-v3", "x86-64-v4"].map { Target.x86(level: $0)! } + [
      Target(
        triple: "aarch64-unknown-linux-gnu", cpu: "generic", features: "", vectorBytes: 16,
        vectorRegisters: 32, hasFMA: true, hasVectorRounding: true)
    ]

  /// `emit` refuses objects with undefined symbols, so making one is the proof.
  @Test(arguments: MathFunction.all)
  func callsNothing(function: MathFunction) throws {
    for target in Self.targets {
      for (width, vectors) in [(1, 1), (target.lanes, 2)] {
        let text = MathProgram.text(function, target: target, width: width, vectors: vectors)
        let object = try ObjectFile.emit(ir: text, target: target)
        #expect(object.definedFunctions == ["execute"], "\(function.name), \(target.triple)")
        #expect(object.warnings.isEmpty)
      }
    }
  }

  @Test(arguments: MathFunction.all)
  func writesNoPoisonAndNoFastMath(function: MathFunction) {
    let text = MathProgram.text(function, target: Self.targets[0], width: 4, vectors: 1)
    // Conversions to integers are undefined out of range, `frem` is a call, flags let results depend on the machine.
    for word in ["fptosi", "fptoui", "frem", " fast ", "contract", "reassoc", "llvm.fma"] {
      #expect(!text.contains(word), "\(function.name) uses \(word)")
    }
  }

  @Test func tanhTakesThirteenInstructions() {
    let builder = FunctionBuilder(target: Target.x86(level: "x86-64-v4")!, width: 16)
    _ = builder.tanh(Lanes(names: ["%x"], element: .float, width: 16))
    // A comparison and its selection become one minimum; loads of constants become operands.
    let lines = builder.text.split(separator: "\n").filter { !$0.contains("fcmp") && !$0.contains(" load ") }
    #expect(lines.count == 13)
  }
}
