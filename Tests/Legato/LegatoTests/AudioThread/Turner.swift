// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RealtimeCore
import RealtimeWatch
import Synchronization

/// Turns parameters without a pause on a thread of its own, which is watched as well: setting one neither waits nor
/// allocates.
final class Turner: Sendable {
  private let count = Atomic(0)
  private let isOver = Atomic(false)
  private let counts = Mutex<RealtimeCounts?>(nil)
  private let end = DispatchSemaphore(value: 0)

  /// - Parameter values: for each parameter in turn.
  init(_ parameters: [Parameter], _ values: [Float], isWatched: Bool) {
    let thread = Thread { [self] in
      if isWatched {
        let seen = RealtimeWatch.counts { turn(parameters, values) }
        counts.withLock { $0 = seen }
      } else {
        turn(parameters, values)
      }
      end.signal()
    }
    thread.start()
  }

  private func turn(_ parameters: [Parameter], _ values: [Float]) {
    while !isOver.load(ordering: .relaxed) {
      for index in 0..<values.count { parameters[index % parameters.count].set(values[index]) }
      count.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// How often every value has been set.
  var rounds: Int { count.load(ordering: .relaxed) }

  /// Ends the thread, and tells what it did if it was watched.
  func stop() -> RealtimeCounts? {
    isOver.store(true, ordering: .relaxed)
    end.wait()
    return counts.withLock { $0 }
  }
}
