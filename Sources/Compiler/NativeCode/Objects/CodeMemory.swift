// SPDX-License-Identifier: Apache-2.0

internal import CInstructionCache
internal import Glibc

/// Memory of its own for an image of code: filled once, then executed and read, and never written to again.
@safe struct CodeMemory: ~Copyable {
  private let region: UnsafeMutableRawBufferPointer

  static let pageSize = sysconf(Int32(_SC_PAGESIZE))

  init(_ image: CodeImage) throws(NativeCodeError) { unsafe region = try Self.region(of: image) }

  deinit { unsafe munmap(region.baseAddress, region.count) }

  func address(at offset: Int) -> UnsafeRawPointer { unsafe UnsafeRawPointer(region.baseAddress! + offset) }

  private static func region(of image: CodeImage) throws(NativeCodeError) -> UnsafeMutableRawBufferPointer {
    let size = image.bytes.count
    let start = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { throw refusal }
    let region = unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
    unsafe region.copyBytes(from: image.bytes)
    unsafe legato_clear_instruction_cache(start, image.codeSize)
    guard unsafe mprotect(start, size, PROT_READ) == 0,
      unsafe mprotect(start, image.codeSize, PROT_READ | PROT_EXEC) == 0
    else {
      let refusal = refusal
      unsafe munmap(start, size)
      throw refusal
    }
    return unsafe region
  }

  private static var refusal: NativeCodeError { .linking(unsafe String(cString: strerror(errno))) }
}
