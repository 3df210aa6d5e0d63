// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Labels of stretches of time, in Audacity's format: seconds, seconds and a label in each line.
///
///     windows of 4 s every 2 s     walking 0-4   walking 2-6   running 4-8
///     stretches                    walking 0-5                 running 5-8
///
/// A window stands for the hop around its middle, the first one and the last one for the rest as well; windows that follow
/// each other and have one label are one stretch.
public struct LabelTrackWriter: Sendable {
  private let half: Double
  /// Readings in a window.
  private let length: Int
  private var stretch: (begin: Double, end: Double, label: String)?
  private var last: Recognition?

  /// - Parameters:
  ///   - window: Readings in a window.
  ///   - hop: Readings from the beginning of a window to that of the next.
  ///   - rate: Readings per second.
  public init(window: Int, hop: Int, rate: Double) {
    length = window
    half = Double(max(0, window - hop)) / 2 / rate
  }

  /// Takes a window's answer.
  ///
  /// - Returns: The lines of stretches that are over.
  public mutating func add(_ found: Recognition) -> String {
    let label = found.label ?? ""
    // Times that begin anew, as of a clock that is set back, begin a stretch, too.
    let follows =
      last.map {
        $0.window + 1 == found.window && found.place <= $0.place + length && found.begin >= $0.begin
      } ?? false
    last = found
    guard follows, let before = stretch else {
      defer { stretch = (found.begin, found.end, label) }
      return stretch.map(Self.line) ?? ""
    }
    guard before.label != label else {
      stretch?.end = found.end
      return ""
    }
    let border = found.begin + half
    stretch = (border, found.end, label)
    return Self.line((before.begin, border, before.label))
  }

  /// The line of the last stretch.
  public mutating func finish() -> String {
    defer { stretch = nil }
    return stretch.map(Self.line) ?? ""
  }

  private static func line(_ stretch: (begin: Double, end: Double, label: String)) -> String {
    // A character that ends a field or a line would end it in the label, too.
    let label = stretch.label.map { $0 == "\t" || $0.isNewline ? " " : $0 }
    return String(format: "%.6f\t%.6f\t", stretch.begin, stretch.end) + String(label) + "\n"
  }
}
