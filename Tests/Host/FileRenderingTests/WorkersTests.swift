// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import FileRendering

@Suite("Threads that take tasks off a list")
struct WorkersTests {
  @Test(
    "each task is done once, by no more threads than there are tasks, or may be",
    arguments: [(tasks: 0, threads: 1), (1, 1), (3, 3), (100, 5)])
  func tasks(_ count: Int, threads: Int) {
    let desks = Mutex(0)
    let done = Mutex([Int](repeating: 0, count: count))
    Workers(threads: 5).run(count: count) {
      desks.withLock { $0 += 1 }
    } work: { _, task in
      done.withLock { $0[task] += 1 }
    } watch: {
    }
    // Each thread has one; where there is no task, no thread begins.
    #expect(desks.withLock { $0 } == threads)
    #expect(done.withLock { $0 } == [Int](repeating: 1, count: count))
  }
}
