// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Which file a library is, and that it is still the same: another version, or the same one built anew, is another.
package struct LibraryIdentity: Hashable {
  /// With all links followed.
  let path: String
  /// Size, time of the last change and place on the disk, as text.
  let status: String

  /// The file at a path as it is; nil where there is none.
  package init?(path: String) {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    var status = stat()
    guard unsafe stat(real, &status) == 0 else { return nil }
    self.path = unsafe String(cString: real)
    self.status =
      "\(status.st_size) bytes, \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) s, "
      + "inode \(status.st_ino) of \(status.st_dev)"
  }
}
