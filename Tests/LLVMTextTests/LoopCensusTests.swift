// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import LLVMText
import Testing

@Suite struct LoopCensusTests {
  /// A function with one loop, in which single lines are replaced.
  static func text(_ replacements: (String, String)...) -> String {
    var text = """
      define void @f(i64 %n) #0 {
      entry:
        br label %loop.1
      loop.1:
        %i = phi i64 [ 0, %entry ], [ %next, %loop.1.next ]
        call void @g(i64 %i)
        br label %loop.1.next
      loop.1.next:
        %next = add i64 %i, 16
        %more = icmp ult i64 %next, %n
        br i1 %more, label %loop.1, label %loop.1.done
      loop.1.done:
        ret void
      }
      define internal void @g(i64 %i) #0 {
      entry:
        %x = call float @llvm.fabs.f32(float 1.0)
        ret void
      }
      """
    for (old, new) in replacements { text = text.replacing(old, with: new) }
    return text
  }

  @Test func aCountedLoopAndADirectCallPass() {
    let census = LoopCensus(Self.text())
    #expect(census.violations.isEmpty)
    #expect(census.countedLoops == 1)
    #expect(census.directCalls == 1)
  }

  @Test(arguments: [
    ("br i1 %more, label %loop.1, label", "br i1 %other, label %loop.1, label"),
    ("add i64 %i, 16", "add i64 %i, 0"),
    ("add i64 %i, 16", "add i64 %i, -1"),
    ("add i64 %i, 16", "add i64 %i, %n"),
    ("add i64 %i, 16", "sub i64 %i, 16"),
    ("icmp ult i64 %next", "icmp ne i64 %next"),
    ("br i1 %more, label %loop.1, label %loop.1.done", "br label %loop.1"),
    ("call void @g(i64 %i)", "call void %pointer(i64 %i)"),
    ("call void @g(i64 %i)", "call void @f(i64 %i)"),
    ("call float @llvm.fabs.f32(float 1.0)", "call void @f(i64 %i)"),
    ("call void @g(i64 %i)", "call void asm \"nop\", \"\"()"),
    ("  ret void\n}\ndefine", "  indirectbr ptr %p, [label %entry]\n}\ndefine"),
  ])
  func whateverIsNotCountedIsNamed(old: String, new: String) {
    let text = Self.text((old, new))
    #expect(text != Self.text())
    #expect(!LoopCensus(text).violations.isEmpty)
  }
}
