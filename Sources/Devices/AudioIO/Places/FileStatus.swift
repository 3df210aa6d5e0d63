// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The identity of a file: two paths lead to the same file exactly when these are equal.
package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let node: UInt64
}

/// The status of a path. Making one throws any error of the system as `path`.
package struct FileStatus {
  private var status = stat()

  /// Follows links.
  package init(path: String) throws(AudioFileError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw AudioFileError(path, .missing) }
    guard unsafe path.withPath({ unsafe stat($0, &status) }) == 0 else {
      throw AudioFileError(path, errno: errno)
    }
  }

  /// Looks at a link itself.
  init(link path: String) throws(AudioFileError) {
    guard unsafe path.withPath({ unsafe lstat($0, &status) }) == 0 else {
      throw AudioFileError(path, errno: errno)
    }
  }

  init(descriptor: Int32, path: String) throws(AudioFileError) {
    guard unsafe fstat(descriptor, &status) == 0 else { throw AudioFileError(path, errno: errno) }
  }

  package var identity: FileIdentity {
    FileIdentity(device: UInt64(status.st_dev), node: UInt64(status.st_ino))
  }
  package var isFile: Bool { status.st_mode & S_IFMT == S_IFREG }
  package var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
  package var isPipe: Bool { status.st_mode & S_IFMT == S_IFIFO }
  var isLink: Bool { status.st_mode & S_IFMT == S_IFLNK }
  /// In bytes.
  package var size: Int { Int(status.st_size) }
  var permissions: mode_t { status.st_mode & 0o7777 }
  /// The time at which the content last changed, in nanoseconds since 1970.
  package var changed: Int { Self.nanoseconds(status.st_mtim) }
  /// The time from which on the content may be here, in nanoseconds since 1970: an old file that is moved to a place,
  /// or copied there with its time, comes later than it changed.
  package var placed: Int { max(changed, Self.nanoseconds(status.st_ctim)) }
  var owner: uid_t { status.st_uid }
  var group: gid_t { status.st_gid }

  private static func nanoseconds(_ time: timespec) -> Int { time.tv_sec * 1_000_000_000 + time.tv_nsec }

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
