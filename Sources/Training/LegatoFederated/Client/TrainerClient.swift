// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato
public import LegatoTraining

/// The weights of a model that a server and its devices exchange.
public enum SharedWeights: Hashable, Sendable {
  /// Those that learn.
  case learned
  /// All of the model's own file, in its order, and parameters that learn behind them: weights that do not learn go along as they
  /// are.
  case all
}

/// A trainer that learns with others: the server's weights in, so many epochs over the device's data, the weights out.
///
/// A round begins anew: moments of the optimizer are forgotten, as Flower's clients do. Of a configuration it honours
/// `epochs` (also `local-epochs`), `rate` (also `lr`, `learning-rate`) and `proximal-mu`; `-` and `_` are the same.
public final class TrainerClient<Data: Dataset>: FederatedClient {
  /// A place in a round.
  public struct Progress: Sendable {
    public let epoch, epochs, batch, batches: Int
    public let scores: [String: Double]
  }

  private let trainer: Trainer
  private let data: Data
  private let held: (any Dataset)?
  private let epochs: Int
  private let rate: Double
  private let seed: UInt64
  private let overwrites: Bool
  private let privacy: UpdatePrivacy?
  /// The names of the arrays in the order in which they are sent, with the numbers of those that do not learn.
  private let shared: [(name: String, fixed: Tensor?)]
  /// The names of those that learn.
  private let learning: [String]
  private let progress: (Progress) -> Trainer.Decision
  private var rounds = 0

  /// - Parameters:
  ///   - trainer: what learns.
  ///   - data: the device's own examples.
  ///   - sharing: which of the trainer's arrays are the parameters.
  ///   - held: examples to judge by; nil for those that it learns from.
  ///   - epochs: how often a round goes over them where the server does not say it.
  ///   - seed: says the order of the examples, with the round.
  ///   - overwrites: whether the trainer keeps what a round has learned; else it goes back to where it was.
  ///   - privacy: what is done to the weights before they go; the trainer keeps no others, since a server may ask for
  ///     them, and scores of training stay here.
  ///   - progress: is told after each batch; `.stop` ends the round without an answer.
  public init(
    _ trainer: Trainer, _ data: Data, sharing: SharedWeights = .learned, judgingBy held: (any Dataset)? = nil,
    epochs: Int = 1, seed: UInt64 = 1, overwrites: Bool = true, privacy: UpdatePrivacy? = nil,
    progress: @escaping (Progress) -> Trainer.Decision = { _ in .goOn }
  ) {
    (self.trainer, self.data, self.held, self.epochs) = (trainer, data, held, epochs)
    (rate, self.seed, self.overwrites, self.progress) = (trainer.rate, seed, overwrites, progress)
    self.privacy = privacy
    shared =
      switch sharing {
      case .learned: trainer.learned.map { ($0, nil) }
      case .all: trainer.learnedAndFixed
      }
    learning = shared.filter { $0.fixed == nil }.map(\.name)
  }

  public var parameters: [FederatedParameter] {
    shared.map { name, fixed in
      FederatedParameter(
        name: name, values: fixed ?? trainer.weights(named: name)!, isUpdatable: fixed == nil)
    }
  }

  /// The arrays that learn, as they are now.
  private var weights: [Tensor] { learning.map { trainer.weights(named: $0)! } }

  public var properties: [String: FederatedValue] {
    ["examples": .integer(data.count), "arrays": .integer(shared.count), "program": .text("legato")]
  }

  public func fit(_ arrays: [Tensor], _ configuration: RoundConfiguration) throws -> FederatedResult {
    let before = weights
    let asked = try configuration.number("epochs", "local-epochs") ?? Double(epochs)
    guard let epochs = Int(exactly: asked), (1...1_000_000).contains(epochs) else {
      throw FederatedError.answer(
        "the server asks for \(written(asked)) epochs; 1 to 1000000 are possible")
    }
    let rate = try configuration.number("rate", "lr", "learning-rate") ?? rate
    let strength = try configuration.number("proximal-mu") ?? 0
    guard rate > 0, rate <= 1000 else {
      throw FederatedError.answer(
        "the server asks for a rate of \(written(rate)); it is a number above 0, up to 1000")
    }
    guard strength.isFinite, strength >= 0 else {
      throw FederatedError.answer(
        "the server asks for a proximal-mu of \(written(strength)); it is a number from 0 on")
    }
    let round = try configuration.round
    rounds += 1
    try replace(with: arrays)
    trainer.restart()
    // Both are those of a round.
    let own = (trainer.rate, trainer.tether)
    defer { (trainer.rate, trainer.tether) = own }
    trainer.rate = rate
    trainer.tether = strength == 0 ? nil : strength
    var (scores, learned) = ([String: Double](), [Tensor]())
    do {
      var isStopped = false
      try trainer.fit(
        data, epochs: epochs, seed: seed &+ UInt64(bitPattern: Int64(round ?? rounds))
      ) { now in
        // An epoch's end is told once more.
        guard now.validation == nil else { return .goOn }
        scores = now.scores
        let place = Progress(
          epoch: now.position.epoch, epochs: epochs, batch: now.position.batch, batches: now.batches,
          scores: now.scores)
        let decision = progress(place)
        isStopped = decision == .stop
        return decision
      }
      if isStopped { throw FederatedError.cancelled }
      learned = weights
      guard learned.allSatisfy({ $0.values.allSatisfy(\.isFinite) }) else {
        throw FederatedError.answer("what was learned is no finite number")
      }
    } catch {
      // The model stays as it was.
      try replace(with: before)
      guard case TrainingError.notFinite = error else { throw error }
      throw FederatedError.answer(
        "learning from the server's arrays came to a loss or a gradient that is no finite number")
    }
    if let privacy {
      var random = SystemRandomNumberGenerator()
      learned = try privacy.sent(learned, from: arrays, using: &random)
      scores = [:]
    }
    if !overwrites || privacy != nil { try replace(with: overwrites ? learned : before) }
    return FederatedResult(
      arrays: learned, examples: data.count, metrics: scores, noise: privacy?.noise)
  }

  public func evaluate(_ arrays: [Tensor], _ configuration: RoundConfiguration) throws -> FederatedResult {
    let before = weights
    try replace(with: arrays)
    let result = Result { try held.map { try trainer.evaluate($0) } ?? trainer.evaluate(data) }
    // Arrays that cannot be judged do not stay.
    let isFinite = (try? result.get())?.values.allSatisfy(\.isFinite) == true
    if !overwrites || !isFinite { try replace(with: before) }
    return FederatedResult(examples: held?.count ?? data.count, metrics: try result.get())
  }

  private func replace(with arrays: [Tensor]) throws(TrainingError) {
    try trainer.replaceWeights(Dictionary(uniqueKeysWithValues: zip(learning, arrays)))
  }
}
