// SPDX-License-Identifier: Apache-2.0

internal import RealtimeWatch

/// Counts of a thread while it executed: half of the time with settled parameters, then with time-varying ones.
struct WatchedExecutes: Codable {
  var executes: Int
  var heapCalls: Int
  var frees: Int
  var locks: Int
  /// Nil where this kernel cannot count them.
  var systemCalls: Int?
  var minorFaults: Int
  var majorFaults: Int
  /// Turns that the thread gave away, or that were taken from it: for the system to answer for.
  var contextSwitches: Int
  /// The offences of an audio thread, one phrase each.
  var offences: [String]

  private static let half = 32
  /// A system may move pages whenever it likes, which is a fault to whoever comes there next. One that is ours comes
  /// again.
  private static let attempts = 3

  /// Executes so many times, watched.
  ///
  /// - Parameter offence: something that is done beside the last execute, for a test of the watching itself.
  init(_ instrument: Instrument, and offence: () -> Void = {}) {
    self.init(Self.counts(instrument, offence), executes: 2 * Self.half)
    for _ in 1..<Self.attempts where faults > 0 && offences.count == 1 {
      self.init(Self.counts(instrument, offence), executes: 2 * Self.half)
    }
  }

  private init(_ counts: RealtimeCounts, executes: Int) {
    self.executes = executes
    (heapCalls, frees, locks) = (counts.allocations, counts.frees, counts.locks)
    systemCalls = counts.systemCalls
    (minorFaults, majorFaults) = (counts.minorFaults, counts.majorFaults)
    contextSwitches = counts.voluntarySwitches + counts.involuntarySwitches
    offences = counts.offences
    if faults > 0 { offences.append(faults == 1 ? "1 page fault" : "\(faults) page faults") }
  }

  private var faults: Int { minorFaults + majorFaults }

  private static func counts(_ instrument: Instrument, _ offence: () -> Void) -> RealtimeCounts {
    func work() {
      // Whatever moves lands at once: half of the executes are settled, however long ramps are.
      instrument.reset()
      instrument.run(half)
      for index in 0..<half {
        instrument.turnAll(isHigh: index.isMultiple(of: 2))
        instrument.run(1)
      }
    }
    // The first time touches stacks, and the watch itself.
    _ = RealtimeWatch.counts(work)
    return RealtimeWatch.counts {
      work()
      offence()
    }
  }
}
