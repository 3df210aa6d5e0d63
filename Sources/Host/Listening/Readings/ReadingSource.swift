// SPDX-License-Identifier: Apache-2.0

/// Where readings come from: one after the other, each of as many numbers as the model has columns.
public protocol ReadingSource: AnyObject {
  /// Waits for a moment, and hands over what came in it.
  ///
  /// - Throws: `ListeningError.absent` where the source is not there any more, `ListeningError.data` where what it gives
  ///   can be no readings; or an error of the source's own.
  func next() throws -> ReadingEvent
}

/// An event of a source.
public enum ReadingEvent: Hashable, Sendable {
  /// The numbers of one reading, then those of the next; and the time of each in seconds, where the source knows it.
  case readings([Float], times: [Double]? = nil)
  /// Nothing came in the moment.
  case nothing
  /// So many readings are missing: what was remembered is of no use behind them, and all begins anew.
  case gap(Int)
  /// A recording of its own begins, with this name: time and memory begin anew.
  case recording(String)
  /// Nothing will come any more.
  case ended
}

/// Readings that a function gives, such as those of a sensor.
///
///     let sensor = ClosureReadings {
///       guard accelerometer.isAvailable else { throw ListeningError.absent("accelerometer: is switched off") }
///       return accelerometer.read()          // [x, y, z], nil once it has ended
///     }
public final class ClosureReadings: ReadingSource {
  private let take: () throws -> [Float]?

  /// - Parameter take: waits for readings and hands over their numbers, none where nothing came; nil for the end.
  public init(_ take: @escaping () throws -> [Float]?) { self.take = take }

  public func next() throws -> ReadingEvent {
    guard let numbers = try take() else { return .ended }
    return numbers.isEmpty ? .nothing : .readings(numbers)
  }
}
