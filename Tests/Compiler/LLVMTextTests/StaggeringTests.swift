// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import LLVMText
import Testing

/// In which order the instructions of a stage stand.
@Suite struct StaggeringTests {
  /// Three steps of vectors that are called `%a`, `%b` …; which vector each line is of.
  private func steps(of vectors: Int, staggered: Bool) throws -> [String] {
    let builder = FunctionBuilder(target: try #require(Target.x86(level: "x86-64-v4")), width: 16)
    let names = ["a", "b", "c", "d"].prefix(vectors)
    let given = Lanes(names: names.map { "%" + $0 }, element: .float, width: 16)
    func write() {
      let once = builder.negate(given)
      builder.line("shared by all")
      _ = builder.negate(builder.negate(once))
    }
    if staggered { builder.staggered(write) } else { write() }
    var vectorOf = Dictionary(uniqueKeysWithValues: names.map { ("%" + $0, $0) })
    return try builder.text.split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.contains("fneg") else { return "|" }
      let vector = try #require(words.last.flatMap { vectorOf[$0] }, "\(line) uses what is not there yet")
      vectorOf[words[0]] = vector
      return vector
    }
  }

  @Test func vectorsStandSideBySide() throws {
    #expect(try steps(of: 4, staggered: false).joined() == "abcd|abcdabcd")
  }

  @Test func staggeredVectorsStandTwoStepsBehindEachOther() throws {
    #expect(try steps(of: 4, staggered: true).joined() == "a|baacbbdccdd")
  }

  @Test func oneVectorStandsAsItIsWritten() throws {
    #expect(try steps(of: 1, staggered: true) == steps(of: 1, staggered: false))
  }

  /// Lines that are written before and behind stay there.
  @Test func aStageStaysWhereItIs() throws {
    let builder = FunctionBuilder(target: try #require(Target.x86(level: "x86-64-v4")), width: 16)
    builder.line("before")
    builder.staggered { builder.line("within") }
    builder.line("behind")
    #expect(builder.text == "  before\n  within\n  behind\n")
  }

  @Test func staggeredVectorsReadCoefficientsEachForItself() throws {
    let builder = FunctionBuilder(target: try #require(Target.x86(level: "x86-64-v4")), width: 16)
    #expect(builder.coefficient(0.5, vectors: 4).names.count == 1)
    builder.staggered {
      #expect(Set(builder.coefficient(0.5, vectors: 4).names).count == 4)
      #expect(builder.coefficient(0.5, vectors: 1).names.count == 1)
    }
    #expect(builder.coefficient(0.5, vectors: 4).names.count == 1)
  }
}
