// SPDX-License-Identifier: Apache-2.0

package import ChartDrawing
internal import Foundation
internal import GraphIR

/// The picture of what a classifier took for what.
///
///                 cat  dog         of each class
///     cat          ▓    ░          recall      ▓▓▓▓▓▓ 92 %
///     dog          ░    ▓          precision   ▓▓▓▓▓ 85 %
///
/// A field is the stronger, the larger its share of the actual class is: blue what is right, orange what is not.
package struct ConfusionPicture {
  private let title: String
  private let report: ConfusionReport

  /// Names of more classes cannot be read.
  package static let mostClasses = 40

  /// - Precondition: there are not too many classes.
  package init(_ title: String, _ report: ConfusionReport) { (self.title, self.report) = (title, report) }

  package var chart: Chart {
    let total = report.classes.reduce(0) { $0 + $1.examples }
    let share = String(format: "%.1f", report.accuracy * 100)
    return Chart(title, notes: ["\(share) % of \(counted(total, "example")) right"], rows: rows)
  }

  /// The panels: of few classes the table and its bars beside each other.
  package var rows: [[Panel]] {
    report.labels.count <= 10 ? [[table, bars]] : [[table], [bars]]
  }

  private var names: [String] { report.labels.map { printable($0) } }

  private var table: Panel {
    let count = report.labels.count
    var right: [Series.Cell] = []
    var wrong: [Series.Cell] = []
    for (actual, row) in report.counts.enumerated() {
      let sum = row.reduce(0, +)
      for (taken, number) in row.enumerated() where number > 0 {
        let share = Double(number) / Double(sum)
        let (x, y) = (Double(taken), Double(count - 1 - actual))
        let cell = Series.Cell(
          x: x...x + 1, y: y...y + 1, share: 0.08 + 0.92 * share,
          // Without a space 100 % fits, too.
          words: [String(number), Self.percent(share).filter { $0 != " " }])
        if taken == actual { right.append(cell) } else { wrong.append(cell) }
      }
    }
    let side = count <= 10 ? 330.0 : 26 * Double(count)
    return Panel(
      "Confusion matrix", notes: ["a row is an actual class; shares are of the row"], x: Axis(names: names),
      xTitle: "predicted",
      y: Axis(names: names.reversed()),
      series: [Series("right", .blue, .cells(right)), Series("wrong", .orange, .cells(wrong))].filter {
        !$0.isEmpty
      },
      height: side)
  }

  /// Recall: how many of a class are found. Precision: how many of what is predicted as a class are of it.
  private var bars: Panel {
    let count = report.labels.count
    var (recall, precision): ([Series.Cell], [Series.Cell]) = ([], [])
    for (index, row) in report.classes.enumerated() {
      let y = Double(count - 1 - index)
      func bar(_ share: Double?, _ low: Double) -> [Series.Cell] {
        share.map { [.init(x: 0...$0, y: y + low...y + low + 0.38, share: 0.75, words: [Self.percent($0)])] }
          ?? []
      }
      recall += bar(row.recall, 0.5)
      precision += bar(row.precision, 0.12)
    }
    return Panel(
      "By class", x: Axis(.number, range: 0...1), xTitle: "share", y: Axis(names: names.reversed()),
      series: [Series("recall", .blue, .cells(recall)), Series("precision", .teal, .cells(precision))],
      height: count <= 10 ? 330 : 26 * Double(count))
  }

  private static func percent(_ share: Double) -> String { String(format: "%.0f %%", share * 100) }
}
