// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The file that a path leads to: two paths lead to the same file exactly when these are equal.
package struct FileIdentity: Hashable, Comparable, Sendable {
  let device: UInt64
  let node: UInt64

  /// An order without a meaning, by which many can be searched.
  package static func < (one: FileIdentity, other: FileIdentity) -> Bool {
    (one.device, one.node) < (other.device, other.node)
  }
}

/// What the system knows of a file. Making one throws as `path` whatever the system answers.
struct FileStatus {
  private var status = stat()

  /// Follows links.
  init(path: String) throws(AudioFileError) {
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

  var identity: FileIdentity { FileIdentity(device: UInt64(status.st_dev), node: UInt64(status.st_ino)) }
  var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
  var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
  var isPipe: Bool { status.st_mode & S_IFMT == S_IFIFO }
  var isLink: Bool { status.st_mode & S_IFMT == S_IFLNK }
  var size: Int { Int(status.st_size) }
  var permissions: mode_t { status.st_mode & 0o7777 }
  /// When the content last changed, in nanoseconds since 1970.
  var changed: Int { Self.nanoseconds(status.st_mtim) }
  /// When the file last changed in any way, such as by a new name, in nanoseconds since 1970.
  var touched: Int { Self.nanoseconds(status.st_ctim) }
  var owner: uid_t { status.st_uid }
  var group: gid_t { status.st_gid }

  private static func nanoseconds(_ time: timespec) -> Int { time.tv_sec * 1_000_000_000 + time.tv_nsec }
}
