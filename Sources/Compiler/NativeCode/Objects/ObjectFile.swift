// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import GraphPlanning

/// Machine code in an ELF object that refers to nothing outside of itself.
///
/// Without an undefined symbol it calls no function of the C library, and so neither allocates, locks nor waits: the
/// object is the proof, whatever the text was.
package struct ObjectFile: Sendable {
  package let target: Target
  /// The file itself.
  package let bytes: [UInt8]
  package let sections: [Section]
  package let definedFunctions: [String]
  /// The bytes of each function's stack frame, as LLVM reports them.
  ///
  /// Not counted are the return address and, on x86-64, the 128 bytes below the stack pointer that a function
  /// without calls may use (unless it has the attribute `noredzone`).
  package let stackBytes: [String: Int]
  /// LLVM's warnings while it made the code; usually empty.
  package let warnings: [String]

  /// The bytes of machine code.
  package var codeBytes: Int {
    sections.lazy.filter(\.isExecutable).reduce(0) { $0 + $1.size }
  }

  /// Numbers of a global constant that the text declares as bytes.
  package struct Constant {
    let name: String
    let numbers: Numbers
  }

  /// Makes machine code of LLVM IR text.
  ///
  /// - Parameter constant: one that the text leaves without its numbers.
  /// - Throws: `invalidIR`, `codeGeneration`; `undefinedSymbols` where LLVM made a call, such as `fmodf` for `frem`;
  ///   `targetUnavailable`; what `LLVMLibrary.shared` throws.
  package static func emit(
    ir: String, _ constant: Constant? = nil, target: Target
  ) throws(NativeCodeError) -> ObjectFile {
    let object = try unchecked(ir: ir, constant, target: target)
    let undefined = try ELFContents(object.bytes).undefinedSymbols
    guard undefined.isEmpty else { throw .undefinedSymbols(undefined) }
    return object
  }

  /// Makes machine code as `emit` does, but does not refuse what refers to the outside: to look at, not to run.
  package static func unchecked(
    ir: String, _ constant: Constant? = nil, target: Target
  ) throws(NativeCodeError) -> ObjectFile {
    let output = try CodeGenerator(target: target).run(ir: ir, constant, product: .object)
    let contents = try ELFContents(output.bytes)
    let frameless = contents.definedFunctions.map { ($0, 0) }
    return ObjectFile(
      target: target, bytes: output.bytes, sections: contents.sections,
      definedFunctions: contents.definedFunctions,
      stackBytes: output.stackBytes.merging(frameless) { reported, _ in reported },
      warnings: output.warnings)
  }

  /// The same code as `emit` makes, as text.
  ///
  /// - Throws: as `emit`, but calls are shown and not refused.
  package static func assembly(ir: String, target: Target) throws(NativeCodeError) -> String {
    let output = try CodeGenerator(target: target).run(ir: ir, product: .assembly)
    return String(decoding: output.bytes, as: UTF8.self)
  }
}
