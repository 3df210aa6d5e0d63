// SPDX-License-Identifier: Apache-2.0

internal import HandKernels

/// Times calls one by one, so that the slow ones are seen.
///
///     clock · execute · clock · clock · execute · clock · …
///
/// What two readings of the clock take by themselves is taken off. It is as long as a short call: for medians and
/// ratios there is `Race`.
struct SingleCalls {
  let samples: Samples
  /// How often the system took the processor away meanwhile: who has to wait for it has a long call.
  let interruptions: Int

  init(_ count: Int, _ instrument: Instrument) {
    instrument.run(min(count, 100))
    let before = hand_context_switches()
    samples = Self.times(count, instrument) {}
    interruptions = hand_context_switches() - before
  }

  /// Each call comes after something else has used the machine.
  init(_ count: Int, _ instrument: Instrument, after other: OtherProgram) {
    let before = hand_context_switches()
    samples = Self.times(count, instrument, other.run)
    interruptions = hand_context_switches() - before
  }

  private static func times(_ count: Int, _ instrument: Instrument, _ before: () -> Void) -> Samples {
    let overhead = Clock.overhead
    var times = [Double]()
    times.reserveCapacity(count)
    for _ in 0..<count {
      before()
      let begin = Clock.nanoseconds
      instrument.run(1)
      times.append(max(0, Clock.nanoseconds - begin - overhead))
    }
    return Samples(times)
  }
}
