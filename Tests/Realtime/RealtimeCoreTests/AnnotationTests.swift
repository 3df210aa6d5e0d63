// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The compiler's proof: a function that is annotated `@_noLocks` neither allocates, nor locks, nor calls anything of
/// which that is not known.
@Suite("The compiler's proof", .waits)
struct AnnotationTests {
  @Test("A host may call every door on its audio thread, and nothing else")
  func doors() throws {
    let compiler = try RealtimeCompiler()
    #expect(try compiler.errors(module: "RealtimeCore", files: RealtimeCompiler.sources()) == [])
    #expect(try compiler.errors(module: "Host", files: ["Doors.swift": Self.doors]) == [])
    let complaints = try compiler.errors(module: "Breaks", files: ["Breaks.swift": Self.breaks])
    let lines = Self.breaks.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = lines.indices.filter { lines[$0].hasSuffix("// refused") }.map { $0 + 1 }
    #expect(Set(complaints.map(\.line)).sorted() == expected, "\(complaints)")
  }

  /// Every way into a context, and a parameter.
  private static let doors = """
    import RealtimeCore

    @_noLocks func tables(
      _ context: inout Context, _ inputs: UnsafePointer<UnsafePointer<Float>?>?,
      _ outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?
    ) {
      context.execute(frames: 8, inputs: inputs, outputs: outputs)
      context.execute(inputs: inputs, outputs: outputs)
    }

    @_noLocks func strided(
      _ context: inout Context, _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>
    ) {
      var inputs = InputRows(base: input, stride: 8)
      var outputs = OutputRows(base: output, stride: 8)
      context.execute(frames: 8, stridedInputs: &inputs, stridedOutputs: &outputs)
    }

    @_noLocks func spans(
      _ context: inout Context, _ input: borrowing Span<Float>, _ output: inout MutableSpan<Float>
    ) {
      context.execute(frames: 8, input: input, output: &output)
      context.execute(frames: 8, inPlace: &output)
      context.execute(frames: 8, output: &output)
    }

    @_noLocks func begin(_ context: inout Context, _ gain: Parameter) -> Int64 {
      if gain.value < 1 { gain.set(1) }
      context.glide(0, to: 0.5, over: 100)
      context.reset()
      return context.position
    }

    // The hole: what a parameter does is for the caller to know. No function of RealtimeCore takes one.
    @_noLocks func calls(_ body: () -> Void) { body() }
    """

  /// Code that breaks the rule, where the compiler sees it.
  private static let breaks = """
    import Glibc
    import RealtimeCore

    final class Counter { var count = 0 }
    struct Table { static let squares = (0..<4).map { $0 * $0 } }  // refused
    struct Hook { let body: (Float) -> Float }
    protocol Shape { func at(_ x: Float) -> Float }
    @inline(never) func helper() -> [Int] { Array(repeating: 1, count: 3) }  // refused

    @_noLocks func grows(_ list: inout [Float]) { list.append(1) }  // refused
    @_noLocks func makes() -> Counter { Counter() }  // refused
    @_noLocks func retains(_ counter: Counter) -> Counter { let other = counter; return other }  // refused
    @_noLocks func beginsLazily() -> Int { Table.squares[0] }
    @_noLocks func callsAny(_ shape: any Shape) -> Float { shape.at(1) }  // refused
    @_noLocks func callsGeneric<S: Shape>(_ shape: S) -> Float { shape.at(1) }  // refused
    @_noLocks func callsStored(_ hook: Hook) -> Float { hook.body(1) }  // refused
    @_noLocks func callsHelper() -> Int { helper()[0] }
    @_noLocks func says(_ x: Int) -> String { "\\(x)" }  // refused
    @_noLocks func locks(_ lock: UnsafeMutablePointer<pthread_mutex_t>) { pthread_mutex_lock(lock) }  // refused
    @_noLocks func entersTheKernel() { _ = getppid() }  // refused
    @_noLocks func looksUp(_ context: inout Context) -> Int? { context.inputIndex(named: "src") }  // refused
    @_noLocks func asksForAll(_ context: inout Context) -> Int { context.parameters.count }  // refused
    """

  @Test("Each annotated function of RealtimeCore is looked at")
  func everyFunction() throws {
    var expected: Set<String> = []
    var files = ["Unknown.swift": "@_silgen_name(\"legato_unknown\") func unknown()\n"]
    for (name, text) in try RealtimeCompiler.sources() {
      var broken = ""
      var rest = text.startIndex
      for function in AnnotatedFunction.all(in: text) {
        broken +=
          text[rest..<function.body.startIndex] + " unknown();" + (function.isExpression ? " return " : "")
        rest = function.body.startIndex
        expected.insert("\(name):\(broken.filter { $0 == "\n" }.count + 1)")
      }
      files[name] = broken + text[rest...]
    }
    try #require(expected.count > 30)
    let complaints = try RealtimeCompiler().errors(module: "RealtimeCore", files: files)
    #expect(
      complaints.allSatisfy { $0.message.contains("called function is not available") }, "\(complaints)")
    #expect(Set(complaints.map { "\($0.file):\($0.line)" }) == expected)
  }

  @Test("Every door of a context is annotated")
  func everyDoor() throws {
    var doors = 0
    for (name, text) in try RealtimeCompiler.sources() where name.hasPrefix("Context") {
      for line in text.split(separator: "\n") where line.contains("public mutating func") {
        doors += 1
        #expect(line.contains("@_noLocks"), "\(name): \(line)")
      }
    }
    #expect(doors >= 7)
  }

  /// A function that is handed over is not looked at where it is called.
  @Test("No annotated function takes a function")
  func noClosures() throws {
    #expect(AnnotatedFunction.all(in: "@_noLocks func f(_ body: () -> Void) -> Int { 1 }")[0].takesFunction)
    for (name, text) in try RealtimeCompiler.sources() {
      for function in AnnotatedFunction.all(in: text) {
        #expect(!function.takesFunction, "\(name): \(function.signature)")
        #expect(!function.signature.contains("EntryPoint"), "\(name): \(function.signature)")
      }
      #expect(!text.contains("no_performance_analysis"), "\(name) switches the check off")
    }
  }

  /// For C the compiler takes our word.
  @Test("In C only the call of native code, memset, memcpy and arithmetic of ramps are trusted")
  func trusted() throws {
    let header = try String(contentsOf: RealtimeCompiler.shim, encoding: .utf8)
    let parts = header.components(separatedBy: "\nLEGATO_NO_LOCKS\n").dropFirst()
    let names = parts.compactMap { $0.firstMatch(of: /void (\w+)\(/)?.1 }
    #expect(names == ["legato_call", "legato_clear", "legato_copy"])
    // The attribute's own definition, and that of the ramps' functions.
    #expect(header.components(separatedBy: "LEGATO_NO_LOCKS").count == 3 + names.count)

    let ramps = try String(contentsOf: RealtimeCompiler.ramps, encoding: .utf8)
    let functions = ramps.matches(of: /\nLEGATO_RAMP_FUNCTION \w+ (\w+)\(/).map(\.1)
    #expect(functions.count == ramps.components(separatedBy: "\nLEGATO_RAMP_FUNCTION").count - 1)
    let calls = Set(ramps.matches(of: /(\w+)\(/).map(\.1))
    let words: Set<Substring> = ["if", "for", "fma", "__builtin_memcpy"]
    #expect(calls.subtracting(functions).isSubset(of: words), "\(calls)")
  }
}
