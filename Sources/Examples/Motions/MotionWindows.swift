// SPDX-License-Identifier: Apache-2.0

internal import Legato

/// The wearer's movements, window by window: readings gather in an array until it is full, then there is a prediction,
/// whose state goes into the next one by itself.
///
///     reading ─▶ [50 x 6] ─▶ Activity ─▶ label, probability
///                              └ hidden and cell state stay in it
struct MotionWindows: ~Copyable {
  struct Answer {
    /// Seconds: of the readings' own times, or since the first one.
    let begin, end: Double
    let label: Activity.Label
    let probability: Float
  }

  private var activity: Activity
  private let rate: Double
  private var motion: [Float] = []
  /// The place of the window's first reading, and its time.
  private var place = 0
  private var begin = 0.0

  private static let length = Activity.motionShape[0]

  /// - Parameter rate: Readings per second.
  init(_ activity: consuming Activity, rate: Double) {
    self.activity = activity
    self.rate = rate
  }

  /// Takes a reading.
  ///
  /// - Returns: The answer of the window that is full then.
  mutating func take(_ reading: [Float], at time: Double?) throws -> Answer? {
    let now = place + motion.count / reading.count
    if motion.isEmpty { begin = time ?? Double(now) / rate }
    motion += reading
    guard motion.count == Self.length * reading.count else { return nil }
    let output = try activity.prediction(motion: motion)
    (motion, place) = ([], now + 1)
    let probability = output.probabilities(of: output.label)
    return Answer(
      begin: begin, end: time.map { $0 + 1 / rate } ?? Double(now + 1) / rate, label: output.label,
      probability: probability)
  }

  /// Forgets what it has heard, since so many readings are missing.
  mutating func forget(missing: Int) {
    place += motion.count / Activity.motionShape[1] + missing
    motion = []
    activity.reset()
  }

  /// Begins anew, with another recording.
  mutating func reset() {
    forget(missing: 0)
    place = 0
  }
}
