// SPDX-License-Identifier: Apache-2.0

/// Times calls one by one, so that the slow ones are seen.
///
///     clock · execute · clock · clock · execute · clock · …
///
/// What two readings of the clock take by themselves is taken off. It is as long as a short call: for medians and
/// ratios there is `Race`.
enum SingleCalls {
  static func run(_ count: Int, _ instrument: Instrument) -> Samples {
    instrument.run(min(count, 100))
    return times(count, instrument) {}
  }

  /// Each call comes after something else has used the machine.
  static func run(_ count: Int, _ instrument: Instrument, after other: OtherProgram) -> Samples {
    times(count, instrument, other.run)
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
