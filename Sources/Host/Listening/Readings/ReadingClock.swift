// SPDX-License-Identifier: Apache-2.0

/// The places of readings on a grid of equal steps, as their times say.
///
///     rate 10     0.00  0.11  0.19  0.19  0.50  0.30
///     place          0     1     2  twice     5  late          3 and 4 are missing
///
/// The grid follows a clock that goes a little faster or slower, and times that waver by up to a seventh of a step.
struct ReadingClock {
  enum Place: Hashable {
    /// The next one, with so many missing before it.
    case next(missing: Int)
    /// There is a reading in this place.
    case taken
    /// The place has been passed.
    case late
  }

  private let rate: Double
  /// The place of the last reading; nil before the first.
  private var last: Double?
  /// The time of place 0 in steps, as far as is known.
  private var phase = 0.0

  /// How much of what a reading is off the grid follows.
  private static let following = 0.1
  /// More that are missing are counted as so many: sums of them stay whole numbers.
  private static let mostMissing = 1e9

  init(rate: Double) { self.rate = rate }

  /// - Parameter time: in seconds.
  mutating func place(of time: Double) -> Place {
    guard let last else {
      (phase, self.last) = (time * rate, 0)
      return .next(missing: 0)
    }
    let exact = time * rate - phase
    let place = exact.rounded()
    guard place > last else { return place == last ? .taken : .late }
    phase += Self.following * (exact - place)
    self.last = place
    return .next(missing: Int(min(place - last - 1, Self.mostMissing)))
  }
}
