// SPDX-License-Identifier: Apache-2.0

internal import LegatoTraining

/// The numbers of reports: the best epochs, and of a classifier how much of each class is right.
package struct LearningNumbers: Encodable {
  package struct Run: Encodable {
    package let name: String
    package let epochs, best: Int
    /// Of the best epoch; of what was held back where something was.
    package let scores: [String: Double?]
  }

  package struct Class: Encodable {
    package let label: String
    package let examples: Int
    /// The share of the class that is found, and of what is predicted as it that is it; null of none.
    package let recall, precision: Double?
  }

  package let runs: [Run]
  package let classes: [Class]

  package init(_ runs: [LearningCurves.Run], _ evaluation: EvaluationReport?) {
    self.runs = runs.map { run in
      let best = run.report.epochs.first { $0.epoch == run.report.best }
      let scores = best.map { $0.validation.isEmpty ? $0.scores : $0.validation }
      return Run(
        name: run.name, epochs: run.report.epochs.count, best: run.report.best, scores: scores ?? [:])
    }
    let confusion = evaluation?.confusion ?? (runs.count == 1 ? runs[0].report.confusion : nil)
    classes =
      confusion?.classes.map {
        Class(label: $0.label, examples: $0.examples, recall: $0.recall, precision: $0.precision)
      } ?? []
  }
}
