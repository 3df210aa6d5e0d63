// SPDX-License-Identifier: Apache-2.0

internal import Legato
internal import LegatoTraining

/// Rounds of learning: loss, gradient and update of a batch, through the trainer.
struct TrainingRows {
  let options: Options
  let race: Race
  let table: Table

  private static let headName = "learn a head of 256 to 2, a batch of 2"

  func run() throws {
    guard options.wants(Self.headName) else { return }
    table.section("learning, a step and an update through the trainer")
    let row = (0..<512).map { "\(Float($0 * 37 % 101) / 500 - 0.1)" }.joined(separator: ", ")
    let model = try Model(
      """
      { "legato": 1, "name": "head", "clock": "step", "inputs": { "x": { "shape": [256] } },
        "weights": { "w": [\(row)], "b": [0, 0] },
        "graph": { "y": "dense(x, reshape('w', [2, 256]), 'b')" }, "outputs": ["y"] }
      """)
    var task = TrainingTask(loss: "crossEntropy(y, target)", batch: 2)
    task.targets = ["target": []]
    let trainer = try Trainer(model, task, optimizer: .sgd(rate: 1e-6))
    var batch = Batch()
    for example in 0..<2 {
      let x = (0..<256).map { Float(($0 + example) * 29 % 97) / 50 - 1 }
      batch.add(["x": x, "target": [Float(example)]])
    }
    let samples = race.run([
      Contender(name: Self.headName) { times in
        for _ in 0..<times { _ = try? trainer.train(batch) }
      }
    ])
    table.add(Figure(Self.headName, samples[0]).promised(atMost: 3000))
  }
}
