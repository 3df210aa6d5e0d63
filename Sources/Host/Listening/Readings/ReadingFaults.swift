// SPDX-License-Identifier: Apache-2.0

/// The faults of lines of readings, counted.
public struct ReadingFaults: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// Lines with too few or too many fields, or a field that is no finite number.
    case malformed
    /// Lines in whose place on the grid of times there is one already.
    case duplicate
    /// Lines whose place has been passed.
    case late
    /// Readings for which there is no line.
    case missing
  }

  public private(set) var counts: [Kind: Int] = [:]
  private var places: [Kind: Int] = [:]
  /// Lines with a reading that was taken.
  public internal(set) var taken = 0
  /// Readings per second as the times of the lines say; nil where they have none, or too few.
  public internal(set) var seenRate: Double?

  public init() {}

  public var isEmpty: Bool { counts.isEmpty }

  public func count(_ kind: Kind) -> Int { counts[kind] ?? 0 }

  /// In how many places there were some.
  func places(of kind: Kind) -> Int { places[kind] ?? 0 }

  mutating func add(_ kind: Kind, _ count: Int = 1) {
    counts[kind, default: 0] += count
    places[kind, default: 0] += 1
  }

  /// "2 lines malformed, 1 late, 3 readings missing".
  public var summary: String {
    Kind.allCases.compactMap { kind in
      guard let count = counts[kind] else { return nil }
      let noun = kind == .missing ? "reading" : "line"
      return "\(count) \(noun)\(count == 1 ? "" : "s") \(kind.rawValue)"
    }.joined(separator: ", ")
  }
}
