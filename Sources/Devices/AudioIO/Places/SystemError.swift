// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension AudioFileError.Problem {
  /// The problem of a file that a system call's error number means.
  init(errno code: Int32) {
    switch code {
    case ENOENT: self = .missing
    case EISDIR: self = .isFolder
    case ENOTDIR: self = .notFolder
    case EACCES, EPERM: self = .noPermission
    case EROFS: self = .readOnlyFileSystem
    case EEXIST: self = .exists
    case ENOSPC: self = .noSpace
    case EDQUOT: self = .quotaExceeded
    case EPIPE: self = .brokenPipe
    default: self = .system(Self.systemText(code))
    }
  }

  private static func systemText(_ code: Int32) -> String {
    let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
      guard unsafe strerror_r(code, buffer.baseAddress!, buffer.count) == 0 else { return "error \(code)" }
      return unsafe String(cString: buffer.baseAddress!)
    }
    // "File too large" → "file too large": the sentence goes on after the path.
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
