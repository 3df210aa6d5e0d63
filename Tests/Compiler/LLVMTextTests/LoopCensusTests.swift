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
        %inside = and i64 %i, 15
        call void @g(i64 %i)
        br label %loop.1.next
      loop.1.next:
        %same = call i64 @llvm.expect.i64(i64 %i, i64 %i)
        %next = add i64 %same, 16
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

  @Test func aCountedLoopPasses() {
    let census = LoopCensus(ModuleReading(Self.text()))
    #expect(census.violations.isEmpty)
    #expect(census.countedLoops == 1)
    #expect(census.mostRounds == 0, "the limit is an argument of the whole")
  }

  /// A limit is a number, or follows from what callers hand over.
  @Test(arguments: [
    ("icmp ult i64 %next, 128", "", 8), ("icmp ult i64 %next, 129", "", 9), ("icmp ult i64 %next, 1", "", 1),
    ("icmp ult i64 %next, %n", "128", 8), ("icmp ult i64 %next, %n", "20", 2),
    ("icmp ult i64 %next, %limit", "100", 7), ("icmp ult i64 %next, %less", "100", 4),
    ("icmp ult i64 %next, %past", "100", 7), ("icmp ult i64 %next, %beyond", "100", 8),
  ])
  func roundsAreCounted(comparison: String, handedOver: String, rounds: Int) {
    let caller = """

      define void @whole(i64 %frames) #0 {
      entry:
        %short = call i64 @llvm.umin.i64(i64 %frames, i64 \(handedOver))
        call void @f(i64 %short)
        call void @f(i64 1)
        ret void
      }
      """
    let text = Self.text(
      ("icmp ult i64 %next, %n", comparison),
      (
        "  br label %loop.1\nloop",
        """
          %limit = and i64 %n, -4
          %less = and i64 %n, 63
          %past = call i64 @llvm.usub.sat.i64(i64 %n, i64 21)
          %beyond = add i64 %n, 28
          br label %loop.1
        loop
        """
      ))
    let census = LoopCensus(ModuleReading(text + (handedOver.isEmpty ? "" : caller)))
    #expect(census.violations.isEmpty)
    #expect(census.mostRounds == rounds)
  }

  @Test(arguments: [
    ("br i1 %more, label %loop.1, label", "br i1 %other, label %loop.1, label"),
    ("add i64 %same, 16", "add i64 %same, 0"),
    ("add i64 %same, 16", "add i64 %same, -1"),
    ("add i64 %same, 16", "add i64 %same, %n"),
    ("add i64 %same, 16", "sub i64 %same, 16"),
    ("icmp ult i64 %next", "icmp ne i64 %next"),
    // The index is not the one that grows, or does not come from the round before.
    ("add i64 %same, 16", "add i64 %n, 16"),
    ("expect.i64(i64 %i, i64 %i)", "expect.i64(i64 %n, i64 %i)"),
    ("expect.i64(i64 %i, i64 %i)", "umin.i64(i64 %i, i64 %i)"),
    ("[ %next, %loop.1.next ]", "[ %i, %loop.1.next ]"),
    ("%i = phi i64 [ 0, %entry ], [ %next, %loop.1.next ]", "%i = load i64, ptr %p"),
    ("br i1 %more, label %loop.1, label %loop.1.done", "br label %loop.1"),
    // The limit runs before the index, or may be anything.
    ("icmp ult i64 %next, %n", "icmp ult i64 %next, %inside"),
    ("icmp ult i64 %next, %n", "icmp ult i64 %next, %same"),
    ("icmp ult i64 %next, %n", "icmp ult i64 %next, -1"),
    ("icmp ult i64 %next, %n", "icmp ult i64 %next, %unknown"),
    // Branches that go back unseen, were conditions and labels read by their place alone.
    ("br i1 %more, label %loop.1, label %loop.1.done", "br i1 true, label %loop.1, label %loop.1.done"),
    ("loop.1:\n", "loop.1: ; preds = %entry\n"),
    ("  ret void\n}\ndefine", "  indirectbr ptr %p, [label %entry]\n}\ndefine"),
    ("  ret void\n}\ndefine", "  switch i64 %n, label %entry []\n}\ndefine"),
    ("  ret void\n}\ndefine", "  callbr void asm \"\", \"!i\"() to label %entry []\n}\ndefine"),
  ])
  func whateverIsNotCountedIsNamed(old: String, new: String) {
    let text = Self.text((old, new))
    #expect(text != Self.text())
    #expect(!LoopCensus(ModuleReading(text)).violations.isEmpty)
  }

  /// The loop over tiles, whose length is what is left, at most 128.
  static let tiles = """
    define void @f(ptr %p, i64 %frames) #0 {
    entry:
      br label %tile.1
    tile.1:
      %done = phi i64 [ 0, %entry ], [ %next, %tile.2 ]
      %position = load i64, ptr %p, align 8
      %left = sub i64 %frames, %done
      %into = and i64 %position, 127
      %room = sub i64 128, %into
      %count = call i64 @llvm.umin.i64(i64 %left, i64 %room)
      br label %tile.2
    tile.2:
      %length = phi i64 [ %count, %tile.1 ]
      %same = call i64 @llvm.expect.i64(i64 %done, i64 %done)
      %next = add i64 %same, %length
      %more = icmp ult i64 %next, %frames
      br i1 %more, label %tile.1, label %end
    end:
      ret void
    }
    """

  @Test func tilesThatGrowPass() {
    let census = LoopCensus(ModuleReading(Self.tiles))
    #expect(census.violations.isEmpty)
    #expect(census.tileLoops == 1)
    #expect(census.countedLoops == 0)
  }

  @Test(arguments: [
    ("[ %count, %tile.1 ]", "[ 0, %tile.1 ]"),
    ("[ %count, %tile.1 ]", "[ %position, %tile.1 ]"),
    ("sub i64 128, %into", "sub i64 64, %into"),
    ("and i64 %position, 127", "add i64 %position, 127"),
    ("sub i64 %frames, %done", "sub i64 %done, %frames"),
    ("i64 %left, i64 %room", "i64 %left, i64 0"),
    ("@llvm.umin.i64", "@llvm.umax.i32"),
  ])
  func aTileThatMayBeEmptyIsNamed(old: String, new: String) {
    let text = Self.tiles.replacing(old, with: new)
    #expect(text != Self.tiles)
    #expect(!LoopCensus(ModuleReading(text)).violations.isEmpty)
  }
}
