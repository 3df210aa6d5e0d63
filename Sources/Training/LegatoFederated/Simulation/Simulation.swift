// SPDX-License-Identifier: Apache-2.0

internal import Legato
public import LegatoTraining

/// Many devices in one process: a data set is dealt out, and each round some of them learn from their shares.
///
/// One trainer plays all devices, one after the other, with as many threads as it has; the bits do not depend on them.
public struct Simulation {
  /// A round that is over.
  public struct Round: Sendable {
    public let round: Int
    /// The mean scores of the devices' last epochs, weighted by examples.
    public let scores: [String: Double]
    /// The scores of the common model by the examples that no device has; empty where there are none.
    public let validation: [String: Double]
    /// With privacy, the ε of the device that has learned in most rounds until now; nil without.
    public let epsilon: Double?
  }

  /// How many examples each device has.
  public let sizes: [Int]

  private let trainer: Trainer
  private let shares: [Subset]
  private let held: (any Dataset)?
  private let strategy: Strategy
  private let epochs, perRound: Int
  private let seed: UInt64
  private let privacy: UpdatePrivacy?

  /// - Parameters:
  ///   - trainer: plays the devices; holds the common model in the end.
  ///   - data: is dealt out.
  ///   - labels: the label of each example; for an even deal they do not matter.
  ///   - devices: how many there are.
  ///   - held: examples that judge the common model after each round.
  ///   - sharding: who has which examples.
  ///   - strategy: how the server makes one model of all.
  ///   - epochs: how often a device goes over its examples in a round.
  ///   - fraction: the share of the devices that learn in a round.
  ///   - seed: says who has which examples, who learns in which round, and in which order, and the noise.
  ///   - privacy: what each device does to the weights before they go.
  /// - Throws: `FederatedError.unsupported` where there are more devices than examples.
  public init(
    _ trainer: Trainer, _ data: any Dataset, labels: [Int], devices: Int, sharding: Sharding = .even,
    strategy: Strategy = .fedAvg, judgingBy held: (any Dataset)? = nil, epochs: Int = 1, fraction: Double = 1,
    seed: UInt64 = 1, privacy: UpdatePrivacy? = nil
  ) throws(FederatedError) {
    guard devices >= 1, devices <= data.count, labels.count == data.count else {
      throw .unsupported("\(devices) devices need as many examples or more; there are \(data.count)")
    }
    (self.trainer, self.held, self.strategy, self.epochs, self.seed) = (trainer, held, strategy, epochs, seed)
    self.privacy = privacy
    shares = sharding.shards(labels, devices: devices, seed: seed).map { Subset(of: data, $0) }
    sizes = shares.map(\.count)
    perRound = min(devices, max(1, Int((Double(devices) * fraction).rounded())))
  }

  /// Plays rounds.
  ///
  /// - Parameters:
  ///   - rounds: how many.
  ///   - isCancelled: is asked after each batch; true ends the run with the common model as it was before the round.
  ///   - progress: is told after each round.
  /// - Throws: `TrainingError`, and whatever the data set throws.
  public func run(
    rounds: Int, isCancelled: () -> Bool = { false }, progress: (Round) throws -> Trainer.Decision
  ) throws {
    let names = trainer.learned
    let shapes = names.map { trainer.weights(named: $0)!.shape }
    var common = Aggregation(names.map { trainer.weights(named: $0)!.values }, strategy)
    if case .fedProx(let mu) = strategy { trainer.tether = mu }
    defer { trainer.tether = nil }
    var turns = [Int](repeating: 0, count: shares.count)
    for round in 1...max(1, rounds) {
      var random = SeededNumbers(seed: seed &+ UInt64(round) &* 0xD1B5_4A32_D192_ED03)
      let chosen = shares.indices.shuffled(using: &random).prefix(perRound).sorted()
      let begin = try tensors(common.weights, shapes)
      var (results, sums, whole) = ([(arrays: [[Float]], examples: Int)](), [String: Double](), 0.0)
      for device in chosen {
        try trainer.replaceWeights(Dictionary(uniqueKeysWithValues: zip(names, begin)))
        trainer.restart()
        var scores: [String: Double] = [:]
        let order = seed &+ UInt64(device) &* 0x9E37_79B9 &+ UInt64(round)
        try trainer.fit(shares[device], epochs: epochs, seed: order) { now in
          scores = now.scores
          return isCancelled() ? .stop : .goOn
        }
        if isCancelled() {
          return try trainer.replaceWeights(Dictionary(uniqueKeysWithValues: zip(names, begin)))
        }
        let count = sizes[device]
        turns[device] += 1
        for (name, score) in scores { sums[name, default: 0] += score * Double(count) }
        whole += Double(count)
        var learned = names.map { trainer.weights(named: $0)! }
        if let privacy { learned = try privacy.sent(learned, from: begin, using: &random) }
        results.append((learned.map(\.values), count))
      }
      common.add(results)
      try trainer.replaceWeights(
        Dictionary(uniqueKeysWithValues: zip(names, tensors(common.weights, shapes))))
      let validation = try held.map { try trainer.evaluate($0) } ?? [:]
      let report = Round(
        round: round, scores: sums.mapValues { $0 / whole }, validation: validation,
        epsilon: privacy.map { $0.epsilon(rounds: turns.max() ?? 0) })
      if try progress(report) == .stop { return }
    }
  }

  private func tensors(_ arrays: [[Float]], _ shapes: [[Int]]) throws -> [Tensor] {
    try zip(arrays, shapes).map { try Tensor(shape: $1, values: $0) }
  }
}
