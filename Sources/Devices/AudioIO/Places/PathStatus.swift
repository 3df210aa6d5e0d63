// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What a command may ask of a path before it begins: what stands there, and since when.
package struct PathStatus: Sendable {
  /// The same for two paths exactly when they lead to the same file.
  package let identity: FileIdentity
  package let isFile: Bool
  package let isFolder: Bool
  /// In bytes.
  package let size: Int
  /// When the content last changed, in nanoseconds since 1970.
  package let changed: Int
  /// Since when the content may stand here, in nanoseconds since 1970: an old file that is moved to a place, or copied
  /// there with its time, comes later than it changed.
  package let placed: Int

  /// Follows links. Throws as `path` whatever the system answers.
  package init(path: String) throws(AudioFileError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw AudioFileError(path, .missing) }
    let status = try FileStatus(path: path)
    identity = status.identity
    isFile = status.isRegular
    isFolder = status.isFolder
    size = status.size
    changed = status.changed
    placed = max(status.changed, status.touched)
  }

  /// Makes a folder and those that it stands in, where they are missing.
  package static func makeFolder(_ path: String) throws(AudioFileError) {
    if let status = try? FileStatus(path: path) {
      guard status.isFolder else { throw AudioFileError(path, .notFolder) }
      return
    }
    let parent = PathText.folder(of: path)
    if parent != path, parent != "." { try makeFolder(parent) }
    let made = unsafe path.withPath { unsafe mkdir($0, 0o777) }
    guard made != 0, errno != EEXIST else { return }
    throw AudioFileError(path, errno: errno)
  }
}
