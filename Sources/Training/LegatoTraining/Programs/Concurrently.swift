// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation

/// The results of so many tasks, in their order, computed by some threads, of which each takes every so-manieth.
func concurrently<Result: Sendable>(
  _ count: Int, threads: Int, _ body: @Sendable (_ row: Int, _ thread: Int) -> Result
) -> [Result] {
  let threads = min(threads, count)
  guard threads > 1 else { return (0..<count).map { body($0, 0) } }
  let results = Results<Result>(count)
  DispatchQueue.concurrentPerform(iterations: threads) { thread in
    for row in stride(from: thread, to: count, by: threads) { results.set(row, body(row, thread)) }
  }
  return results.all
}

/// Results that threads put in their places.
private final class Results<Result: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var found: [Result?]

  init(_ count: Int) { found = Array(repeating: nil, count: count) }

  func set(_ row: Int, _ result: Result) { lock.withLock { found[row] = result } }

  var all: [Result] { found.map { $0! } }
}
