// SPDX-License-Identifier: Apache-2.0

import AudioIO
import CommandLineInterface
import FileRendering
import Glibc
import TestEquipment
import Testing

/// Signals that ask a program to end.
@Suite struct InterruptionTests {
  @Test(.endsProcesses) func theFirstSignalAsksAndEndsTheProcessLater() async {
    await #expect(processExitsWith: .signal(SIGHUP)) {
      InterruptionTests.takeSignals()
      Interruption.beginAsking()
      raise(SIGHUP)
      guard Interruption.isAsked else { exit(0) }
      Interruption.endIfAsked()
    }
  }

  /// What comes on several ways at once, as from `timeout`, is one request.
  @Test(.endsProcesses) func twoSignalsAtOnceAreOneRequest() async {
    await #expect(processExitsWith: .signal(SIGINT)) {
      InterruptionTests.takeSignals()
      Interruption.beginAsking()
      raise(SIGINT)
      raise(SIGTERM)
      Interruption.endIfAsked()
    }
  }

  @Test(.endsProcesses) func theSecondSignalEndsTheProcessAtOnce() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      InterruptionTests.takeSignals()
      Interruption.beginAsking()
      raise(SIGINT)
      let first = MonotonicClock.nanoseconds
      while MonotonicClock.nanoseconds - first <= 200_000_000 {}
      raise(SIGTERM)
      exit(0)
    }
  }

  @Test func aBatchHasRoomForItsFiles() { #expect(Interruption.mostFiles >= Batch.mostJobs + 16) }

  /// Lets this thread take signals, which threads of a pool have blocked, as a process has that nobody told otherwise.
  private static func takeSignals() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_DFL)
      unsafe sigaddset(&signals, number)
    }
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
