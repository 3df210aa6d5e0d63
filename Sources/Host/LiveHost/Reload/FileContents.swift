// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The contents of some files at a moment, to compare with later ones.
///
///     ──────●───────────────┄┄┄┄┄┄┄┄────────────────────●──▶
///         moment      somebody reads them      what stands in them
///           ╰─ a file that has changed since is not known: it says something else than it ever will
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

  /// The contents that somebody has read in the files since a moment.
  ///
  /// - Parameter earlier: what is known of some of them from before.
  init(of files: [String], readSince moment: FileMoment, earlier: FileContents = FileContents(bytes: [:])) {
    let unchanged = files.filter { earlier.bytes[$0] == nil && moment.isAfterLastChange(of: $0) }
    bytes = FileContents(of: unchanged).bytes.merging(earlier.bytes.filter { files.contains($0.key) }) { $1 }
  }

  /// Whether a file is there and something is in it: writers empty a file before they fill it again.
  func has(_ file: String) -> Bool { bytes[file]?.isEmpty == false }

  /// The same of some of the files.
  func only(_ files: [String]) -> FileContents {
    FileContents(bytes: bytes.filter { files.contains($0.key) })
  }

  private init(bytes: [String: Data]) { self.bytes = bytes }

  /// Whether a path leads to an ordinary file, which can be read again and again.
  static func isOrdinary(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
