// SPDX-License-Identifier: Apache-2.0

internal import CLLVM

/// What LLVM says while it reads text and makes code; it would otherwise go to standard error.
final class DiagnosticLog {
  private let functions: CLLVMFunctions
  /// The first error, or nil.
  private(set) var error: String?
  /// What is neither an error nor a stack size.
  private(set) var remarks: [String] = []
  /// The bytes of stack that functions with the attribute `"warn-stack-size"="0"` take, where it is not 0.
  private(set) var stackBytes: [String: Int] = [:]

  init(_ functions: CLLVMFunctions) {
    self.functions = functions
  }

  /// Collects what LLVM says about a context. The log must outlive the context.
  func attach(to context: LLVMContextRef) {
    unsafe functions.ContextSetDiagnosticHandler(
      context,
      { diagnostic, log in
        guard let diagnostic = unsafe diagnostic, let log = unsafe log else { return }
        unsafe Unmanaged<DiagnosticLog>.fromOpaque(log).takeUnretainedValue().record(diagnostic)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func record(_ diagnostic: LLVMDiagnosticInfoRef) {
    let text = unsafe functions.take(functions.GetDiagInfoDescription(diagnostic))
    if unsafe Int(functions.GetDiagInfoSeverity(diagnostic)) == LLVMDSError {
      error = error ?? text
    } else if let (function, bytes) = Self.stackSize(in: text) {
      stackBytes[function] = bytes
    } else {
      remarks.append(text)
    }
  }

  /// Reads "stack frame size (264) exceeds limit (0) in function 'execute'".
  static func stackSize(in text: String) -> (function: String, bytes: Int)? {
    let quoted = text.split(separator: "'", omittingEmptySubsequences: false)
    guard text.hasPrefix("stack frame size ("), quoted.count == 3 else { return nil }
    let digits = text.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
    return Int(digits).map { (String(quoted[1]), $0) }
  }
}
