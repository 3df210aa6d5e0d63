// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// Signs of life, on a thread of their own while a round computes.
final class Heartbeat: Sendable {
  private let isEnded = Mutex(false)
  private let forgotten = Atomic(false)
  private let wake = DispatchSemaphore(value: 0)

  /// Whether the server does not know the device any more.
  var isForgotten: Bool { forgotten.load(ordering: .relaxed) }

  init(_ fleet: FleetClient, _ node: UInt64, every seconds: Double) {
    let thread = Thread { [self] in
      while wake.wait(timeout: .now() + seconds * .random(in: 0.9...1.1)) == .timedOut {
        // A network that is away for a while is nothing to act on.
        let isKnown = try? fleet.beat(node) { self.isEnded.withLock { $0 } }
        if isKnown == false { forgotten.store(true, ordering: .relaxed) }
      }
    }
    thread.name = "heartbeat"
    thread.start()
  }

  func end() {
    isEnded.withLock { $0 = true }
    wake.signal()
  }
}
