// SPDX-License-Identifier: Apache-2.0

import ChartDrawing
import LearningPictures
import LegatoTraining
import Testing

@Suite("Reports and pictures of learning")
struct LearningReportTests {
  private static let training = """
    { "version": 1, "best": 2, "epochs": [
      { "epoch": 1, "scores": { "loss": 2, "accuracy": 0.5 }, "validation": { "loss": 4 }, "seconds": 1 },
      { "epoch": 2, "scores": { "loss": null }, "validation": { "loss": 1 }, "seconds": 1 },
      { "epoch": 3, "scores": { "loss": 0.5 }, "validation": {}, "seconds": 1 } ] }
    """
  private static let evaluation = """
    { "scores": { "loss": 0.5 },
      "confusion": { "labels": ["cat", "dog"], "accuracy": 0.7, "counts": [[3, 1], [2, 4]] } }
    """

  private func run(_ text: String) throws -> TrainingReport {
    guard case .training(let report) = try LearningReport(text.utf8) else { throw NoRun() }
    return report
  }

  private struct NoRun: Error {}

  @Test("reports of before there were versions are read as well")
  func versions() throws {
    let report = try run(Self.training.replacing(#""version": 1, "#, with: ""))
    #expect(report.epochs.map(\.epoch) == [1, 2, 3] && report.best == 2)
    guard case .evaluation(let judged) = try LearningReport(Self.evaluation.utf8) else { throw NoRun() }
    let classes = try #require(judged.confusion?.classes)
    #expect(classes.map(\.examples) == [4, 6] && classes.map(\.recall) == [0.75, 4.0 / 6])
    #expect(classes.map(\.precision) == [0.6, 0.8])
  }

  @Test(
    "what is no report, or of another version, is told",
    arguments: [
      ("", "is no report of legato train --report, or of legato evaluate --json"),
      ("[1]", "is no report of legato train --report, or of legato evaluate --json"),
      (#"{ "files": [] }"#, "is no report of legato train --report, or of legato evaluate --json"),
      (
        #"{ "version": 2, "epochs": [] }"#,
        "is a report of version 2, of another legato; this one reads version 1"
      ),
      (
        #"{ "epochs": [], "best": 0 }"#, "is of a run without a whole epoch; there is nothing to draw"
      ),
      (
        #"{ "epochs": [{ "epoch": 1 }], "best": 0 }"#,
        "is a damaged report: 'epochs.[0].scores' is missing or"
      ),
      (
        #"{ "epochs": [{ "epoch": "a" }], "best": 0 }"#,
        "is a damaged report: 'epochs.[0].epoch' is missing or"
      ),
      (
        #"{ "scores": {}, "confusion": { "labels": ["a"], "accuracy": 1, "counts": [[1, 2]] } }"#,
        "is a damaged report: its classes are 1, and its table is of others"
      ),
      (
        #"{ "epochs": [{ "epoch": -9223372036854775808, "scores": {}, "validation": {}, "seconds": 1 }], "best": 0 }"#,
        "is a damaged report: epochs are counted from 1"
      ),
      (
        #"{ "scores": {}, "confusion": { "labels": ["a"], "accuracy": 1e300, "counts": [[1]] } }"#,
        "is a damaged report: its classes are 1, and its table is of others"
      ),
      (
        #"{ "scores": {}, "confusion": { "labels": ["a"], "accuracy": 1, "counts": [[-1]] } }"#,
        "is a damaged report: its classes are 1, and its table is of others"
      ),
    ])
  func refusals(text: String, message: String) throws {
    do {
      _ = try LearningReport(text.utf8)
      Issue.record("\(text) is read")
    } catch { #expect(error.message.hasPrefix(message), "\(error.message)") }
  }

  @Test("a run has two curves, gaps where a loss is no number, and a dot at the best epoch")
  func curves() throws {
    let panels = try LearningCurves("Run", [.init("run", run(Self.training))]).panels
    #expect(panels.map(\.title) == ["loss", "accuracy"])
    let series = panels[0].series
    #expect(series.map(\.name) == ["learned from", "held back", ""])
    guard case .line(let learned) = series[0].shape, case .line(let held) = series[1].shape,
      case .dottedLine(let best) = series[2].shape
    else { throw NoRun() }
    #expect(learned.map(\.y.isNaN) == [false, true, false] && held.map(\.y.isNaN) == [false, false, true])
    #expect(best == [Series.Value(2, 1)])
    let notes = try LearningCurves("Run", [.init("run", run(Self.training))]).chart.notes
    #expect(notes == ["The best epoch is 2.", "1 epoch without a finite loss, left as a gap."])
  }

  @Test("several runs have a colour each, and what was learned from is thin")
  func runs() throws {
    let report = try run(Self.training)
    let panel = LearningCurves("Runs", [.init("a", report), .init("b", report)]).panels[0]
    #expect(panel.series.map(\.name) == ["", "a", "", "", "b", ""])
    #expect(panel.series.map(\.tint) == [.blue, .blue, .blue, .orange, .orange, .orange])
    // No loss is a number: the panel is there, and empty.
    let odd = try run(
      #"{ "epochs": [{ "epoch": 1, "scores": { "loss": null }, "validation": {}, "seconds": 1 }], "best": 0 }"#
    )
    #expect(LearningCurves("Odd", [.init("", odd)]).panels.map(\.series.count) == [0])
    #expect(LearningCurves("Odd", [.init("", odd)]).chart.svg.contains("</svg>"))
  }

  @Test("a confusion matrix has a field for each pair that there is, right ones apart from wrong ones")
  func confusion() throws {
    guard case .evaluation(let judged) = try LearningReport(Self.evaluation.utf8) else { throw NoRun() }
    let picture = ConfusionPicture("Pets", try #require(judged.confusion))
    #expect(picture.chart.notes == ["70.0 % of 10 examples right"])
    let table = picture.rows[0][0]
    guard case .cells(let right) = table.series[0].shape, case .cells(let wrong) = table.series[1].shape
    else {
      throw NoRun()
    }
    // The first class stands at the top.
    #expect(
      right.map(\.words) == [["3", "75%"], ["4", "67%"]] && right[0].y == 1...2 && right[0].x == 0...1)
    #expect(
      wrong.map(\.words) == [["1", "25%"], ["2", "33%"]] && wrong[0].y == 1...2 && wrong[0].x == 1...2)
    let svg = picture.chart.svg
    for word in ["cat", "dog", "75 %", "predicted", "recall", "precision"] {
      #expect(svg.contains(">\(word)<"))
    }
  }
}
