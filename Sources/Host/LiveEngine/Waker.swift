// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Wakes a thread that polls, from another thread or from a signal's handler.
package final class Waker: Sendable {
  /// Becomes readable with the first call of `wake`, and stays so until `rest`.
  package let descriptor: Int32
  private let door: Int32

  /// Nil where the process has no descriptors left.
  package init?() {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, door) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(door)
  }

  package func wake() {
    let code = errno
    var byte: UInt8 = 1
    // Where the pipe is full, it is readable.
    unsafe _ = write(door, &byte, 1)
    // Whoever a signal interrupted may be about to read it.
    errno = code
  }

  /// Lets the descriptor be readable no more until somebody wakes again.
  package func rest() {
    var bytes: UInt64 = 0
    while unsafe read(descriptor, &bytes, MemoryLayout<UInt64>.size) > 0 {}
  }
}
