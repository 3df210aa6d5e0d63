// SPDX-License-Identifier: Apache-2.0

import Legato
import TestEquipment
import Testing

@testable import LegatoTraining

/// Models that examples run through before something is learned from them.
@Suite struct AugmentationTests {
  private static func stream(_ name: String, _ graph: String, _ more: String = "") throws -> Model {
    try Model(
      """
      { "legato": 1, "name": "\(name)", "inputs": { "src": { "shape": [2, "frames"] } }, \(more)
        "graph": { "dst": "\(graph)" }, "outputs": ["dst"] }
      """)
  }

  private static func trainer() throws -> Trainer {
    let task = TrainingTask(loss: "mse(dst, target)", window: 12, warmup: 8, batch: 1)
    return try Trainer(
      stream("Learner", "'gain' * src", "\"weights\": { \"gain\": [1] },"), task, optimizer: .sgd(rate: 1))
  }

  /// Each frame is where it was, whether the model looks ahead or not; behind an example it is silent.
  @Test(arguments: [0, 1, 5]) func whatComesLateIsMoved(ahead: Int) throws {
    let model = try Self.stream("Ahead", "0.5 * src + 0.25 * lookahead(src, \(ahead))")
    let augmentation = try Augmentation(model, for: Self.trainer(), input: "src")
    var random = SplitMix(seed: 3)
    // Both examples, so that nothing of the first is left in the second.
    for draw in 1...2 as ClosedRange<UInt64> {
      let rows = (0..<2).map { _ in (0..<20).map { _ in random.float(-1, 1) } }
      let made = try augmentation.changed(["src": rows.flatMap(\.self), "target": [3]], draw: draw)
      let wanted = rows.flatMap { row in
        row.indices.map { 0.5 * row[$0] + 0.25 * ($0 + ahead < row.count ? row[$0 + ahead] : 0) }
      }
      #expect(made["target"] == [3] && made["src"]!.count == wanted.count)
      for (one, other) in zip(made["src"]!, wanted) { #expect(abs(one - other) < 1e-6) }
    }
  }

  @Test func anotherShapeIsRefused() throws {
    let model = try Model(
      """
      { "legato": 1, "name": "Mono", "inputs": { "src": { "shape": [1, "frames"] } },
        "graph": { "dst": "lookahead(src, 3)" }, "outputs": ["dst"] }
      """)
    #expect {
      _ = try Augmentation(model, for: Self.trainer(), input: "src")
    } throws: {
      "\($0)" == "Mono: makes [1, 20] of [1, 20]; 'src' is [2, 20]"
    }
  }
}
