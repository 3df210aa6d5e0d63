// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A terminal that nobody sits at: what a program writes to it can be read.
final class Terminal {
  /// The path that programs write to.
  let path: String
  private let descriptor: Int32
  /// Held open, so that what was written can still be read.
  private let other: Int32

  init() throws {
    descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
    // TIOCSPTLCK and TIOCGPTN, which Swift does not see.
    var (isLocked, number) = (Int32(0), Int32(0))
    unsafe try #require(ioctl(descriptor, 0x4004_5431, &isLocked) == 0)
    unsafe try #require(ioctl(descriptor, 0x8004_5430, &number) == 0)
    path = "/dev/pts/\(number)"
    other = unsafe open(path, O_RDWR | O_NOCTTY)
  }

  deinit {
    close(other)
    close(descriptor)
  }

  /// What has been written since the last time.
  func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }
}
