// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The bytes of a file in memory.
///
/// A short file is read. A long one is mapped: what is read of it the system may take back, and it is no copy, but
/// whoever shortens it meanwhile ends the process. Writers put a file in the place of another as a whole.
@safe
package final class FileBytes: Sendable {
  /// The most bytes of a file that is read.
  package static let mostRead = 1 << 24

  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
  private let isMapped: Bool

  /// Reads or maps an open file, which may be closed then; nil where that cannot be, and `errno` says why.
  ///
  /// - Parameter mostRead: a file of more bytes is mapped.
  package init?(descriptor: Int32, mostRead: Int = FileBytes.mostRead) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    let size = Int(status.st_size)
    isMapped = size > mostRead
    if isMapped {
      let memory = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0)
      guard unsafe memory != MAP_FAILED else { return nil }
      unsafe bytes = UnsafeRawBufferPointer(start: memory, count: size)
    } else {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
      var count = 0
      while count < size {
        let part = unsafe pread(descriptor, memory.baseAddress! + count, size - count, off_t(count))
        if part < 0, errno == EINTR { continue }
        guard part >= 0 else {
          unsafe memory.deallocate()
          return nil
        }
        // A file that became shorter meanwhile.
        if part == 0 { break }
        count += part
      }
      unsafe bytes = UnsafeRawBufferPointer(start: memory.baseAddress, count: count)
    }
  }

  package init(_ contents: [UInt8]) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: contents.count, alignment: 64)
    unsafe memory.copyBytes(from: contents)
    unsafe bytes = UnsafeRawBufferPointer(memory)
    isMapped = false
  }

  deinit {
    if isMapped {
      unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    } else {
      unsafe bytes.deallocate()
    }
  }
}
