// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// One line of the tables.
struct Figure: Codable {
  enum Unit: String, Codable {
    case nanoseconds = "ns"
    case milliseconds = "ms"
    case times = "x"
    case mebibytes = "MiB"
    case instructions = "instr"

    /// How many of it a nanosecond is.
    fileprivate var ofNanosecond: Double { self == .milliseconds ? 1e-6 : 1 }
  }

  /// A promise, and whether it is kept here.
  struct Bar: Codable {
    /// Such as `≤ 1.2 x hand + 20 ns`.
    var promise: String
    var isKept: Bool
  }

  var name: String
  var unit: Unit
  var median: Double
  /// Of batches; nil where the figure is no time.
  var p99: Double?
  /// The reference of the time, its median, and the median of the quotients.
  var reference: String?
  var referenceMedian: Double?
  var ratio: Double?
  var bars: [Bar] = []
  /// The thread's counts meanwhile; nil where the figure is not of an execute.
  var watched: WatchedExecutes?

  init(_ name: String, _ samples: Samples, unit: Unit = .nanoseconds) {
    let scale = unit.ofNanosecond
    self.name = name
    self.unit = unit
    median = samples.median * scale
    p99 = samples.p99 * scale
  }

  /// Of executes, which are watched as well.
  init(_ name: String, _ samples: Samples, of instrument: Instrument) {
    self.init(name, samples)
    watched = WatchedExecutes(instrument)
  }

  /// A figure that is no time.
  init(_ name: String, _ value: Double, unit: Unit) {
    (self.name, self.unit, median) = (name, unit, value)
  }

  /// The geometric mean of the figures' ratios.
  static func average(_ name: String, of figures: [Figure]) -> Figure {
    let ratios = figures.compactMap(\.ratio)
    let sum = ratios.reduce(0) { $0 + log($1) }
    return Figure("\(name) \(ratios.count)", exp(sum / Double(max(1, ratios.count))), unit: .times)
  }

  func compared(to other: Samples, of samples: Samples, _ name: String) -> Figure {
    var figure = self
    figure.reference = name
    figure.referenceMedian = other.median * unit.ofNanosecond
    figure.ratio = samples.ratio(to: other)
    return figure
  }

  func promised(_ promise: String, _ isKept: Bool) -> Figure {
    var figure = self
    figure.bars.append(Bar(promise: promise, isKept: isKept))
    return figure
  }

  /// Promises a time of at most so many units.
  func promised(atMost limit: Double) -> Figure {
    promised("≤ \(Table.number(limit)) \(unit.rawValue)", median <= limit)
  }

  /// Promises a figure of at least so many units.
  func promised(atLeast limit: Double) -> Figure {
    promised("≥ \(Table.number(limit)) \(unit.rawValue)", median >= limit)
  }
}
