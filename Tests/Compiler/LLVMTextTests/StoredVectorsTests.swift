// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import LLVMText
import Testing

/// Knowledge of memory between two labels: a load of just what was stored takes its register, any other is a load.
@Suite struct StoredVectorsTests {
  private var known = StoredVectors()

  init() {
    known.place("%a", 64, behind: "%workspace")
    known.place("%b", 4, behind: "%a")
    known.place("%c", -4, behind: "%a")
    known.place("%far", 64, behind: "%a")
    known.store("%v", bytes: 32, to: "%a")
  }

  @Test func theSamePlaceAndSizeIsTaken() {
    #expect(known.load(bytes: 32, from: "%a") == "%v")
    #expect(known.load(bytes: 16, from: "%a") == nil)
    #expect(known.load(bytes: 32, from: "%b") == nil)
    #expect(known.load(bytes: 32, from: "%elsewhere") == nil)
  }

  @Test mutating func anAddressByAnyNameIsTaken() {
    known.place("%again", 4, behind: "%c")
    #expect(known.load(bytes: 32, from: "%again") == "%v")
  }

  @Test(arguments: ["%a", "%b", "%c"]) func whatIsWrittenOverIsForgotten(address: String) {
    var known = known
    known.store("%w", bytes: 8, to: address)
    #expect(known.load(bytes: 32, from: "%a") == nil)
    #expect(known.load(bytes: 8, from: address) == "%w")
    var cut = self.known
    cut.forget(bytes: 8, at: address)
    #expect(cut.load(bytes: 32, from: "%a") == nil && cut.load(bytes: 8, from: address) == nil)
  }

  @Test mutating func whatIsNextToItStays() {
    known.store("%w", bytes: 4, to: "%c")
    known.store("%x", bytes: 32, to: "%far")
    #expect(known.load(bytes: 32, from: "%a") == "%v")
    #expect(known.load(bytes: 4, from: "%c") == "%w" && known.load(bytes: 32, from: "%far") == "%x")
  }

  @Test mutating func aStoreThatMayBeAnywhereEndsAll() {
    known.store("%w", bytes: 4, to: "%elsewhere")
    #expect(known.load(bytes: 32, from: "%a") == nil && known.load(bytes: 4, from: "%elsewhere") == nil)
  }

  /// In code: what was written with `line` may be a store, and behind a label there are other ways to come from.
  @Test func codeForgets() throws {
    let builder = FunctionBuilder(target: try #require(Target.x86(level: "x86-64-v3")), width: 8)
    let place = builder.address("%workspace", bytes: "256")
    let position = StagePosition(index: "0", vectors: 1)
    let vector = Lanes(names: ["%given"], element: .float, width: 8)
    func isKnown() -> Bool { builder.load(place, at: position).names == ["%given"] }
    builder.store(vector, place, at: position)
    #expect(isKnown())
    builder.loop(to: "1") { _, _ in
      #expect(isKnown())
      return []
    }
    builder.storeScalar("%number", builder.address(place, bytes: "32"))
    #expect(isKnown() && builder.loadScalar(builder.address(place, bytes: "32")) == "%number")
    builder.line("call void @f()")
    #expect(!isKnown())
    builder.store(vector, place, at: position)
    builder.store(vector, place, at: StagePosition(index: "0", vectors: 1, mask: "%mask"))
    #expect(!isKnown())
    builder.store(vector, place, at: position)
    builder.loop(to: "8", step: 4) { _, _ in
      #expect(!isKnown())
      return []
    }
    #expect(!isKnown())
  }
}
