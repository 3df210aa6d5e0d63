// SPDX-License-Identifier: Apache-2.0

internal import CLLVM

/// A just-in-time session of LLVM's, which owns the memory of one linked object.
@safe final class LinkSession {
  private let functions: CLLVMFunctions
  private let jit: LLVMOrcLLJITRef
  /// Outlives the session, which may report until it has been disposed of.
  private let errors: LinkErrors

  init(_ functions: CLLVMFunctions) throws(NativeCodeError) {
    var jit: LLVMOrcLLJITRef?
    let failure = unsafe functions.take(functions.OrcCreateLLJIT(&jit, nil))
    guard failure == nil, let jit = unsafe jit else { throw .linking(failure ?? "there is no linker") }
    unsafe self.jit = jit
    self.functions = functions
    errors = LinkErrors(functions)
    unsafe functions.OrcExecutionSessionSetErrorReporter(
      functions.OrcLLJITGetExecutionSession(jit), LinkErrors.report,
      Unmanaged.passUnretained(errors).toOpaque())
  }

  deinit {
    _ = unsafe functions.take(functions.OrcDisposeLLJIT(jit))
  }

  /// Links an object in a library that knows no other, and returns the address of one of its functions.
  func address(of function: String, in object: ObjectFile) throws(NativeCodeError) -> UInt {
    let session = unsafe functions.OrcLLJITGetExecutionSession(jit)
    let library = unsafe functions.OrcExecutionSessionCreateBareJITDylib(session, "program")
    let buffer = unsafe object.bytes.withUnsafeBytes { unsafe functions.copy($0, name: "program") }
    if let failure = unsafe functions.take(functions.OrcLLJITAddObjectFile(jit, library, buffer)) {
      throw .linking(failure)
    }
    var order = unsafe LLVMOrcCJITDylibSearchOrderElement(
      JD: library, JDLookupFlags: Int32(LLVMOrcJITDylibLookupFlagsMatchAllSymbols))
    var symbol = unsafe LLVMOrcCLookupSetElement(
      Name: functions.OrcLLJITMangleAndIntern(jit, function),
      LookupFlags: Int32(LLVMOrcSymbolLookupFlagsRequiredSymbol))
    let answer = LinkAnswer(functions)
    // The session has no threads of its own, and so answers before the call returns.
    unsafe functions.OrcExecutionSessionLookup(
      session, Int32(LLVMOrcLookupKindStatic), &order, 1, &symbol, 1, LinkAnswer.receive,
      Unmanaged.passRetained(answer).toOpaque())
    guard let address = answer.address else {
      let messages = errors.messages + [answer.error ?? "the linker gave no answer"]
      throw .linking(messages.joined(separator: "; "))
    }
    return address
  }
}

/// The errors that LLVM would otherwise print to standard error.
private final class LinkErrors {
  private let functions: CLLVMFunctions
  private(set) var messages: [String] = []

  init(_ functions: CLLVMFunctions) {
    self.functions = functions
  }

  static let report: LLVMOrcErrorReporterFunction = { errors, error in
    guard let errors = unsafe errors else { return }
    let log = unsafe Unmanaged<LinkErrors>.fromOpaque(errors).takeUnretainedValue()
    if let message = unsafe log.functions.take(error) { log.messages.append(message) }
  }
}

/// What a session answers to the question for an address.
private final class LinkAnswer {
  private let functions: CLLVMFunctions
  private(set) var address: UInt?
  private(set) var error: String?

  init(_ functions: CLLVMFunctions) {
    self.functions = functions
  }

  static let receive: LLVMOrcExecutionSessionLookupHandleResultFunction = { error, pairs, count, answer in
    guard let answer = unsafe answer else { return }
    let receiver = unsafe Unmanaged<LinkAnswer>.fromOpaque(answer).takeRetainedValue()
    receiver.error = unsafe receiver.functions.take(error)
    if receiver.error == nil, count == 1, let pairs = unsafe pairs {
      receiver.address = unsafe UInt(pairs.pointee.Sym.Address)
    }
  }
}
