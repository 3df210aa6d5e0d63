// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato

/// A delay by a signal that was asked for frames outside of its range, and how often.
public struct OutsideDelay: Hashable, Sendable, CustomStringConvertible {
  public let delay: ProgramLayout.SignalDelay
  /// Samples that asked for less, or more, and got the nearest.
  public let samples: Int
  /// The file of the model, as it was named.
  public let model: String

  /// `wet (echo.json:12:31): 1234 samples asked for delays outside of 1 to 4800 frames, and got the nearest`
  public var description: String {
    "\(heading): \(Self.sentence(samples)) of \(delay.range.lowerBound) to "
      + "\(counted(delay.range.upperBound, "frame")), and got the nearest"
  }

  /// `wet (echo.json:12:31)`
  public var heading: String {
    let name = delay.name.isEmpty ? "a delay" : delay.name
    let place = delay.line.map { line in " (\(delay.file ?? model):\(line):\(delay.column ?? 1))" } ?? ""
    return name + place
  }

  /// `1234 samples asked for delays outside`
  package static func sentence(_ samples: Int) -> String {
    "\(counted(samples, "sample")) asked for delays outside"
  }
}

extension [OutsideDelay] {
  /// The most of them that messages list.
  private static var mostSaid: Int { 8 }

  /// Samples of all of them.
  package var samples: Int { reduce(0) { $0 + $1.samples } }

  /// A line for each, the worst first; where there are many, the rest of them together.
  public var sentences: [String] {
    let worst = sorted { $0.samples > $1.samples }
    let rest = Array(worst.dropFirst(Self.mostSaid))
    let said = worst.prefix(Self.mostSaid).map(\.description)
    guard !rest.isEmpty else { return said }
    return said + [
      "\(counted(rest.count, "more delay")): \(OutsideDelay.sentence(rest.samples)) of what they keep, and got the nearest"
    ]
  }
}
