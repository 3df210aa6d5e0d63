// SPDX-License-Identifier: Apache-2.0

internal import HandKernels
internal import Legato
internal import LegatoTraining

/// Rounds of learning: loss, gradient and update of a batch, through the trainer; of those that are long also on two
/// threads, beside one.
struct TrainingRows {
  let options: Options
  /// Where this program runs otherwise.
  let processor: Int32
  let race: Race
  let table: Table

  /// A round of learning, and the most nanoseconds that it may take.
  private struct Round: Sendable {
    let name: String
    var most: Double?
    var isLong = false
    let trainer: @Sendable (_ threads: Int) throws -> Trainer
  }

  private static let rounds = [
    Round(name: "learn a head of 256 to 2, a batch of 2", most: 3000) { threads in
      let row = (0..<512).map { "\(Float($0 * 37 % 101) / 500 - 0.1)" }.joined(separator: ", ")
      let model = try Model(
        """
        { "legato": 1, "name": "head", "clock": "step", "inputs": { "x": { "shape": [256] } },
          "weights": { "w": [\(row)], "b": [0, 0] },
          "graph": { "y": "dense(x, reshape('w', [2, 256]), 'b')" }, "outputs": ["y"] }
        """)
      var task = TrainingTask(loss: "crossEntropy(y, target)", batch: 2)
      task.targets = ["target": []]
      return try Trainer(model, task, optimizer: .sgd(rate: 1e-6), threads: threads)
    },
    Round(name: "learn an LSTM 16, 4800 frames, a batch of 1", most: 2e6) {
      try recurrent(batch: 1, threads: $0)
    },
    Round(name: "learn an LSTM 16, 4800 frames, a batch of 16", most: 10e6, isLong: true) {
      try recurrent(batch: 16, threads: $0)
    },
    Round(name: "learn a NAM A1 standard, 8192 frames, a batch of 4", isLong: true) { threads in
      let network = CaptureNetwork.standard
      let task = TrainingTask(window: 8192, warmup: network.receptiveField - 1, batch: 4)
      return try Trainer(
        Model(network.text, name: "standard.nam"), task, optimizer: .adamW(rate: 1e-6), threads: threads)
    },
    Round(name: "learn an image classifier, 32 x 32, a batch of 32", isLong: true) { threads in
      var task = TrainingTask(loss: "crossEntropy(layer12, target)", batch: 32)
      task.targets = ["target": []]
      return try Trainer(Model(ImageNetwork.text), task, optimizer: .adamW(rate: 1e-6), threads: threads)
    },
  ]

  /// A round may take a tenth of a second.
  private static let mostRounds = 50

  private static func recurrent(batch: Int, threads: Int) throws -> Trainer {
    let network = RecurrentNetwork(kind: HAND_LSTM_16, cell: .lstm, units: 16)
    let task = TrainingTask(window: 4800, warmup: 0, batch: batch)
    return try Trainer(
      Model(network.captureText, name: "lstm.nam"), task, optimizer: .adamW(rate: 1e-6), threads: threads)
  }

  /// The name of a row on two threads.
  private static func name(onTwoThreads round: Round) -> String { "\(round.name), on two threads" }

  func run() throws {
    try runAlone(Self.rounds.filter { options.wants($0.name) })
    try runOnTwo(Self.rounds.filter { $0.isLong && options.wants(Self.name(onTwoThreads: $0)) })
  }

  private func longRace(warmsUp: Bool = false) -> Race {
    Race(rounds: min(race.rounds, Self.mostRounds), warmsUp: warmsUp)
  }

  private func runAlone(_ rounds: [Round]) throws {
    guard !rounds.isEmpty else { return }
    table.section("learning, a step and an update through the trainer")
    for round in rounds {
      let samples = longRace().run([Self.contender(round.name, try round.trainer(1))])
      let figure = Figure(round.name, samples[0])
      table.add(round.most.map { figure.promised(atMost: $0) } ?? figure)
    }
  }

  /// Promises what two threads make of two processors, where the machine has two.
  private func runOnTwo(_ rounds: [Round]) throws {
    guard !rounds.isEmpty else { return }
    // Threads that begin meanwhile may run where this one may.
    let count = hand_unpin()
    defer { _ = hand_pin(processor) }
    guard count > 1 else {
      return table.note("\nlearning on two threads is left out: there is one processor only")
    }
    var processors = TwoProcessors()
    for _ in 0..<(options.isQuick ? 3 : 9) { try processors.measure() }
    processors.show(in: table)
    table.section(
      "learning on two threads, beside one; "
        + (processors.areTwo
          ? "promised: 1.8 times as fast"
          : "nothing is promised where two loops are not 1.9 times as fast"))
    for round in rounds {
      let name = Self.name(onTwoThreads: round)
      // One round follows the other in training.
      let samples = longRace(warmsUp: true).run([
        Self.contender(name, try round.trainer(2)), Self.contender(round.name, try round.trainer(1)),
      ])
      let figure = Figure(name, samples[0]).compared(to: samples[1], of: samples[0], "on one thread")
      let isKept = samples[0].ratio(to: samples[1]) <= 1 / 1.8
      table.add(processors.areTwo ? figure.promised("1.8 times as fast", isKept) : figure)
    }
  }

  private static func contender(_ name: String, _ trainer: Trainer) -> Contender {
    let batch = batch(of: trainer)
    return Contender(name: name) { times in
      for _ in 0..<times { _ = try! trainer.train(batch) }
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
