// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Listening

/// The motion sensor of a watch, of which a recording or a pipe has the readings: they come one by one, at their rate.
///
///     stream.csv ─▶ six numbers and their time, ten times a second
final class MotionSensor: ReadingSource {
  private let path: String
  private let rate, speed: Double
  private let form: WindowForm
  private let recording: String?
  private var lines: LineReadings?
  /// Readings that have come, and are not due yet.
  private var numbers: [Float] = []
  private var times: [Double]?
  /// How many were due, and when the first one was.
  private var due = 0
  private var begin: ContinuousClock.Instant?

  /// - Parameters:
  ///   - path: Lines of readings; - is the standard input.
  ///   - form: The columns that the model takes.
  ///   - rate: Readings per second.
  ///   - speed: How many times as fast they come.
  ///   - recording: The column that says where another recording begins; nil for one.
  init(_ path: String, for form: WindowForm, rate: Double, speed: Double, recording: String?) {
    (self.path, self.form, self.rate, self.speed, self.recording) = (path, form, rate, speed, recording)
  }

  /// Whether there are readings to ask for.
  var isAvailable: Bool {
    path == "-" ? fcntl(STDIN_FILENO, F_GETFD) >= 0 : FileManager.default.fileExists(atPath: path)
  }

  /// The faults of the readings so far.
  var faults: ReadingFaults { lines?.faults ?? ReadingFaults() }

  /// Begins to take readings.
  ///
  /// - Throws: `ListeningError.absent` where the sensor has gone since.
  func start(_ tell: @escaping (String) -> Void) throws(ListeningError) {
    let lines = try LineReadings(path, for: form, rate: rate, recording: recording)
    lines.onFault = tell
    self.lines = lines
  }

  /// The next reading, once it is due.
  func next() throws -> ReadingEvent {
    let count = form.columns.count
    if numbers.isEmpty {
      guard let lines else { return .ended }
      let event = try lines.next()
      guard case .readings(let numbers, let times) = event else { return event }
      (self.numbers, self.times) = (numbers.reversed(), times?.reversed())
    }
    wait()
    let reading = (0..<count).map { _ in numbers.removeLast() }
    return .readings(reading, times: times?.popLast().map { [$0] })
  }

  private func wait() {
    let first = begin ?? .now
    begin = first
    let rest = first + .seconds(Double(due) / rate / speed) - .now
    due += 1
    if rest > .zero { Thread.sleep(forTimeInterval: rest / .seconds(1)) }
  }
}
