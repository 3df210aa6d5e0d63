// SPDX-License-Identifier: Apache-2.0

/// How long blocks took, each by itself.
///
/// The clock is read before and after each execute; what two readings without anything between them take is subtracted.
/// For a hundred blocks a parameter gets another target before each block, in turn, for the next hundred they rest, so
/// that code for time-varying and for settled parameters runs, and both changes between them. The first block meets
/// cold caches, as it does in a host. Around it is an ordinary thread: it is interrupted, and its pages are not locked.
package struct BlockTiming: Sendable {
  /// Whether blocks of a stream are timed, and not steps.
  package var isStream = true
  /// Frames of a block; 1 where a step is executed.
  package var frames: Int
  /// The time of each block, in their order; there is one at least.
  package var nanoseconds: [Int]
  /// The clock's own nanoseconds, subtracted from each.
  package var clockNanoseconds = 0
  /// Nanoseconds in which a block has to be done; nil where nothing says so.
  package var deadline: Double?
  /// Context switches and page faults of the thread.
  package var contextSwitches = 0, pageFaults = 0

  package init(frames: Int, nanoseconds: [Int], deadline: Double? = nil) {
    precondition(!nanoseconds.isEmpty, "no block was timed")
    self.frames = frames
    self.nanoseconds = nanoseconds
    self.deadline = deadline
  }

  /// The time within which a share of the blocks was done.
  package func percentile(_ share: Double) -> Int { nanoseconds.sorted().nearestRank(share) }

  /// The block that took longest, the first of them.
  package var worst: (block: Int, nanoseconds: Int) {
    var worst = (block: 0, nanoseconds: nanoseconds[0])
    for (block, time) in nanoseconds.enumerated() where time > worst.nanoseconds { worst = (block, time) }
    return worst
  }

  /// How many blocks missed their deadline; nil where there is none.
  package var late: Int? { deadline.map { deadline in nanoseconds.count { Double($0) > deadline } } }
}
