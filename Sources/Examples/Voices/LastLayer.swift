// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Legato
package import LegatoTraining

/// The layer that says whose voice it is, trained on what a frozen encoder made of recordings.
///
///     voice [n] ─▶ spread · (voice - middle) ─▶ dense ─▶ scores [people]      cross entropy, AdamW
///
/// Middle and spread, of the recordings themselves, let a few steps be enough; behind the training they go into the
/// weights, so that what is kept is one layer.
package struct LastLayer {
  /// How it is trained.
  package struct Plan: Sendable {
    package var epochs = 3
    package var rate = 0.01
    package var batch = 16
    package var seed: UInt64 = 1

    package init() {}
  }

  /// Windows from which can be said how far a person's own lie apart; one alone would be infinitely near to itself.
  package static let leastWindows = 4

  /// The reason why a person's recordings are not enough; nil where they are.
  static func shortage(of name: String, _ windows: Int) -> String? {
    guard windows < leastWindows else { return nil }
    return
      "\(name): \(windows) of the \(leastWindows) windows of speech that are the least to train with, some 4 s; "
      + "legato-voices record \(name) --add records more"
  }

  /// [people, n]
  package let weight: [[Float]]
  package let bias: [Float]
  /// The share of the training's windows that it takes for whose they are.
  package let accuracy: Double

  /// - Parameters:
  ///   - rows: embeddings of each person.
  ///   - progress: is told of each batch.
  /// - Throws: `TrainingError`, or what `progress` throws.
  package init(
    _ rows: [[[Float]]], _ plan: Plan,
    progress: (Trainer.Progress) throws -> Trainer.Decision = { _ in .goOn }
  ) throws {
    let all = rows.flatMap { $0 }
    let count = all[0].count
    let middle: [Float] = (0..<count).map { column in
      all.reduce(Float(0)) { $0 + $1[column] } / Float(all.count)
    }
    var power: Float = 0
    for row in all { for (number, mean) in zip(row, middle) { power += (number - mean) * (number - mean) } }
    let spread = 1 / max(1e-6, (power / Float(all.count * count)).squareRoot())
    var examples = Examples()
    // People with fewer windows are shown more often: each is as likely.
    let most = rows.map(\.count).max() ?? 0
    for (person, own) in rows.enumerated() {
      for index in 0..<most {
        let row = own[index % own.count]
        examples.voices.append(zip(row, middle).map { spread * ($0 - $1) })
        examples.people.append(Float(person))
      }
    }
    let zeros = [Float](repeating: 0, count: count)
    let text = """
      { "legato": 1, "name": "Last layer", "clock": "step", "inputs": { "voice": { "shape": [\(count)] } },
        "weights": { "head.weight": \(rows.map { _ in zeros }), "head.bias": \(rows.map { _ in 0 }) },
        "graph": { "scores": "dense(voice, 'head.weight', 'head.bias')" }, "outputs": ["scores"] }
      """
    let task = TrainingTask(
      loss: "crossEntropy(scores, target)", targets: ["target": []],
      batch: min(plan.batch, examples.count))
    let trainer = try Trainer(Model(text), task, optimizer: .adamW(rate: plan.rate))
    try trainer.fit(examples, epochs: plan.epochs, seed: plan.seed, progress: progress)
    let learned = (trainer.weights(named: "head.weight")?.values ?? [])
    let offsets = trainer.weights(named: "head.bias")?.values ?? []
    weight = rows.indices.map { person in learned[person * count..<(person + 1) * count].map { spread * $0 } }
    bias = zip(weight, offsets).map { row, offset in
      zip(row, middle).reduce(offset) { $0 - $1.0 * $1.1 }
    }
    accuracy = try trainer.judged(examples).confusion?.accuracy ?? 0
  }

  private struct Examples: Dataset {
    var voices: [[Float]] = []
    var people: [Float] = []
    var count: Int { people.count }

    func item(_ index: Int) -> [String: [Float]] { ["voice": voices[index], "target": [people[index]]] }
  }
}
