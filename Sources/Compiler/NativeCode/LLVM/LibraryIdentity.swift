// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Which file a library is, and that it is still the same: another version, or the same one built anew, is another.
///
///     /lib/libLLVM.so.19.1 ──links──▶ /lib/libLLVM.so.19.1.7: size, times, inode
package struct LibraryIdentity: Hashable {
  /// The name by which it was opened: where a link leads may change.
  let name: String
  /// With all links followed.
  let path: String
  /// Size, times of the last changes and place on the disk, as text.
  let status: String

  /// The file of a name as it is; nil where there is none, or the name means something else in another folder.
  package init?(name: String) {
    guard name.utf8.first == UInt8(ascii: "/"), let real = unsafe realpath(name, nil) else { return nil }
    defer { unsafe free(real) }
    var status = stat()
    guard unsafe stat(real, &status) == 0 else { return nil }
    self.name = name
    path = unsafe String(cString: real)
    self.status =
      "\(status.st_size) bytes, \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) s, "
      + "\(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec) s, inode \(status.st_ino)"
  }

  /// Whether the name still means the same file, which is as it was.
  package var isCurrent: Bool { LibraryIdentity(name: name) == self }
}
