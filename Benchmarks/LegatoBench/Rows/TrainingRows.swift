// SPDX-License-Identifier: Apache-2.0

internal import HandKernels
internal import Legato
internal import LegatoTraining

/// Rounds of learning: loss, gradient and update of a batch, through the trainer.
struct TrainingRows {
  let options: Options
  let race: Race
  let table: Table

  /// A round of learning, and the most nanoseconds that it may take.
  private struct Round: Sendable {
    let name: String
    var most: Double?
    let trainer: @Sendable () throws -> Trainer
  }

  private static let rounds = [
    Round(name: "learn a head of 256 to 2, a batch of 2", most: 3000) {
      let row = (0..<512).map { "\(Float($0 * 37 % 101) / 500 - 0.1)" }.joined(separator: ", ")
      let model = try Model(
        """
        { "legato": 1, "name": "head", "clock": "step", "inputs": { "x": { "shape": [256] } },
          "weights": { "w": [\(row)], "b": [0, 0] },
          "graph": { "y": "dense(x, reshape('w', [2, 256]), 'b')" }, "outputs": ["y"] }
        """)
      var task = TrainingTask(loss: "crossEntropy(y, target)", batch: 2)
      task.targets = ["target": []]
      return try Trainer(model, task, optimizer: .sgd(rate: 1e-6))
    },
    Round(name: "learn an LSTM 16, 4800 frames, a batch of 1", most: 2e6) { try recurrent(batch: 1) },
    Round(name: "learn an LSTM 16, 4800 frames, a batch of 16", most: 10e6) { try recurrent(batch: 16) },
    Round(name: "learn a NAM A1 standard, 8192 frames, a batch of 4") {
      let network = CaptureNetwork.standard
      let task = TrainingTask(window: 8192, warmup: network.receptiveField - 1, batch: 4)
      return try Trainer(
        Model(network.text, name: "standard.nam"), task, optimizer: .adamW(rate: 1e-6))
    },
    Round(name: "learn an image classifier, 32 x 32, a batch of 32") {
      var task = TrainingTask(loss: "crossEntropy(layer12, target)", batch: 32)
      task.targets = ["target": []]
      return try Trainer(Model(ImageNetwork.text), task, optimizer: .adamW(rate: 1e-6))
    },
  ]

  /// A round may take a tenth of a second.
  private static let mostRounds = 50

  private static func recurrent(batch: Int) throws -> Trainer {
    let network = RecurrentNetwork(kind: HAND_LSTM_16, cell: .lstm, units: 16)
    let task = TrainingTask(window: 4800, warmup: 0, batch: batch)
    return try Trainer(
      Model(network.captureText, name: "lstm.nam"), task, optimizer: .adamW(rate: 1e-6))
  }

  func run() throws {
    let wanted = Self.rounds.filter { options.wants($0.name) }
    guard !wanted.isEmpty else { return }
    table.section("learning, a step and an update through the trainer")
    for round in wanted {
      let trainer = try round.trainer()
      let batch = Self.batch(of: trainer)
      let samples = Race(rounds: min(race.rounds, Self.mostRounds)).run([
        Contender(name: round.name) { times in
          for _ in 0..<times { _ = try! trainer.train(batch) }
        }
      ])
      let figure = Figure(round.name, samples[0])
      table.add(round.most.map { figure.promised(atMost: $0) } ?? figure)
    }
  }

  /// Examples between -1 and 1, of which none is as another; classes in turn.
  private static func batch(of trainer: Trainer) -> Batch {
    var batch = Batch()
    for example in 0..<trainer.task.batch {
      var item: [String: [Float]] = [:]
      for (name, shape) in trainer.shapes {
        let count = shape.reduce(1, *)
        item[name] = (0..<count).map { Float(($0 + example) * 29 % 97) / 50 - 1 }
        if let classes = trainer.classes, classes.target == name {
          item[name] = [Float](repeating: Float(example % classes.count), count: count)
        }
      }
      batch.add(item)
    }
    return batch
  }
}
