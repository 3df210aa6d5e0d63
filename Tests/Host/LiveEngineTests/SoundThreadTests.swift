// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LiveEngine
import RealtimeWatch
import Synchronization
import Testing

/// The thread that sound runs on.
struct SoundThreadTests {
  private final class Notes: Sendable {
    let name = Mutex("")
    let blocked = Mutex<[Int32]>([])
    let stack = Atomic<Int>(0)
  }

  private static var blockedSignals: [Int32] {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    return [SIGINT, SIGTERM, SIGWINCH, SIGSEGV].filter { unsafe sigismember(&mask, $0) == 1 }
  }

  @Test func hasANameAndHearsNoSignals() throws {
    let notes = Notes()
    let before = Self.blockedSignals
    let thread = try AudioThread(named: "legato test") {
      let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
      notes.name.withLock { $0 = name }
      let blocked = Self.blockedSignals
      notes.blocked.withLock { $0 = blocked }
    }
    var end = pollfd(fd: thread.endDescriptor, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&end, 1, 60_000) == 1)
    thread.join()
    #expect(notes.name.withLock { $0 } == "legato test\n")
    #expect(notes.blocked.withLock { $0 } == [SIGINT, SIGTERM, SIGWINCH])
    // The thread that made it hears what it heard before.
    #expect(Self.blockedSignals == before)
  }

  @Test(.enabled(if: Sanitizer.isAbsent)) func itsStackIsInMemory() throws {
    let faults = Atomic<Int>(-1)
    try AudioThread(named: "stack") {
      // What code there is, is seen beforehand.
      _ = RealtimeWatch.counts { _ = descend(1) }
      var depth = 0
      let counts = RealtimeWatch.counts { depth = descend(200) }
      if depth == 200 { faults.store(counts.minorFaults, ordering: .relaxed) }
    }.join()
    // 200 steps of a kilobyte are 50 pages.
    #expect((0..<10).contains(faults.load(ordering: .relaxed)))
  }
}

/// Uses a kilobyte of stack at each step.
@inline(never) private func descend(_ steps: Int) -> Int {
  var room = InlineArray<128, Int>(repeating: steps)
  room[steps % 128] = steps > 0 ? descend(steps - 1) + 1 : 0
  return room[steps % 128]
}
