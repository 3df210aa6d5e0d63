// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import LegatoTraining

/// What a classifier took for what, with the names of the classes.
struct ConfusionReport: Encodable {
  let labels: [String]
  let accuracy: Double
  /// By the actual class, then by the one that it was taken for.
  let counts: [[Int]]

  init(_ confusion: Confusion, labels: [String]?) {
    (counts, accuracy) = (confusion.counts, confusion.accuracy)
    self.labels = counts.indices.map { row in
      labels.flatMap { $0.indices ~= row ? $0[row] : nil } ?? String(row)
    }
  }

  /// The most classes that a terminal has room for.
  private static let widest = 16

  /// A row for each class; of many classes, those pairs that are mixed up most.
  func text(_ console: Console) -> String {
    let names = labels.map { printable($0, limit: 16) }
    let share = "right: \(decimals(accuracy * 100)) %"
    guard counts.count > Self.widest else {
      let rows = counts.enumerated().map { row, counts in [names[row]] + counts.map(String.init) }
      return console.heading("actual, by what it was taken for; \(share)") + "\n"
        + console.table([[""] + names] + rows) + "\n"
    }
    let mixed = counts.indices.flatMap { row in
      counts.indices.filter { $0 != row && counts[row][$0] > 0 }.map { (row, $0, counts[row][$0]) }
    }.sorted { ($1.2, $0.0, $0.1) < ($0.2, $1.0, $1.1) }
    return console.heading("\(share); taken for others most often") + "\n"
      + console.table(mixed.prefix(20).map { [names[$0], "for \(names[$1])", String($2)] }) + "\n"
  }
}
