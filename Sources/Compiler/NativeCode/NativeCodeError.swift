// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// Errors between LLVM IR and callable code.
package enum NativeCodeError: Error, Hashable {
  /// No name under which libLLVM 19 is installed could be opened; `reason` is the dynamic linker's.
  case libraryMissing(reason: String)
  /// The library named by the environment variable `LEGATO_LLVM` could not be opened.
  case namedLibraryMissing(path: String, reason: String)
  /// A library was opened that is not LLVM 19.
  case libraryUnsuitable(name: String, reason: String)
  /// No target has this name.
  case unknownCPU(String)
  /// No code can be made for a machine of this triple.
  case unknownTriple(String)
  /// The CPU is none of the triple's machine.
  case foreignCPU(String, triple: String)
  /// The code is for a CPU that has what this machine lacks.
  case cannotRunHere(cpu: String, reason: String)
  /// LLVM makes no code for this triple.
  case targetUnavailable(triple: String, reason: String)
  /// LLVM does not accept the text that the emitter wrote.
  case invalidIR(String)
  /// LLVM could not make code of valid text.
  case codeGeneration(String)
  /// The bytes are not an ELF object that can be read.
  case damagedObject(String)
  /// The code refers to functions or data outside of it.
  case undefinedSymbols([String])
  /// The code has no function of this name.
  case entryMissing(name: String)
  /// There is no memory for a context in which the program warms up.
  case outOfMemory(bytes: Int)
  /// The weights are more than code that is linked can have in it.
  case weightsTooLarge(numbers: Int, most: Int)
  /// The code could not be placed in memory.
  case linking(String)
}

extension NativeCodeError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .libraryMissing(let reason):
      "libLLVM 19 is needed to compile: \(Self.remedy), or name the library in LEGATO_LLVM (\(reason))"
    case .namedLibraryMissing(let path, let reason):
      "cannot open the library '\(path)' that LEGATO_LLVM names (\(reason)): correct it, or unset it and \(Self.remedy)"
    case .libraryUnsuitable(let name, let reason):
      "the library '\(name)' is not LLVM 19 (\(reason)): \(Self.remedy)"
    case .unknownCPU(let name):
      "no CPU is called '\(name)': choose one of \(Target.names.joined(separator: ", "))"
    case .unknownTriple(let triple):
      "code for '\(triple)' cannot be made: choose x86_64 or aarch64 with linux or none, such as aarch64-linux-gnu"
    case .foreignCPU(let cpu, let triple):
      "no machine of '\(triple)' has the CPU '\(cpu)': choose \(Target.names(ofTriple: triple).joined(separator: ", "))"
    case .cannotRunHere(let cpu, let reason):
      "code for \(cpu) cannot run on this machine, \(reason): choose another CPU, such as host"
    case .targetUnavailable(let triple, let reason):
      "the installed libLLVM makes no code for \(triple): \(reason)"
    case .invalidIR(let message):
      "internal defect: LLVM refuses the generated text: \(message)"
    case .codeGeneration(let message):
      "internal defect: LLVM cannot make code of the generated text: \(message)"
    case .damagedObject(let reason):
      "the object file is damaged: \(reason)"
    case .undefinedSymbols(let names):
      "internal defect: the generated code refers to what it does not define: \(names.joined(separator: ", "))"
    case .entryMissing(let name):
      "internal defect: the generated code has no function '\(name)'"
    case .outOfMemory(let bytes):
      "the model has to warm up, and \(bytes) bytes cannot be allocated for it: free memory"
    case .weightsTooLarge(let numbers, let most):
      "the weights have \(numbers) numbers; code that is linked has \(most) at most: load the model where it runs"
    case .linking(let message):
      "the generated code cannot be placed in memory: \(message)"
    }
  }

  private static let remedy = "install the package libllvm19 (Debian, Ubuntu) or llvm19-libs (Fedora, Arch)"
}
