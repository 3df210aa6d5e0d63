// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A moment on the clock by which the system dates changes of files.
struct FileMoment {
  private let time: timespec

  /// The present one.
  init() {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
    self.time = time
  }

  /// Whether a file, and a link by which it is reached, are as they have been since before the moment; what is not
  /// there has changed.
  func isAfterLastChange(of path: String) -> Bool {
    var (file, link) = (stat(), stat())
    guard unsafe stat(path, &file) == 0, unsafe lstat(path, &link) == 0 else { return false }
    return [file.st_ctim, link.st_ctim].allSatisfy {
      ($0.tv_sec, $0.tv_nsec) < (time.tv_sec, time.tv_nsec)
    }
  }
}
