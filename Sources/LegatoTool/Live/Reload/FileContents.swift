// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What stood in some files at a moment, to see whether they say something else later.
struct FileContents: Equatable {
  private let bytes: [String: Data]

  /// Reads the files; of what is no ordinary file, such as a pipe, nothing.
  init(of files: [String]) {
    var bytes: [String: Data] = [:]
    for file in files where Self.isOrdinary(file) {
      bytes[file] = FileManager.default.contents(atPath: file)
    }
    self.bytes = bytes
  }

  /// Whether a file is there and something is in it: writers empty a file before they fill it again.
  func has(_ file: String) -> Bool { bytes[file]?.isEmpty == false }

  /// The same of some of the files.
  func only(_ files: [String]) -> FileContents {
    FileContents(bytes: bytes.filter { files.contains($0.key) })
  }

  /// The same, with what stood in some of the files before.
  func replacing(_ former: FileContents) -> FileContents {
    FileContents(bytes: bytes.merging(former.bytes.filter { bytes[$0.key] != nil }) { $1 })
  }

  private init(bytes: [String: Data]) { self.bytes = bytes }

  /// Whether a path leads to an ordinary file, which can be read again and again.
  static func isOrdinary(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
