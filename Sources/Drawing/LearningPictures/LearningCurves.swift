// SPDX-License-Identifier: Apache-2.0

package import ChartDrawing
internal import GraphIR
internal import LegatoTraining

/// The curves of runs: the loss and each metric over the epochs, of what is learned from and of what is held back.
///
///     one run       learned from ──   held back ──   a dot at the best epoch
///     several       a colour for each; held back thick, learned from thin
///
/// A number that is not finite leaves a gap.
package struct LearningCurves {
  package struct Run {
    package let name: String
    package let report: TrainingReport

    package init(_ name: String, _ report: TrainingReport) { (self.name, self.report) = (name, report) }
  }

  private let title: String
  private let runs: [Run]

  /// More runs cannot be told apart.
  package static let mostRuns = Tint.several.count

  /// - Precondition: there is a run at least, and not too many.
  package init(_ title: String, _ runs: [Run]) {
    precondition((1...Self.mostRuns).contains(runs.count), "runs that can be told apart")
    (self.title, self.runs) = (title, runs)
  }

  package var chart: Chart {
    Chart(title, notes: notes, rows: panels.map { [$0] })
  }

  private var notes: [String] {
    let isSingle = runs.count == 1
    var notes =
      isSingle ? [] : ["Thick is what was held back, thin what was learned from; a dot is the best epoch."]
    for run in runs {
      let gaps = run.report.epochs.count { Self.value($0.scores, "loss") == nil }
      let name = isSingle ? "" : printable(run.name) + ": "
      if isSingle, run.report.best > 0 { notes.append("The best epoch is \(run.report.best).") }
      if gaps > 0 { notes.append("\(name)\(counted(gaps, "epoch")) without a finite loss, left as a gap.") }
    }
    return notes
  }

  private static func value(_ scores: [String: Double?], _ name: String) -> Double? {
    scores[name].flatMap(\.self).flatMap { $0.isFinite ? $0 : nil }
  }

  private func curve(
    _ run: Run, _ scores: KeyPath<TrainingSession.Epoch, [String: Double?]>, _ name: String
  ) -> [Series.Value] {
    let values = run.report.epochs.map { epoch in
      Series.Value(Double(epoch.epoch), Self.value(epoch[keyPath: scores], name) ?? .nan)
    }
    return values.contains { !$0.y.isNaN } ? values : []
  }

  package var panels: [Panel] {
    let epochs = runs.flatMap(\.report.epochs)
    let names = Set(epochs.flatMap { Array($0.scores.keys) + $0.validation.keys }).subtracting(["loss"])
      .sorted()
    return (["loss"] + names).map(panel).filter { !$0.series.isEmpty || $0.title == "loss" }
  }

  private func panel(_ name: String) -> Panel {
    var series: [Series] = []
    for (run, tint) in zip(runs, Tint.several) {
      let (learned, held) = (curve(run, \.scores, name), curve(run, \.validation, name))
      if runs.count == 1 {
        series += [Series("learned from", .blue, .line(learned)), Series("held back", .orange, .line(held))]
      } else {
        let label = printable(run.name)
        series.append(
          Series(held.isEmpty ? label : "", tint, held.isEmpty ? .line(learned) : .thinLine(learned)))
        series.append(Series(label, tint, .line(held)))
      }
      let judged = held.isEmpty ? learned : held
      if name == "loss", let best = judged.first(where: { $0.x == Double(run.report.best) }) {
        series.append(Series("", runs.count > 1 ? tint : held.isEmpty ? .blue : .orange, .dottedLine([best])))
      }
    }
    series.removeAll(where: \.isEmpty)
    let values = series.flatMap(\.values).map(\.y).filter(\.isFinite)
    // Ratios where numbers go down by much; what lies close together is read off better as it is.
    let isRatio = values.allSatisfy { $0 > 0 } && (values.max() ?? 1) > 8 * (values.min() ?? 1)
    let numbers = runs.flatMap(\.report.epochs).map(\.epoch)
    let last = numbers.max() ?? 1
    let first = min(numbers.min() ?? 1, max(1, last - 1))
    return Panel(
      printable(name), x: Axis(.number, range: Double(first)...Double(max(last, first + 1))), xTitle: "epoch",
      y: Axis(isRatio ? .ratio : .number), series: series, height: name == "loss" ? 240 : 150)
  }
}

extension Series {
  fileprivate var values: [Value] {
    switch shape {
    case .line(let values), .dottedLine(let values), .thinLine(let values): values
    case .band, .paleBand, .cells, .raster, .marks: []
    }
  }
}
