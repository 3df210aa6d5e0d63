// SPDX-License-Identifier: Apache-2.0

internal import Glibc

enum Clock {
  /// The monotonic clock.
  static var nanoseconds: Double { nanoseconds(of: CLOCK_MONOTONIC) }

  /// What the processor has done for this thread: the turns of other programs do not count.
  static var threadNanoseconds: Double { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

  /// What lies between two readings of the monotonic clock with nothing between them.
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
