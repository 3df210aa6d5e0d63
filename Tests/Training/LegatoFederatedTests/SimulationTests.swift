// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LegatoTraining
import TestEquipment
import Testing

@testable import LegatoFederated

/// Strategies against Flower's own numbers, deals, and whole simulations.
@Suite struct SimulationTests {
  @Test(arguments: [false, true]) func strategies(isAdam: Bool) {
    let reference = FederatedReference.rounds
    var aggregation = Aggregation([reference.start], isAdam ? .fedAdam(rate: 0.05) : .fedAvg)
    for (results, wanted) in zip(reference.rounds, isAdam ? reference.fedadam : reference.fedavg) {
      aggregation.add(results.map { ([$0.values], $0.examples) })
      for (made, wanted) in zip(aggregation.weights[0], wanted) {
        #expect(abs(Double(made) - wanted) <= 2e-6)
      }
    }
  }

  private static let labels = (0..<1000).map { $0 * 7 % 10 }

  /// Each example goes to one device, and none is left without.
  @Test(arguments: [Sharding.even, .byLabel, .dirichlet(0.05), .dirichlet(100)], [1, 3, 40, 1000])
  func deals(sharding: Sharding, devices: Int) {
    let shards = sharding.shards(Self.labels, devices: devices, seed: 3)
    #expect(shards.flatMap(\.self).sorted() == Array(0..<1000))
    #expect(shards.allSatisfy { !$0.isEmpty } && shards.count == devices)
    #expect(shards == sharding.shards(Self.labels, devices: devices, seed: 3))
  }

  @Test func howUnlikeDevicesAre() {
    func kinds(_ sharding: Sharding) -> Double {
      let shards = sharding.shards(Self.labels, devices: 20, seed: 1)
      return shards.reduce(0.0) { $0 + Double(Set($1.map { Self.labels[$0] }).count) } / 20
    }
    #expect(kinds(.even) > 9.5)
    #expect(kinds(.byLabel) <= 3)
    #expect(kinds(.dirichlet(0.1)) < kinds(.dirichlet(1)) && kinds(.dirichlet(100)) > 9)
  }

  /// Where each label goes to one device, it is any of them.
  @Test(arguments: [1e-4, 1e-300]) func nearlyNothing(alpha: Double) {
    let labels = (0..<1000).map { $0 % 200 }
    let shards = Sharding.dirichlet(alpha).shards(labels, devices: 4, seed: 2)
    #expect(shards.allSatisfy { (150...350).contains($0.count) }, "\(shards.map(\.count))")
    #expect(shards.reduce(0) { $0 + Set($1.map { labels[$0] }).count } <= 205)
  }

  /// The mean and the variance of the gamma distribution are its shape.
  @Test(arguments: [0.3, 1, 4.5]) func gamma(shape: Double) {
    var random = SeededNumbers(seed: 9)
    let draws = (0..<40_000).map { _ in exp(random.logGamma(shape)) }
    let mean = draws.reduce(0, +) / 40_000
    let variance = draws.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 40_000
    #expect(abs(mean - shape) < 0.05 * shape && abs(variance - shape) < 0.1 * shape)
  }

  /// A line that no device sees whole is learned by all of them; threads change no bit.
  @Test(arguments: [Strategy.fedAvg, .fedProx(mu: 0.01), .fedAdam(rate: 0.1)])
  func learns(strategy: Strategy) throws {
    var found: [[Float]] = []
    for threads in [1, 2] {
      let trainer = try Line.trainer(batch: 4, threads: threads)
      let simulation = try Simulation(
        trainer, try Line.data(64), labels: (0..<64).map { $0 % 4 }, devices: 8, sharding: .byLabel,
        strategy: strategy,
        judgingBy: try Line.data(16), epochs: 2, fraction: 0.5, seed: 5)
      var losses: [Double] = []
      try simulation.run(rounds: 30) { round in
        losses.append(round.validation["loss"]!)
        return .goOn
      }
      #expect(losses.count == 30 && losses[29] < 0.05 * losses[0], "\(losses[0]) to \(losses[29])")
      found.append(trainer.weights(named: "w")!.values)
    }
    #expect(found[0] == found[1])
  }

