// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import LearningPictures
internal import LegatoTraining

extension ConfusionReport {
  /// - Parameter labels: the names of the classes; nil for their numbers.
  init(_ confusion: Confusion, labels: [String]?) {
    let names = confusion.counts.indices.map { row in
      labels.flatMap { $0.indices ~= row ? $0[row] : nil } ?? String(row)
    }
    self.init(labels: names, accuracy: confusion.accuracy, counts: confusion.counts)
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
        + Console.table([[""] + names] + rows) + "\n"
    }
    let mixed = counts.indices.flatMap { row in
      counts.indices.filter { $0 != row && counts[row][$0] > 0 }.map { (row, $0, counts[row][$0]) }
    }.sorted { ($1.2, $0.0, $0.1) < ($0.2, $1.0, $1.1) }
    return console.heading("\(share); taken for others most often") + "\n"
      + Console.table(mixed.prefix(20).map { [names[$0], "for \(names[$1])", String($2)] }) + "\n"
  }
}
