// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file that only its owner may read, and that gets its name when it is whole.
enum PrivateFile {
  /// - Parameter replaces: whether what stands in the place gives way to it.
  /// - Returns: the reason why it cannot be written; nil where it was.
  static func store(_ bytes: [UInt8], at path: String, replaces: Bool) -> String? {
    let beside = "\(path).new-\(getpid())"
    let descriptor = unsafe open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return systemReason }
    defer {
      close(descriptor)
      unsafe unlink(beside)
    }
    let isWritten = unsafe write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    guard isWritten, unsafe replaces ? rename(beside, path) == 0 : link(beside, path) == 0 else {
      return systemReason
    }
    return nil
  }
}

/// The reason that the system gave last.
var systemReason: String {
  NSError(domain: NSPOSIXErrorDomain, code: Int(errno)).localizedDescription
}
