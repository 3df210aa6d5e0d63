// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// How the rate of learning changes from step to step.
///
///     .warmup(steps: 100, then: .cosine(steps: 900))
///
///     1     ╭──╮
///          ╱    ╲
///     0   ╱      ╲___
///         0   100     1000
public indirect enum Schedule: Hashable, Sendable, Codable {
  case constant
  /// Rises on a line over so many steps, then goes as another schedule does, which counts steps from there on; nil rests.
  case warmup(steps: Int, then: Schedule? = nil)
  /// Falls on a line to a share of the rate after so many steps.
  case linear(steps: Int, to: Double = 0)
  /// Falls along half a cosine to a share of the rate after so many steps.
  case cosine(steps: Int, to: Double = 0)
  /// Times a factor every so many steps.
  case steps(every: Int, factor: Double)

  /// The share of the rate in a step, counted from 1.
  package func factor(step: Int) -> Double {
    func way(_ steps: Int) -> Double { min(1, Double(step - 1) / Double(max(1, steps))) }
    switch self {
    case .constant: return 1
    case .warmup(let steps, let next):
      return step <= steps ? Double(step) / Double(steps) : next?.factor(step: step - max(0, steps)) ?? 1
    case .linear(let steps, let end): return 1 + (end - 1) * way(steps)
    case .cosine(let steps, let end): return end + (1 - end) * (1 + cos(Double.pi * way(steps))) / 2
    case .steps(let every, let factor): return pow(factor, Double((step - 1) / max(1, every)))
    }
  }

  /// The flaw of a schedule that somebody else wrote, in words; nil for none.
  var flaw: String? {
    let (count, share) =
      switch self {
      case .constant: (1, 1.0)
      case .warmup(let steps, _): (steps, 1.0)
      case .linear(let steps, let share), .cosine(let steps, let share), .steps(let steps, let share):
        (steps, share)
      }
    guard count >= 1, share.isFinite, share >= 0 else {
      return "the schedule counts steps from 1 on, and shares from 0 on"
    }
    return if case .warmup(_, let next?) = self { next.flaw } else { nil }
  }

  // MARK: Text

  /// A schedule as `legato train --schedule` takes it: "warmup:STEPS", "linear:STEPS[:TO]", "cosine:STEPS[:TO]" or
  /// "steps:EVERY:FACTOR", or a warm-up and another one behind it, "warmup:100,cosine:900:0.1"; nil for other texts.
  public init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self(single: $0) }
    switch (parts.first, parts.count) {
    case (let only??, 1): self = only
    case (.warmup(let steps, nil)??, 2):
      guard let next = parts[1] else { return nil }
      if case .warmup = next { return nil }
      self = .warmup(steps: steps, then: next)
    case _: return nil
    }
  }

  /// "cosine:900:0.1"
  private init?(single text: Substring) {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(fields.count), let steps = Int(fields[1]), (1...1_000_000_000).contains(steps)
    else {
      return nil
    }
    let share = fields.count == 3 ? Double(fields[2]) ?? .nan : nil
    guard share.map({ (0...1).contains($0) }) ?? true else { return nil }
    switch (fields[0], share) {
    case ("warmup", nil): self = .warmup(steps: steps)
    case ("linear", _): self = .linear(steps: steps, to: share ?? 0)
    case ("cosine", _): self = .cosine(steps: steps, to: share ?? 0)
    case ("steps", let factor?): self = .steps(every: steps, factor: factor)
    case _: return nil
    }
  }
}
