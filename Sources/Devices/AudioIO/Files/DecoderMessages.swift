// SPDX-License-Identifier: Apache-2.0

@unsafe @preconcurrency internal import Glibc
internal import Synchronization

/// Keeps a decoder from writing to the standard error by itself.
///
///     Warning: Xing stream size off by more than 1%, fuzzy seeking may be even more fuzzy than by design!
///
/// libmpg123 prints such lines, and libsndfile does not tell it not to. While it works, the C library's stream leads
/// nowhere; messages of ours go past that stream, to its descriptor. What other threads, or other libraries, write to
/// the C library's `stderr` meanwhile is lost.
enum DecoderMessages {
  /// How many threads are in `silenced`.
  private static let silent = Mutex(0)
  private nonisolated(unsafe) static let nowhere = unsafe fopen("/dev/null", "we")
  private nonisolated(unsafe) static let usual = unsafe stderr

  static func silenced<Result>(_ body: () -> Result) -> Result {
    silent.withLock { count in
      // The usual one is noted before.
      if count == 0, unsafe usual != nil, unsafe nowhere != nil { unsafe stderr = nowhere }
      count += 1
    }
    defer {
      silent.withLock { count in
        count -= 1
        if count == 0 { unsafe stderr = usual }
      }
    }
    return body()
  }
}
