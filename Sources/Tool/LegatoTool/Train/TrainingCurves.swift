// SPDX-License-Identifier: Apache-2.0

internal import ChartDrawing

/// The curves of a run: the loss and each metric over the epochs, of what is learned from and of what is held back.
struct TrainingCurves {
  let title: String
  let epochs: [TrainingRun.Epoch]
  /// The epoch that is written.
  let best: Int

  var chart: Chart {
    let names = Set(epochs.flatMap(\.scores.keys)).subtracting(["loss"]).sorted()
    let panels = (["loss"] + names).map(panel)
    let note = best > 0 ? ["The best epoch is \(best)."] : []
    return Chart(title, notes: note, rows: panels.map { [$0] })
  }

  private func panel(_ name: String) -> Panel {
    func value(_ scores: [String: Double?]) -> Double? { scores[name].flatMap(\.self) }
    func curve(_ scores: KeyPath<TrainingRun.Epoch, [String: Double?]>) -> [Series.Value] {
      epochs.compactMap { epoch in value(epoch[keyPath: scores]).map { .init(Double(epoch.epoch), $0) } }
    }
    let curves = [
      Series("learned from", .blue, .line(curve(\.scores))),
      Series("held back", .orange, .line(curve(\.validation))),
    ].filter { !$0.isEmpty }
    let values = epochs.flatMap { [value($0.scores), value($0.validation)].compactMap(\.self) }
    let isRatio = values.allSatisfy { $0 > 0 }
    let last = epochs.last?.epoch ?? 1
    let first = min(epochs.first?.epoch ?? 1, max(1, last - 1))
    return Panel(
      name, x: Axis(.number, range: Double(first)...Double(max(last, first + 1))), xTitle: "epoch",
      y: Axis(isRatio ? .ratio : .number), series: curves, height: name == "loss" ? 240 : 150)
  }
}
