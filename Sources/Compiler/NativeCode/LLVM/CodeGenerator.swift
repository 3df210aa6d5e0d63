// SPDX-License-Identifier: Apache-2.0

internal import CLLVM
internal import GraphIR
internal import GraphPlanning

/// Makes machine code of LLVM IR text.
///
///     text ─▶ module ─▶ verifier ─▶ instruction selection, register allocation, … ─▶ object or assembly
///
/// There are no mid-level passes: the text is what is executed, and nothing turns a loop into a call.
struct CodeGenerator {
  enum Product {
    case object
    case assembly
  }

  struct Output {
    var bytes: [UInt8]
    /// The bytes of stack frames, where they are not 0.
    var stackBytes: [String: Int]
    var warnings: [String]
  }

  /// All that decides about the code besides its text and its target.
  struct Settings {
    let level, relocations, codeModel: Int

    /// The text in a key of the cache.
    var text: String { "\(level) \(relocations) \(codeModel)" }
  }

  // Less than the default makes the same instructions of our kernels, in nine tenths of the time.
  static let settings = Settings(
    level: LLVMCodeGenLevelLess, relocations: LLVMRelocPIC, codeModel: LLVMCodeModelSmall)

  private let functions: CLLVMFunctions
  private let target: Target

  init(target: Target) throws(NativeCodeError) {
    functions = try LLVMLibrary.shared().functions
    self.target = target
  }

  func run(
    ir: String, _ constant: ObjectFile.Constant? = nil, product: Product
  ) throws(NativeCodeError) -> Output {
    let machine = try unsafe makeTargetMachine()
    defer { unsafe functions.DisposeTargetMachine(machine) }

    let log = DiagnosticLog(functions)
    guard let context = functions.ContextCreate() else { throw .codeGeneration("there is no context") }
    defer { withExtendedLifetime(log) { unsafe functions.ContextDispose(context) } }
    unsafe log.attach(to: context)

    let module = try unsafe parse(ir, in: context, log)
    defer { unsafe functions.DisposeModule(module) }
    unsafe functions.SetTarget(module, target.triple)
    let layout = unsafe functions.CreateTargetDataLayout(machine)
    unsafe functions.SetModuleDataLayout(module, layout)
    unsafe functions.DisposeTargetData(layout)
    if let constant { unsafe put(constant, into: module, of: context) }
    try unsafe verify(module)
    unsafe askForStackSizes(of: module, in: context)

    let bytes = try unsafe emit(module, for: machine, product)
    if let error = log.error { throw .codeGeneration(error) }
    return Output(bytes: bytes, stackBytes: log.stackBytes, warnings: log.warnings)
  }

  private func makeTargetMachine() throws(NativeCodeError) -> LLVMTargetMachineRef {
    var llvmTarget: LLVMTargetRef?
    var message: UnsafeMutablePointer<CChar>?
    guard unsafe functions.GetTargetFromTriple(target.triple, &llvmTarget, &message) == 0 else {
      throw .targetUnavailable(triple: target.triple, reason: unsafe functions.take(message))
    }
    let machine = unsafe functions.CreateTargetMachine(
      llvmTarget, target.triple, target.cpu, target.features, Int32(Self.settings.level),
      Int32(Self.settings.relocations), Int32(Self.settings.codeModel))
    guard let machine = unsafe machine else {
      throw .targetUnavailable(triple: target.triple, reason: "there is no code generator")
    }
    return unsafe machine
  }

  private func parse(
    _ ir: String, in context: LLVMContextRef, _ log: DiagnosticLog
  ) throws(NativeCodeError) -> LLVMModuleRef {
    var ir = ir
    let buffer = ir.withUTF8 { unsafe functions.copy(UnsafeRawBufferPointer($0), name: "program") }
    var module: LLVMModuleRef?
    var message: UnsafeMutablePointer<CChar>?
    let failed = unsafe functions.ParseIRInContext(context, buffer, &module, &message) != 0
    guard !failed, let module = unsafe module else {
      throw .invalidIR(unsafe functions.take(message))
    }
    return unsafe module
  }

  /// Gives a constant that is declared its numbers, byte by byte; nothing outside sees it then.
  private func put(_ constant: ObjectFile.Constant, into module: LLVMModuleRef, of context: LLVMContextRef) {
    guard let global = unsafe functions.GetNamedGlobal(module, constant.name) else {
      preconditionFailure("a constant that the text does not declare")
    }
    let bytes = unsafe constant.numbers.unsafeBytes
    let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    unsafe functions.SetInitializer(
      global, functions.ConstStringInContext(context, start, UInt32(bytes.count), 1))
    unsafe functions.SetLinkage(global, Int32(LLVMInternalLinkage))
  }

  private func verify(_ module: LLVMModuleRef) throws(NativeCodeError) {
    var message: UnsafeMutablePointer<CChar>?
    let failed = unsafe functions.VerifyModule(module, Int32(LLVMReturnStatusAction), &message) != 0
    let text = unsafe functions.take(message)
    if failed { throw .invalidIR(text) }
  }

  /// Makes LLVM warn about each stack frame that is larger than nothing.
  private func askForStackSizes(of module: LLVMModuleRef, in context: LLVMContextRef) {
    let (key, value) = ("warn-stack-size", "0")
    let attribute = unsafe functions.CreateStringAttribute(
      context, key, UInt32(key.utf8.count), value, UInt32(value.utf8.count))
    var function = unsafe functions.GetFirstFunction(module)
    while let current = unsafe function {
      unsafe functions.AddAttributeAtIndex(current, Int32(LLVMAttributeFunctionIndex), attribute)
      unsafe function = functions.GetNextFunction(current)
    }
  }

  private func emit(
    _ module: LLVMModuleRef, for machine: LLVMTargetMachineRef, _ product: Product
  ) throws(NativeCodeError) -> [UInt8] {
    let kind =
      switch product {
      case .object: LLVMObjectFile
      case .assembly: LLVMAssemblyFile
      }
    var buffer: LLVMMemoryBufferRef?
    var message: UnsafeMutablePointer<CChar>?
    let failed =
      unsafe functions.TargetMachineEmitToMemoryBuffer(machine, module, Int32(kind), &message, &buffer) != 0
    guard !failed, let buffer = unsafe buffer else {
      throw .codeGeneration(unsafe functions.take(message))
    }
    return unsafe functions.take(buffer)
  }
}
