// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import NativeCode
import TestEquipment
import Testing

@Suite struct ObjectFileTests {
  static let baseline = Target.x86(level: "x86-64")!

  @Test func tellsWhatIsInIt() throws {
    let object = try ObjectFile.emit(ir: SampleText.adder(), target: Self.baseline)
    #expect(object.definedFunctions == ["execute"])
    #expect(Array(object.bytes.prefix(4)) == [0x7F, 0x45, 0x4C, 0x46])
    let text = try #require(object.sections.first { $0.name == ".text" })
    #expect(text.isExecutable && !text.isWritable)
    #expect(object.codeBytes == text.size && text.size > 0)
    #expect(object.sections.contains { $0.name.hasPrefix(".rodata") && !$0.isExecutable })
    #expect(!object.sections.contains { $0.isExecutable && $0.isWritable })
    #expect(object.warnings.isEmpty)
  }

  @Test(arguments: [
    ("fmodf", SampleText.onOneFloat("%y = frem float %x, 3.0")),
    (
      "expf",
      SampleText.onOneFloat(
        "%y = call float @llvm.exp.f32(float %x)", declarations: "declare float @llvm.exp.f32(float)")
    ),
    (
      "memcpy",
      SampleText.onOneFloat(
        "call void @llvm.memcpy.p0.p0.i64(ptr %destination, ptr %source, i64 %frames, i1 false)\n"
          + "%y = fadd float %x, 1.0",
        declarations: "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    ),
    (
      "rintf",
      SampleText.onOneFloat(
        "%y = call float @llvm.rint.f32(float %x)", declarations: "declare float @llvm.rint.f32(float)")
    ),
    (
      "malloc",
      SampleText.onOneFloat(
        "%room = call ptr @malloc(i64 64)\n store volatile float %x, ptr %room\n %y = fadd float %x, 1.0",
        declarations: "declare ptr @malloc(i64)")
    ),
  ])
  func refusesCallsToTheOutside(symbol: String, text: String) throws {
    #expect(throws: NativeCodeError.undefinedSymbols([symbol])) {
      try ObjectFile.emit(ir: text, target: Self.baseline)
    }
    #expect(try ObjectFile.assembly(ir: text, target: Self.baseline).contains(symbol))
  }

  @Test func acceptsDeclarationsThatAreNotUsed() throws {
    let text = SampleText.onOneFloat("%y = fadd float %x, 1.0", declarations: "declare ptr @malloc(i64)")
    #expect(try ObjectFile.emit(ir: text, target: Self.baseline).definedFunctions == ["execute"])
  }

  @Test(arguments: ["x86-64", "x86-64-v3", "x86-64-v4"])
  func assemblyUsesTheVectorsOfTheTarget(name: String) throws {
    let target = try Target.named(name)
    let assembly = try ObjectFile.assembly(ir: SampleText.adder(), target: target)
    let register = ["x86-64": "%xmm", "x86-64-v3": "%ymm", "x86-64-v4": "%zmm"][name]!
    #expect(assembly.contains("execute:"))
    #expect(assembly.contains(register))
    #expect(assembly.contains("%zmm") == (target.vectorBytes == 64))
  }

  @Test(arguments: [10, 100, 1000])
  func reportsBytesOfStack(floats: Int) throws {
    let object = try ObjectFile.emit(ir: SampleText.stackUser(floats: floats), target: Self.baseline)
    let bytes = try #require(object.stackBytes["execute"])
    #expect((floats * 4...floats * 4 + 64).contains(bytes))
    #expect(object.stackBytes["frugal"] == 0)
    #expect(object.definedFunctions.sorted() == ["execute", "frugal"])
  }

  @Test(arguments: [
    ("", ""),
    ("this is not text of LLVM", "expected top-level entity"),
    ("define void @f() { ret i32 0 }", "value doesn't match function result type 'void'"),
    (
      "define float @f(float %x) {\n  %y = fadd float %z, 1.0\n  ret float %y\n}",
      "use of undefined value '%z'"
    ),
    (
      "define void @f() {\nentry:\n  %x = fadd float %x, 1.0\n  ret void\n}",
      "Only PHI nodes may reference their own value"
    ),
    ("define void @f() {\n  br label %nowhere\n}", "use of undefined value '%nowhere'"),
  ])
  func badTextIsAnError(text: String, message: String) throws {
    if message.isEmpty {
      #expect(try ObjectFile.emit(ir: text, target: Self.baseline).definedFunctions.isEmpty)
      return
    }
    let error = #expect(throws: NativeCodeError.self) {
      try ObjectFile.emit(ir: text, target: Self.baseline)
    }
    guard case .invalidIR(let said) = error else {
      Issue.record("\(text): \(String(describing: error))")
      return
    }
    #expect(said.contains(message))
  }

  @Test func truncatedTextIsAnError() {
    let text = SampleText.adder()
    // The last characters are the attributes' list and its end, without which the text is refused as well.
    for length in stride(from: 1, to: text.utf8.count - 1, by: 37) {
      let part = String(decoding: Array(text.utf8.prefix(length)), as: UTF8.self)
      #expect(throws: NativeCodeError.self, "\(length) bytes") {
        try ObjectFile.emit(ir: part, target: Self.baseline)
      }
    }
  }

  @Test func whatCannotBecomeCodeIsAnError() {
    let text =
      "define float @f(float %x) #0 {\n  ret float %x\n}\nattributes #0 = { \"target-features\"=\"-sse\" }"
    let error = #expect(throws: NativeCodeError.self) {
      try ObjectFile.emit(ir: text, target: Self.baseline)
    }
    guard case .codeGeneration(let said) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(said.contains("SSE register return with SSE disabled"))
  }

  @Test(.endsProcesses) func nothingIsPrinted() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let texts = [
        "no text", "define float @f(float %x) \"target-features\"=\"-sse\" {\n  ret float %x\n}",
        SampleText.onOneFloat("%y = frem float %x, 3.0"),
      ]
      for text in texts {
        #expect(throws: NativeCodeError.self) { try ObjectFile.emit(ir: text, target: .host()) }
      }
      _ = try LoadedCode.compile(ir: SampleText.stackUser(floats: 99), entry: "execute", target: .host())
    }
    #expect(result?.standardErrorContent.isEmpty == true)
    #expect(result?.standardOutputContent.isEmpty == true)
  }

  @Test func anUnknownTripleIsAnError() {
    var target = Self.baseline
    target.triple = "pdp11-unknown-unix"
    let error = #expect(throws: NativeCodeError.self) {
      try ObjectFile.emit(ir: SampleText.adder(), target: target)
    }
    guard case .targetUnavailable("pdp11-unknown-unix", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
