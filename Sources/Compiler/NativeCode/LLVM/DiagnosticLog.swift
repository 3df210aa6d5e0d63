// SPDX-License-Identifier: Apache-2.0

internal import CLLVM

/// LLVM's diagnostics while it reads text and makes code, which would otherwise go to standard error.
final class DiagnosticLog {
  private let functions: CLLVMFunctions
  /// The first error, or nil.
  private(set) var error: String?
  /// Warnings, except those of stack sizes.
  private(set) var warnings: [String] = []
  /// The bytes of stack of functions with the attribute `"warn-stack-size"="0"`, where they are not 0.
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
    switch unsafe Int(functions.GetDiagInfoSeverity(diagnostic)) {
    case LLVMDSError:
      error = error ?? text
    case LLVMDSWarning:
      if let (function, bytes) = Self.stackSize(in: text) {
        stackBytes[function] = bytes
      } else {
        warnings.append(text)
      }
    default:
      break  // Remarks and notes are statistics.
    }
  }

  /// Reads "<unknown>:0:0: stack frame size (264) exceeds limit (0) in function 'execute'".
  private static func stackSize(in text: String) -> (function: String, bytes: Int)? {
    let opening = "stack frame size ("
    let quoted = text.split(separator: "'", omittingEmptySubsequences: false)
    guard quoted.count == 3, let start = quoted[0].firstRange(of: opening)?.upperBound else { return nil }
    return Int(quoted[0][start...].prefix { $0 != ")" }).map { (String(quoted[1]), $0) }
  }
}
