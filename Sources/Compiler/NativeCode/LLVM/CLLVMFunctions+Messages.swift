// SPDX-License-Identifier: Apache-2.0

internal import CLLVM

extension CLLVMFunctions {
  /// The text of a message that LLVM has handed over; frees the message.
  func take(_ message: UnsafeMutablePointer<CChar>?) -> String {
    guard let message = unsafe message else { return "" }
    defer { unsafe DisposeMessage(message) }
    return unsafe String(cString: message)
  }

  /// A buffer of LLVM's with a copy of these bytes.
  func copy(_ bytes: UnsafeRawBufferPointer, name: String) -> LLVMMemoryBufferRef? {
    let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    return unsafe CreateMemoryBufferWithMemoryRangeCopy(start, bytes.count, name)
  }

  /// The bytes of a buffer that LLVM has handed over; frees the buffer.
  func take(_ buffer: LLVMMemoryBufferRef) -> [UInt8] {
    defer { unsafe DisposeMemoryBuffer(buffer) }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: GetBufferStart(buffer), count: GetBufferSize(buffer)))
  }
}
