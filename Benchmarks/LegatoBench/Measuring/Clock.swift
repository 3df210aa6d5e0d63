// SPDX-License-Identifier: Apache-2.0

internal import Glibc

enum Clock {
  /// The monotonic clock.
  static var nanoseconds: Double { nanoseconds(of: CLOCK_MONOTONIC) }

  /// The processor time of this thread: that of other programs does not count.
  static var threadNanoseconds: Double { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

  /// The time between two readings of the monotonic clock with nothing between them.
  static let overhead: Double = {
    var times = [Double]()
    times.reserveCapacity(20_000)
    for _ in 0..<20_000 {
      let begin = nanoseconds
      times.append(nanoseconds - begin)
    }
    return Samples(times).median
  }()

  private static func nanoseconds(of clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
