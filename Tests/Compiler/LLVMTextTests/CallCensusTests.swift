// SPDX-License-Identifier: Apache-2.0

import LLVMText
import Testing

@Suite struct CallCensusTests {
  /// Four functions, of which the last is called by two, with one line replaced.
  static func text(_ replacement: (String, String) = ("", "")) -> String {
    let text = """
      define void @whole(ptr %p, i64 %n) #0 {
      entry:
        call void @left(i64 %n)
        call void @right(i64 %n)
        ret void
      }
      define internal void @left(i64 %n) #0 {
      entry:
        call void @end(i64 1)
        ret void
      }
      define internal void @right(i64 %n) #0 {
      entry:
        call void @end(i64 2)
        ret void
      }
      define internal void @end(i64 %n) #0 {
      entry:
        %x = call float @llvm.fabs.f32(float 1.0)
        ret void
      }
      """
    return replacement.0.isEmpty ? text : text.replacing(replacement.0, with: replacement.1)
  }

  @Test func directCallsPass() {
    let census = CallCensus(ModuleReading(Self.text()))
    #expect(census.violations.isEmpty)
    #expect(census.directCalls == 4)
    #expect(census.indirectCalls == 0 && census.inlineAssembly == 0 && census.recursiveFunctions.isEmpty)
  }

  @Test func theDeepestWayIsTheWidest() {
    let bytes = ["whole": 1, "left": 10, "right": 100, "end": 1_000]
    let census = CallCensus(ModuleReading(Self.text()))
    #expect(census.deepestStack(below: "whole") { bytes[$0, default: 0] } == 1_101)
    #expect(census.deepestStack(below: "whole") { $0 == "right" ? nil : 1 } == nil)
  }

  @Test func assemblyBesideFunctionsIsNamed() {
    let census = CallCensus(ModuleReading("module asm \"syscall\"\n" + Self.text()))
    #expect(census.inlineAssembly == 1)
    #expect(census.violations == ["assembly stands beside the functions: module asm \"syscall\""])
  }

  @Test(arguments: [
    // A function's name among the arguments does not make it direct.
    "call void %pointer(i64 %n)", "call void %pointer(ptr @left)", "tail call void %pointer(i64 %n)",
    "%y = call i64 %pointer(i64 %n)",
  ])
  func anIndirectCallIsNamed(call: String) {
    let census = CallCensus(ModuleReading(Self.text(("call void @left(i64 %n)", call))))
    #expect(census.indirectCalls == 1)
    #expect(census.violations.count == 1)
  }

  @Test(arguments: [
    "call void asm sideeffect \"nop\", \"\"()", "%y = call i64 asm \"mov $1, $0\", \"=r,r\"(i64 %n)",
  ])
  func assemblyIsNamed(call: String) {
    let census = CallCensus(ModuleReading(Self.text(("call void @left(i64 %n)", call))))
    #expect(census.inlineAssembly == 1)
    #expect(census.violations.count == 1)
  }

  @Test(arguments: [
    ("call void @end(i64 2)", "call void @right(i64 2)"), ("@end(i64 1)", "@whole(ptr %p, i64 1)"),
  ])
  func whatComesBackIsNamed(old: String, new: String) {
    let census = CallCensus(ModuleReading(Self.text((old, new))))
    #expect(!census.recursiveFunctions.isEmpty)
    #expect(census.violations.count == census.recursiveFunctions.count)
    #expect(census.deepestStack(below: "whole") { _ in 1 } == nil)
  }
}
