// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import FileRendering

@Suite("Threads that take tasks off a list")
struct WorkersTests {
  @Test(
    "each task is done once, by no more threads than there are tasks, or may be",
    arguments: [(tasks: 0, threads: 2), (1, 2), (3, 3), (100, 5)])
  func tasks(_ count: Int, threads: Int) {
    let workers = Workers(threads: 2, most: 5)
    #expect(workers.count == 2)
    let done = Mutex([Int](repeating: 0, count: count))
    workers.run(count: count) {
    } work: { _, task in
      done.withLock { $0[task] += 1 }
    } watch: {
    }
    #expect(workers.count == threads)
    #expect(done.withLock { $0 } == [Int](repeating: 1, count: count))
  }
}
