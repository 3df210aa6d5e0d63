// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation

/// The results of so many tasks, in their order, computed by some threads, each of which takes the next one that nobody has
/// begun.
///
/// - Parameter finish: what is done with a result before its thread takes another task, in the order of tasks, one at a
///   time; without it no thread waits for others.
func concurrently<Result: Sendable>(
  _ count: Int, threads: Int, _ body: @Sendable (_ row: Int, _ thread: Int) -> Result,
  inOrder finish: (@Sendable (_ result: Result, _ thread: Int) -> Void)? = nil
) -> [Result] {
  let threads = min(threads, count)
  guard threads > 1 else {
    return (0..<count).map { row in
      let result = body(row, 0)
      finish?(result, 0)
      return result
    }
  }
  let tasks = Tasks<Result>(count)
  DispatchQueue.concurrentPerform(iterations: threads) { thread in
    while let row = tasks.next() {
      let result = body(row, thread)
      if let finish {
        // Whoever has a task before this one is at work, so that the turn comes.
        tasks.waitForTurn(row)
        finish(result, thread)
      }
      tasks.end(row, result)
    }
  }
  return tasks.results
}

/// Tasks that threads take, and the results that they put in their places.
private final class Tasks<Result: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var found: [Result?]
  /// How many were taken, and how many have ended.
  private var (taken, ended) = (0, 0)

  init(_ count: Int) { found = Array(repeating: nil, count: count) }

  func next() -> Int? {
    condition.withLock {
      guard taken < found.count else { return nil }
      taken += 1
      return taken - 1
    }
  }

  /// Waits until all tasks before one have ended, which they do in their order.
  func waitForTurn(_ row: Int) {
    condition.withLock { while ended < row { condition.wait() } }
  }

  func end(_ row: Int, _ result: Result) {
    condition.withLock {
      found[row] = result
      ended += 1
      condition.broadcast()
    }
  }

  var results: [Result] { found.map { $0! } }
}
