// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A value that an axis names.
struct Tick: Hashable, Sendable {
  var value: Double
  var label: String

  /// A number as it is called by itself.
  static func number(_ value: Double) -> String { Axis.number(value, step: max(1, abs(value))) }
}

extension Axis {
  /// The ticks of a domain, from low to high, at most so many.
  func ticks(over domain: ClosedRange<Double>, most: Int) -> [Tick] {
    if let names {
      return names.enumerated().map {
        Tick(value: Double($0) + 0.5, label: PanelDrawing.cut($1, columns: 24))
      }
    }
    let values =
      switch quantity {
      case .number, .decibels, .time: multiples(over: domain, most: most)
      case .ratio, .frequency: Self.decades(over: domain, most: most)
      case .powerOfTwo: Self.powersOfTwo(over: domain, most: most)
      }
    return values.map { Tick(value: $0, label: label(of: $0, over: domain, most: most)) }
  }

  // MARK: Which values

  /// The distance of ticks where equal ways are equal differences.
  func step(over domain: ClosedRange<Double>, most: Int) -> Double {
    let least = (domain.upperBound - domain.lowerBound) / Double(max(1, most))
    let fine = Self.round125(least)
    switch quantity {
    case .number, .ratio, .powerOfTwo, .frequency: return fine
    case .decibels: return least <= 1 ? fine : Self.decibelSteps.first { $0 >= least } ?? fine
    case .time: return least <= 5 ? fine : Self.timeSteps.first { $0 >= least } ?? fine
    }
  }

  private static let decibelSteps: [Double] = [1, 2, 3, 6, 12, 24, 48, 96, 192]
  /// Seconds, up to a day.
  private static let timeSteps: [Double] = [
    10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
  ]

  /// The least number of 1, 2 or 5 times a power of ten that is no less.
  static func round125(_ least: Double) -> Double {
    let power = pow(10, log10(least).rounded(.down))
    // 9.999999 is as good as 10.
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least * 0.999999 } ?? 10 * power
  }

  /// The greatest such number that is no greater.
  static func floor125(_ most: Double) -> Double {
    let power = pow(10, log10(most).rounded(.down))
    return [5, 2, 1].map { $0 * power }.first { $0 <= most * 1.000001 } ?? power
  }

  private func multiples(over domain: ClosedRange<Double>, most: Int) -> [Double] {
    let step = step(over: domain, most: most)
    // A tick at an end of the domain is in it, whatever the division rounds to.
    let first = (domain.lowerBound / step - 1e-6).rounded(.up)
    let last = (domain.upperBound / step + 1e-6).rounded(.down)
    guard first <= last else { return [] }
    return stride(from: first, through: last, by: 1).map { $0 == 0 ? 0 : $0 * step }
  }

  /// 1, 2 and 5 times the powers of ten; where these are too many, the powers, or some of them.
  private static func decades(over domain: ClosedRange<Double>, most: Int) -> [Double] {
    let (low, high) = (log10(domain.lowerBound).rounded(.down), log10(domain.upperBound).rounded(.up))
    func values(_ factors: [Double], every distance: Double) -> [Double] {
      let within = domain.lowerBound * 0.999999...domain.upperBound * 1.000001
      let powers = stride(from: low, through: high, by: distance).map { pow(10, $0) }
      return powers.flatMap { power in factors.map { $0 * power } }.filter(within.contains)
    }
    let fine = values([1, 2, 5], every: 1)
    if fine.count <= most { return fine }
    for distance in 1...100 {
      let coarse = values([1], every: Double(distance))
      if coarse.count <= max(1, most) { return coarse }
    }
    return []
  }

  private static func powersOfTwo(over domain: ClosedRange<Double>, most: Int) -> [Double] {
    let first = (log2(domain.lowerBound) - 1e-6).rounded(.up)
    let last = (log2(domain.upperBound) + 1e-6).rounded(.down)
    guard first <= last else { return [] }
    let distance = ((last - first + 1) / Double(max(1, most))).rounded(.up)
    return stride(from: first, through: last, by: distance).map { pow(2, $0) }
  }

  // MARK: What they are called

  private func label(of value: Double, over domain: ClosedRange<Double>, most: Int) -> String {
    switch quantity {
    case .number, .decibels: return Self.number(value, step: step(over: domain, most: most))
    case .ratio, .powerOfTwo: return Self.number(value, step: value)
    case .frequency:
      return value < 1000
        ? Self.number(value, step: value) + " Hz" : Self.number(value / 1000, step: value / 1000) + " kHz"
    case .time: return Self.time(value, step: step(over: domain, most: most), longest: domain.upperBound)
    }
  }

  /// "1.5 ms", "0.5 s", "1:30", "2:00:00".
  private static func time(_ seconds: Double, step: Double, longest: Double) -> String {
    if seconds == 0 { return "0" }
    if abs(longest) < 1 { return number(seconds * 1000, step: step * 1000) + " ms" }
    if abs(longest) < 60 || step < 1 || abs(seconds) > 1e9 { return number(seconds, step: step) + " s" }
    let whole = Int(abs(seconds).rounded())
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let sign = seconds < 0 ? "−" : ""
    let clock = "\(two(whole % 60))"
    return whole < 3600
      ? "\(sign)\(whole / 60):\(clock)" : "\(sign)\(whole / 3600):\(two(whole / 60 % 60)):\(clock)"
  }

  /// With as many decimals as tell one tick from the next, and a true minus.
  static func number(_ value: Double, step: Double) -> String {
    guard value != 0 else { return "0" }
    let decimals = max(0, -Int(log10(max(abs(step), 1e-30) * 1.000001).rounded(.down)))
    guard abs(value) < 1e15, decimals <= 6 else {
      let exponent = Int(log10(abs(value)).rounded(.down))
      let mantissa = value / pow(10, Double(exponent))
      return number(mantissa, step: 0.1) + "e\(exponent)".replacing("-", with: "−")
    }
    let text = String(format: "%.\(decimals)f", abs(value))
    return (value < 0 ? "−" : "") + text
  }
}
