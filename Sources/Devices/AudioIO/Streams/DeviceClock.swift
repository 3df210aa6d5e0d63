// SPDX-License-Identifier: Apache-2.0

/// A device's clock against the computer's: its drift, and frames that were lost unreported.
///
///     deviation = frames the device has come - nominal rate × time
///
///     │      . ˙ .˙             the slope of a line through the deviations is the drift:
///     │  . ˙ .                  frames a second beside the nominal rate
///     │ ˙         │             a step down that stays is a loss: the process stood still,
///     │           │. ˙ . ˙      and a server threw away what it could not keep
///
/// Positions are noisy, as a thread may be held up between the look at the device and at the clock: a single one that
/// lies too low means nothing. The line is fitted by least squares, over all looks since the last start or step.
package struct DeviceClock: Sendable {
  private let rate: Double
  /// A step of fewer frames is noise: devices may tell their position by whole periods.
  private let threshold: Double
  private var looks = 0.0
  private var origin: Int64 = 0
  private var sumOfTimes = 0.0
  private var sumOfSquares = 0.0
  private var sumOfDeviations = 0.0
  private var sumOfProducts = 0.0
  private var firstTime = 0.0
  private var lastTime = 0.0
  /// The recent level of the deviation.
  private var level = 0.0
  /// Looks in a row that lay too low, and the highest of them.
  private var lowLooks = 0
  private var highestLow = 0.0

  /// The shortest time after which there is a drift to tell, in seconds.
  static let shortest = 2.0
  /// The number of looks in a row that make a step.
  private static let looksOfStep = 3

  @_noLocks package init(rate: Int, period: Int) {
    self.rate = Double(rate)
    threshold = Double(max(2 * period, rate / 50))
  }

  /// Begins a line at position 0.
  @_noLocks package mutating func start(at time: Int64) {
    origin = time
    (looks, sumOfTimes, sumOfSquares, sumOfDeviations, sumOfProducts) = (0, 0, 0, 0, 0)
    (lastTime, level, lowLooks, highestLow) = (0, 0, 0, 0)
  }

  /// Notes how many frames the device had come at a time, in nanoseconds; returns how many vanished, mostly 0.
  @_noLocks package mutating func look(position: Int, at time: Int64) -> Int {
    let seconds = Double(time - origin) * 1e-9
    let deviation = Double(position) - rate * seconds
    if looks > 0 && deviation < level - threshold {
      highestLow = lowLooks == 0 ? deviation : max(highestLow, deviation)
      lowLooks += 1
      guard lowLooks == Self.looksOfStep else { return 0 }
      let lost = level - highestLow
      // The line goes on from the lower place.
      let place = highestLow
      (looks, sumOfTimes, sumOfSquares, sumOfDeviations, sumOfProducts) = (0, 0, 0, 0, 0)
      (level, lowLooks) = (place, 0)
      return Int(lost)
    }
    lowLooks = 0
    level = looks == 0 ? deviation : level + (deviation - level) / 16
    looks += 1
    sumOfTimes += seconds
    sumOfSquares += seconds * seconds
    sumOfDeviations += deviation
    sumOfProducts += seconds * deviation
    if looks == 1 { firstTime = seconds }
    lastTime = seconds
    return 0
  }

  /// The drift of the device's clock in parts per million; nil where it was not observed for long enough.
  package var drift: Double? { @_noLocks get { fittedDrift() } }

  /// The frames of its clock in so many nanoseconds; at the nominal rate while the drift is not known.
  @_noLocks func frames(in nanoseconds: Int64) -> Int {
    Int(Double(nanoseconds) * 1e-9 * rate * (1 + (drift ?? 0) * 1e-6))
  }

  @_noLocks private func fittedDrift() -> Double? {
    guard lastTime - firstTime >= Self.shortest, looks > 2 else { return nil }
    let spread = looks * sumOfSquares - sumOfTimes * sumOfTimes
    guard spread > 0 else { return nil }
    let slope = (looks * sumOfProducts - sumOfTimes * sumOfDeviations) / spread
    return slope / rate * 1e6
  }
}
