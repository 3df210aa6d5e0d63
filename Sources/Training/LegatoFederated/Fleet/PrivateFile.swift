// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file that only its owner may read, and that gets its name when it is whole.
enum PrivateFile {
  /// - Parameter replaces: whether what stands in the place gives way to it.
  /// - Returns: the reason why it cannot be written; nil where it was.
  static func store(_ bytes: [UInt8], at path: String, replaces: Bool) -> String? {
    // A name that nothing has: what a run left that was killed here is in nobody's way.
    var beside = Array("\(path).new-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&beside)
    guard descriptor >= 0 else { return systemReason }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    defer {
      close(descriptor)
      unsafe unlink(beside)
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return systemReason }
      rest = rest.dropFirst(count)
    }
    let isDone = unsafe fsync(descriptor) == 0 && (replaces ? rename(beside, path) : link(beside, path)) == 0
    return isDone ? nil : systemReason
  }
}

/// The reason that the system gave last.
var systemReason: String {
  NSError(domain: NSPOSIXErrorDomain, code: Int(errno)).localizedDescription
}
