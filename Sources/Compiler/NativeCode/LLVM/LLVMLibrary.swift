// SPDX-License-Identifier: Apache-2.0

internal import CLLVM
internal import Glibc

/// LLVM 19, opened at run time.
///
/// The library is opened at the first use and stays for the life of the process: it cannot be unloaded safely.
/// Its functions may be called from any thread, each with a context of its own.
package final class LLVMLibrary: @unchecked Sendable {  // Only `let`s: pointers to functions, and strings.
  /// Such as `19.1.7`.
  package let version: String
  /// The triple of the machine at hand.
  package let hostTriple: String
  /// LLVM's name of the CPU at hand.
  package let hostCPU: String
  /// Features of this machine's CPU, as `+avx2,-avx512f`; a virtual machine may lack some that the CPU's name promises.
  package let hostFeatures: String

  /// Nil where the system does not say which file it is, or says it only for the folder at hand.
  let identity: LibraryIdentity?

  let functions: CLLVMFunctions

  /// The value of `LEGATO_LLVM`; empty where it is not set.
  static let named = unsafe getenv("LEGATO_LLVM").map { unsafe String(cString: $0) } ?? ""

  /// The folders in which the system looks for libraries first.
  static let searchPath = unsafe getenv("LD_LIBRARY_PATH").map { unsafe String(cString: $0) } ?? ""

  private static let opened = Result { () throws(NativeCodeError) -> LLVMLibrary in
    try LLVMLibrary(path: named.isEmpty ? nil : named)
  }

  /// The library; the same for all callers.
  ///
  /// - Throws: `libraryMissing`, `namedLibraryMissing` or `libraryUnsuitable`, the same at each call.
  package static func shared() throws(NativeCodeError) -> LLVMLibrary {
    try opened.get()
  }

  /// The names under which distributions install LLVM 19.
  private static let names = ["libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so"]

  /// Opens the library at a path, or where it is installed.
  private init(path: String?) throws(NativeCodeError) {
    let (name, handle) = try unsafe Self.open(path: path)
    let origin = path == nil ? "" : "; LEGATO_LLVM names it"
    var functions = CLLVMFunctions()
    if let lacking = unsafe CLLVMFindFunctions(&functions, handle) {
      throw NativeCodeError.libraryUnsuitable(
        name: name, reason: unsafe "it has no function \(String(cString: lacking))\(origin)")
    }
    var (major, minor, patch) = (UInt32(0), UInt32(0), UInt32(0))
    unsafe functions.GetVersion(&major, &minor, &patch)
    let version = "\(major).\(minor).\(patch)"
    guard major == 19 else {
      throw NativeCodeError.libraryUnsuitable(name: name, reason: "its version is \(version)\(origin)")
    }
    self.version = version
    identity = unsafe CLLVMLibraryPath(&functions).flatMap {
      unsafe LibraryIdentity(name: String(cString: $0))
    }
    self.functions = functions
    unsafe hostTriple = functions.take(functions.GetDefaultTargetTriple())
    unsafe hostCPU = functions.take(functions.GetHostCPUName())
    unsafe hostFeatures = functions.take(functions.GetHostCPUFeatures())
    initializeTargets()
  }

  private static func open(path: String?) throws(NativeCodeError) -> (String, UnsafeMutableRawPointer) {
    var reason = ""
    for name in path.map({ [$0] }) ?? names {
      // Local: another LLVM in the process, such as a graphics driver's, must not meet this one.
      if let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) { return unsafe (name, handle) }
      if reason.isEmpty, let message = unsafe dlerror() { reason = unsafe String(cString: message) }
    }
    if let path { throw .namedLibraryMissing(path: path, reason: reason) }
    throw .libraryMissing(reason: reason)
  }

  private func initializeTargets() {
    let initializers = [
      functions.InitializeX86TargetInfo, functions.InitializeX86Target,
      functions.InitializeX86TargetMC, functions.InitializeX86AsmPrinter,
      functions.InitializeAArch64TargetInfo, functions.InitializeAArch64Target,
      functions.InitializeAArch64TargetMC, functions.InitializeAArch64AsmPrinter,
    ]
    for initialize in initializers { initialize?() }
  }
}
