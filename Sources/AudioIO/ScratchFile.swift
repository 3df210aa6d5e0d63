// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file without a name, for what is too much to remember: it is gone with the process, however that ends.
///
/// It lies in the folder for temporary files, which `TMPDIR` names. Any thread may use it.
package final class ScratchFile: Sendable {
  private let descriptor: Int32

  /// Nil where there is no place for one.
  package init?() {
    let variable = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    let folder = variable.isEmpty ? "/tmp" : variable
    var template = Array("\(folder)/.legato-XXXXXX".utf8CString)
    let descriptor = unsafe template.withUnsafeMutableBufferPointer { name in
      let descriptor = unsafe mkstemp(name.baseAddress!)
      if descriptor >= 0 { _ = unsafe unlink(name.baseAddress!) }
      return descriptor
    }
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Writes all bytes; false where there is no room for them.
  package func write(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = unsafe pwrite(descriptor, rest.baseAddress!, rest.count, off_t(place + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Reads as many bytes as there are, up to a number.
  package func read(_ most: Int, at place: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      count = 0
      while count < most {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count..<most])
        let taken = unsafe pread(descriptor, rest.baseAddress!, rest.count, off_t(place + count))
        if taken < 0, errno == EINTR { continue }
        precondition(taken >= 0, "a temporary file that was written cannot be read")
        if taken == 0 { break }
        count += taken
      }
    }
  }
}
