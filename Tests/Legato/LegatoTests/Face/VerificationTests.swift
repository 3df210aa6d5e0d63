// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Legato
import NativeCode
import RealtimeCore
import Testing

/// Every line of a verification is broken once, and has to fail then.
@Suite struct VerificationTests {
  static let text = """
    { "legato": 1, "name": "Echo",
      "inputs": { "src": { "shape": [1, "frames"] } },
      "parameters": { "gain": { "default": 0.5, "minimum": 0, "maximum": 0.9 } },
      "graph": { "echo": "src + gain * delay(echo, 200)", "dst": "tanh(echo)" },
      "outputs": ["dst"] }
    """

  static func verification(_ text: String = text) throws -> Verification {
    var verification = try Verification(try Model(text).compilation())
    verification.frames = min(1_200, verification.frames)
    return verification
  }

  static func failed(_ verification: Verification) throws -> [String] {
    try verification.findings().filter { $0.outcome == .broken }.map(\.name)
  }

  @Test func aSoundModelPasses() throws {
    let findings = try Self.verification().findings()
    #expect(findings.filter { $0.outcome == .holds }.count == 16)
    #expect(findings.allSatisfy { $0.outcome == .holds || $0.outcome == .stated })
  }

  @Test("So large a model that trials take long gets shorter ones, which is said")
  func aLargeModel() throws {
    func model(channels: Int) throws -> Verification {
      let text = """
        { "legato": 1, "inputs": { "x": { "shape": ["frames"] } },
          "graph": { "y": "broadcast(sum(broadcast(x, [\(channels)])), [2])" }, "outputs": ["y"] }
        """
      return try Verification(try Model(text).compilation())
    }
    #expect(try model(channels: 6).frames == 3_000)
    #expect(try model(channels: 10_000).frames == 20_000_000 / 20_003)
    let manyRows = try Model(
      #"{ "legato": 1, "inputs": { "x": { "shape": ["frames"] } }, "graph": { "y": "broadcast(x, [4000])" }, "outputs": ["y"] }"#
    )
    #expect(try Verification(try manyRows.compilation()).frames == 2_000_000 / 4_000)
    var large = try model(channels: 6)
    large.frames = 300
    let signal = try #require(try large.findings().first { $0.name == "signal" })
    #expect(
      signal.sentence
        == "300 frames of noise, saws and clicks; a whole trial has 3000, which takes too much time or memory where "
        + "each computes 15 numbers: fewer channels or taps are tried longer")
  }

  @Test("A table takes no time in each frame, but the taps of a filter do")
  func largeWeights() throws {
    func frames(_ definition: String, weights: Int) throws -> Int {
      let numbers = [String](repeating: "0.001", count: weights).joined(separator: ", ")
      let text = """
        { "legato": 1, "inputs": { "x": { "shape": ["frames"] } }, "weights": { "w": [\(numbers)] },
          "graph": { "y": "\(definition)" }, "outputs": ["y"] }
        """
      return try Verification(try Model(text).compilation()).frames
    }
    #expect(try frames("lookup('w', 100 + 50 * x)", weights: 200_000) == 3_000)
    #expect((1_900...2_000).contains(try frames("fir(x, 'w')", weights: 10_000)))
  }

  @Test func aModelOfStepsPasses() throws {
    let text = """
      { "legato": 1, "name": "Steps", "inputs": { "x": { "shape": [3, 8] } },
        "graph": { "y": "softmax(x, axis: 1) + 0.5 * delay(y, 2)" }, "outputs": ["y"] }
      """
    let findings = try Self.verification(text).findings()
    #expect(findings.filter { $0.outcome == .broken } == [])
    // A step is neither split nor late.
    #expect(findings.filter { $0.outcome == .idle }.map(\.name) == ["law 1: blocks", "law 5: latency"])
  }

  @Test func anUndefinedSymbolIsSeen() throws {
    var verification = try Self.verification()
    let ir = """
      declare void @malloc(i64)
      define void @legato_execute() {
      entry:
        call void @malloc(i64 1)
        ret void
      }
      """
    verification.llvmText = ir
    verification.object = try ObjectFile.unchecked(ir: ir, target: verification.plan.target)
    // Nor is it known what a function outside has on the stack.
    #expect(try Self.failed(verification) == ["symbols", "stack"])
  }

  @Test func anUncountedLoopIsSeen() throws {
    var verification = try Self.verification()
    verification.llvmText = "define void @f() {\nentry:\n  br label %entry\n}\n"
    #expect(try Self.failed(verification) == ["loops end"])
  }

  @Test(arguments: ["call void %f()", "call void asm \"nop\", \"\"()"])
  func aCallOfTheUnknownIsSeen(call: String) throws {
    var verification = try Self.verification()
    verification.llvmText = "define void @legato_execute(ptr %f) {\nentry:\n  \(call)\n  ret void\n}\n"
    #expect(try Self.failed(verification) == ["calls"])
  }

  @Test func recursionIsSeen() throws {
    var verification = try Self.verification()
    verification.llvmText =
      "define void @legato_execute() {\nentry:\n  call void @legato_execute()\n  ret void\n}\n"
    #expect(try Self.failed(verification) == ["calls", "stack"])
  }

  @Test func aLargeStackIsSeen() throws {
    var verification = try Self.verification()
    let ir = """
      define void @legato_execute() {
        %p = alloca [65536 x i8]
        store volatile i8 1, ptr %p
        ret void
      }
      """
    verification.object = try ObjectFile.emit(ir: ir, target: verification.plan.target)
    #expect(try Self.failed(verification) == ["stack"])
  }

  /// The deepest way counts, with the returns on it, and not the sum of all functions.
  @Test func theStackIsThatOfTheDeepestWay() throws {
    var verification = try Self.verification()
    let ir = """
      define void @legato_execute() {
        call void @small()
        call void @large()
        ret void
      }
      define void @small() {
        %p = alloca [1000 x i8]
        store volatile i8 1, ptr %p
        ret void
      }
      define void @large() {
        %p = alloca [3000 x i8]
        store volatile i8 1, ptr %p
        ret void
      }
      """
    verification.llvmText = ir
    verification.object = try ObjectFile.emit(ir: ir, target: verification.plan.target)
    let finding = try #require(verification.findings().first { $0.name == "stack" })
    guard case .count(let bytes) = finding.figures["stackBytes"] else { return #expect(Bool(false)) }
    #expect((3_000..<3_300).contains(bytes))
  }

  @Test func memoryThatContextsShareIsSeen() throws {
    var verification = try Self.verification()
    let ir = """
      @count = internal global i64 1
      define void @legato_execute() {
      entry:
        store volatile i64 2, ptr @count
        ret void
      }
      """
    verification.llvmText = ir
    verification.object = try ObjectFile.emit(ir: ir, target: verification.plan.target)
    #expect(try Self.failed(verification) == ["data"])
  }

  @Test func anotherMeaningIsSeen() throws {
    var verification = try Self.verification()
    verification.graph = try Model(Self.text.replacing("tanh(echo)", with: "echo")).graph(
      extents: [:], sampleRate: 48_000)
    #expect(try Self.failed(verification) == ["law 2: meaning"])
  }

  @Test func aVariantWithOtherBitsIsSeen() throws {
    var verification = try Self.verification()
    verification.variants = [
      .init(name: "fusion", program: try Model(Self.text.replacing("0.9", with: "0.8")).compile())
    ]
    #expect(try Self.failed(verification) == ["law 7: passes"])
  }

  @Test func aPassThatMakesAnotherGraphIsSeen() throws {
    var verification = try Self.verification()
    verification.program = try Model(Self.text.replacing("tanh(echo)", with: "tanh(echo) + 0.001")).compile()
    verification.variants = []
    #expect(try Self.failed(verification) == ["law 2: meaning"])
  }

  /// Around this cycle the error radius grows without end: in the end only the distance to double precision tells.
  @Test func whatHidesBehindAnEndlessRadiusIsSeen() throws {
    let text = Self.text.replacing(
      "src + gain * delay(echo, 200)", with: "src * gain / 9 + 1.6 * delay(echo, 1) - 0.8 * delay(echo, 2)")
    var verification = try Self.verification(text)
    #expect(try Self.failed(verification).isEmpty)
    let late = text.replacing("tanh(echo)", with: "tanh(echo) + 0.01 * delay(src, 600)")
    verification.program = try Model(late).compile()
    verification.variants = []
    let broken = try verification.findings().filter { $0.outcome == .broken }
    #expect(broken.map(\.name) == ["law 2: meaning"])
    #expect(broken.first?.sentence.hasSuffix(" away, 90 dB below the peak") == true)
  }

  @Test func anOutputThatSitsOnAJumpIsNotCompared() throws {
    let text = Self.text.replacing("src + gain * delay(echo, 200)", with: "src * gain")
      .replacing("tanh(echo)", with: "floor(tanh(src) - tanh(src))")
    let law = try #require(Self.verification(text).findings().first { $0.name == "law 2: meaning" })
    #expect(law.outcome == .idle)
    #expect(law.sentence == "little to compare: 84 % on a jump, 0 % unbounded")
  }

  @Test func aStepThatForgetsAParameterIsSeen() throws {
    let text = """
      { "legato": 1, "name": "Steps", "inputs": { "x": { "shape": [4] } },
        "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 2 } },
        "graph": { "y": "x * exp(gain)" }, "outputs": ["y"] }
      """
    var verification = try Self.verification(text)
    #expect(try Self.failed(verification).isEmpty)
    verification.program = try Model(text.replacing("exp(gain)", with: "2.7182817 + 0 * gain")).compile()
    #expect(try Self.failed(verification).contains("law 2: meaning"))
  }

  /// Roundings are led far away by what is steep behind a loop, in any code.
  @Test(arguments: ["sin(onePole(src * 5000, 10000))", "onePole(src, 10000) % 0.001"])
  func whatIsSteepBehindALoopIsNotBroken(definition: String) throws {
    let text = Self.text.replacing("tanh(echo)", with: definition)
    #expect(try Self.failed(Self.verification(text)) == [])
  }

  private static func outputs(_ quiet: String) -> String {
    """
    { "legato": 1, "name": "Two", "inputs": { "src": { "shape": ["frames"] } },
      "graph": { "loud": "1000 * src + 0.5 * delay(loud, 3)", "quiet": "\(quiet)" },
      "outputs": ["loud", "quiet"] }
    """
  }

  @Test("A quiet loop is held to its own peak, and not to that of a loud one")
  func eachOutputHasItsPeak() throws {
    let text = Self.outputs("0.001 * src + 0.5 * delay(quiet, 3)")
    var verification = try Self.verification(text)
    #expect(try Self.failed(verification) == [])
    verification.program = try Model(text.replacing("0.001 * src", with: "0.00101 * src")).compile()
    #expect(try Self.failed(verification).contains("law 2: meaning"))
  }

  @Test("An output without feedback is not forgiven because of a loop beside it")
  func eachOutputIsRecurrentByItself() throws {
    let law = try #require(
      Self.verification(Self.outputs("(src * 1e8) % 1e-8 / ((src * 1e8) % 1e-8)")).findings()
        .first { $0.name == "law 2: meaning" })
    #expect(law.sentence.contains(" unbounded"), "\(law.sentence)")
  }

  @Test func outputThatIsNotFiniteIsSeen() throws {
    let text = Self.text.replacing("tanh(echo)", with: "exp(src * src * src)")
    #expect(try Self.failed(try Self.verification(text)).contains("law 4: finite"))
  }

  /// Which no trial is long enough to show.
  @Test(arguments: [
    ("src + 1.001 * delay(echo, 200)", "0.9", ""),
    ("src + 1.1 * gain * delay(echo, 200)", "1", " with parameters at their maxima"),
    ("src + 1.1 * (gain - 1) * delay(echo, 200)", "1", " with parameters at their minima"),
  ])
  func whatGrowsIsNotSaidToBeFinite(loop: String, maximum: String, place: String) throws {
    let text = Self.text.replacing("src + gain * delay(echo, 200)", with: loop)
      .replacing("\"maximum\": 0.9", with: "\"maximum\": \(maximum)")
    let law = try #require(Self.verification(text).findings().first { $0.name == "law 4: finite" })
    #expect(law.outcome == .stated)
    #expect(
      law.sentence.hasPrefix("'echo' grows without end\(place); in 1200 frames peak 1 for input up to ±16, "))
  }

  @Test func anOverlapInThePlanIsSeen() throws {
    var verification = try Self.verification()
    verification.planViolations = ["buffer 0 and buffer 1 overlap while both are in use"]
    #expect(try Self.failed(verification) == ["workspace"])
  }

  @Test func aTextThatReadsBackOtherwiseIsSeen() throws {
    var verification = try Self.verification()
    // A node that no output needs is lost on the way.
    let input = verification.graph.nodes[0].result
    _ = verification.graph.append(
      .unary(.negate), [input], type: verification.graph.values[Int(input.index)].type)
    #expect(try Self.failed(verification) == ["law 6: text"])
  }

  @Test func codeThatIsLateIsSeen() throws {
    let text = Self.text.replacing("src + gain * delay(echo, 200)", with: "src * gain")
    var verification = try Self.verification(text)
    #expect(try Self.failed(verification).isEmpty)
    verification.program = try Model(text.replacing("src * gain", with: "delay(src, 1) * gain")).compile()
    #expect(try Self.failed(verification).contains("law 5: latency"))
  }

  /// A model that answers to differences of channels, or to loud input only, is not late.
  @Test(arguments: [
    "slice(src, axis: 0, start: 1, count: 1) - slice(src, axis: 0, start: 0, count: 1)",
    "src - mean(src, axis: 0)", "src * (abs(src) > 0.9)", "round(src * 0.4)", "floor(src / 4) * 4",
  ])
  func whatSeldomAnswersIsNotLate(definition: String) throws {
    let verification = try Self.verification(
      """
      { "legato": 1, "name": "Test", "inputs": { "src": { "shape": [2, "frames"] } },
        "graph": { "dst": "\(definition)" }, "outputs": ["dst"] }
      """)
    let check = try #require(verification.findings().first { $0.name == "law 5: latency" })
    #expect(check.outcome == .holds && check.sentence == "0 frames, as planned", "\(check.sentence)")
  }

  @Test func whatIsNotThereIsNotTried() throws {
    let verification = try Self.verification(
      """
      { "legato": 1, "name": "Constant", "inputs": { "src": { "shape": [3, "frames"] } },
        "graph": { "dst": "slice(src, axis: 0, start: 0, count: 1) * 0 + 1" }, "outputs": ["dst"] }
      """)
    let findings = try verification.findings()
    let latency = try #require(findings.first { $0.name == "law 5: latency" })
    #expect(latency.outcome == .idle)
    #expect(latency.sentence == "nothing to measure: the output does not follow the input within 300 frames")
  }

  @Test func whatAnswersLateIsWaitedFor() throws {
    let text = Self.text.replacing("tanh(echo)", with: "delay(src, 5000)")
    let latency = try #require(Self.verification(text).findings().first { $0.name == "law 5: latency" })
    #expect(latency.sentence == "0 frames planned; no answer before, the first after 5000")
  }

  /// Steps so small that rounding decides: numbers may be of either side, and none is wrong.
  @Test func jumpsAreNoFault() throws {
    let verification = try Self.verification(
      """
      { "legato": 1, "name": "Steps", "inputs": { "src": { "shape": ["frames"] } },
        "graph": { "dst": "round(tanh(src) * 100000) / 100000" }, "outputs": ["dst"] }
      """)
    let law = try #require(verification.findings().first { $0.name == "law 2: meaning" })
    #expect(law.outcome == .holds)
    guard case .number(let share) = law.figures["shareOnJumps"] else {
      Issue.record("no share in \(law)")
      return
    }
    #expect(share > 0.01, "the model has to jump more often to be an example")
  }

  @Test func withoutAnInputNothingIsInPlace() throws {
    let verification = try Self.verification(
      """
      { "legato": 1, "name": "Level", "inputs": {},
        "parameters": { "level": { "default": 0.5, "minimum": 0, "maximum": 1 } },
        "graph": { "dst": "level + 0.5 * delay(dst, 1)" }, "outputs": ["dst"] }
      """)
    let findings = try verification.findings()
    #expect(findings.filter { $0.outcome == .broken } == [])
    #expect(findings.filter { $0.outcome == .idle }.map(\.name) == ["law 5: latency", "law 8: in place"])
  }

  @Test func whatAnOptimisationDoesNotChangeIsNotTried() throws {
    var verification = try Self.verification()
    for index in verification.variants.indices { verification.variants[index].isIdle = true }
    let law = try #require(verification.findings().first { $0.name == "law 7: passes" })
    #expect(law.outcome == .idle)
  }

  @Test func everyOptimisationThatKeepsBitsIsSwitchedOff() throws {
    let names = Set(try Self.verification().variants.map(\.name))
    let rounding = Set(Verification.Variant.roundingPasses)
    #expect(names.union(rounding) == Set(Pipeline.switches).union(["any pass over kernels"]))
    #expect(names.isDisjoint(with: rounding))
  }

  @Test(arguments: ["src / gain", "src / (0.9 - gain)"])
  func whatIsInfiniteAtTheEndOfARangeIsSeen(definition: String) throws {
    let text = Self.text.replacing("tanh(echo)", with: definition)
    #expect(try Self.failed(Self.verification(text)).contains("law 4: finite"))
  }
}
