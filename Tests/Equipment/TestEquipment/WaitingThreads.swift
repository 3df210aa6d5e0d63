// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Threads that may wait, for `WaitingTests`: each takes the next job that is in line.
///
/// They are few: what they wait for is often a program that computes.
final class WaitingThreads: TaskExecutor {
  static let shared = WaitingThreads(count: 3)
  /// For what never waits itself, and is not to be in line behind what does.
  static let ends = WaitingThreads(count: 1)

  private let line = Line()

  private init(count: Int) {
    for _ in 0..<count {
      let thread = Thread { [line] in
        while true { unsafe line.next().runSynchronously(on: self.asUnownedTaskExecutor()) }
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) { line.append(UnownedJob(job)) }

  /// Jobs in the order in which they came.
  private final class Line: @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []

    func append(_ job: UnownedJob) {
      condition.withLock { jobs.append(job) }
      condition.signal()
    }

    func next() -> UnownedJob {
      condition.withLock {
        while jobs.isEmpty { condition.wait() }
        return jobs.removeFirst()
      }
    }
  }
}