  /// Whoever asks for the end waits for a batch, and not for a round; the common model is that of the last whole round.
  @Test func interrupted() throws {
    let trainer = try Line.trainer(batch: 4)
    let simulation = try Simulation(
      trainer, try Line.data(64), labels: [Int](repeating: 0, count: 64), devices: 8)
    var (batches, common) = (0, [Float]())
    try simulation.run(
      rounds: 5,
      isCancelled: {
        batches += 1
        return batches >= 40
      },
      progress: { round in
        #expect(round.round == 1 && round.epsilon == nil)
        common = trainer.weights(named: "w")!.values
        return .goOn
      })
    #expect(!common.isEmpty && trainer.weights(named: "w")!.values == common && batches < 44)
  }

  /// Noise is part of the plan: as much as devices would send, and the epsilon of the one that is asked most often.
  @Test func privacy() throws {
    let privacy = try UpdatePrivacy(norm: 0.1, noise: 0.5)
    var found: [[Float]] = []
    for _ in 0..<2 {
      let trainer = try Line.trainer(batch: 4)
      var epsilons: [Double] = []
      try Simulation(
        trainer, try Line.data(64), labels: [Int](repeating: 0, count: 64), devices: 4, privacy: privacy
      ).run(rounds: 3) {
        epsilons.append($0.epsilon ?? 0)
        return .goOn
      }
      #expect(epsilons == (1...3).map { privacy.epsilon(rounds: $0) })
      found.append(trainer.weights(named: "w")!.values)
    }
    #expect(found[0] == found[1])
  }

  /// A round that a server counts from elsewhere is one like others.
  @Test(arguments: [-1, Int.min, Int.max]) func oddRounds(round: Int) throws {
    let client = TrainerClient(try Line.trainer(batch: 4), try Line.data(16))
    let start = client.parameters.map(\.values)
    let result = try client.fit(start, RoundConfiguration(["server-round": .integer(round)]))
    #expect(result.arrays != start)
  }

  /// A parameter stays within its range, whatever a server says.
  @Test func ranges() throws {
    let model = try Model(
      """
      { "legato": 1, "name": "Gain", "clock": "step", "inputs": { "x": { "shape": [1] } },
        "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 2 } },
        "graph": { "y": "x * gain" }, "outputs": ["y"] }
      """)
    let trainer = try Trainer(
      model, TrainingTask(loss: "mse(y, target)", batch: 1), optimizer: .sgd(rate: 0.1))
    for (place, value) in [(40, 2), (-3, 0), (0.25, 0.5)] as [(Float, Float)] {
      try trainer.replaceWeights(["gain": Tensor(place)])
      #expect(trainer.parameters["gain"] == value)
    }
  }

  /// A tether that is all but rigid keeps a device where it began.
  @Test func tether() throws {
    let trainer = try Line.trainer(batch: 4, rate: 0.01)
    let client = TrainerClient(trainer, try Line.data(16), epochs: 5)
    let start = client.parameters.map(\.values)
    func distance(_ values: [String: FederatedValue]) throws -> Float {
      let result = try client.fit(start, RoundConfiguration(values))
      return zip(result.arrays, start).flatMap { zip($0.values, $1.values) }.reduce(0) {
        max($0, abs($1.0 - $1.1))
      }
    }
    let (free, held) = (try distance([:]), try distance(["proximal_mu": .number(50)]))
    #expect(held < 0.25 * free && held > 0, "\(held) of \(free)")
    #expect(try distance(["lr": .number(0.02)]) > 1.5 * free)
    #expect(try distance(["local-epochs": .integer(1)]) < free)
  }
}
