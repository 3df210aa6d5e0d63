// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato
internal import ModelFiles

extension Model {
  /// The symbols in the shapes of targets that the file states, which need not be those of an input.
  package var symbolsOfTargets: Set<String> {
    Set(
      (training?.targets ?? []).flatMap(\.shape).compactMap { entry in
        if case .symbol(let name) = entry.extent { name } else { nil }
      })
  }
}

/// The section `"train"` of a model file, which says how the model learns.
extension TrainingTask {
  /// The task that a model file states; what it leaves out is as in `init`, with a loss that compares the first output
  /// with `target`: the mean square of the error. `relativeError(of:target:power:)` is that of sounds in relation to all of
  /// their data.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - extents: a number for each of the model's symbols.
  ///   - window: the frames of a window, in place of those that the file states.
  /// - Throws: `TrainingError.task` for a symbol in the shape of a target that has no number.
  public init(
    of model: Model, extents: [String: Int] = [:], window: Int? = nil
  ) throws(TrainingError) {
    let stated = model.training ?? .init()
    let output = model.outputs.first ?? "dst"
    self.init(loss: "mse(\(output), target)")
    for (count, path) in [
      (ModelDocument.Training.Count.window, \TrainingTask.window), (.warmup, \.warmup), (.batch, \.batch),
      (.accumulate, \.accumulate),
    ] {
      if let number = stated.counts[count] { self[keyPath: path] = number }
    }
    chunk = stated.counts[.chunk]
    recompute = stated.counts[.recompute]
    if let window { self.window = window }
    if let names = stated.trainable { trainable = names }
    for (key, place) in stated.places { places["train.\(key)"] = model.place(place) }
    if let score = stated.loss { (loss, places["loss"]) = (score.expression, model.place(score.place)) }
    for score in stated.metrics {
      metrics[score.name] = score.expression
      places[score.name] = model.place(score.place)
    }
    for target in stated.targets {
      var shape: [Int] = []
      for entry in target.shape {
        switch entry.extent {
        case .number(let number): shape.append(number)
        case .symbol("frames"): shape.append(self.window)
        case .symbol(let name):
          guard let number = extents[name] else {
            throw .task(
              "\(model.place(entry.place)): \(quoted(name)) in the shape of \(quoted(target.name)) has no number"
            )
          }
          shape.append(number)
        }
      }
      targets[target.name] = shape
    }
  }
}

extension Optimizer {
  /// The optimizer that a model file states; AdamW at a rate of 0.003 where it states none.
  public init(of model: Model) {
    guard let stated = model.training?.optimizer else {
      self = .adamW(rate: 0.003)
      return
    }
    func number(_ key: String, _ standard: Double) -> Double { stated.numbers[key] ?? standard }
    let rule: Rule =
      switch stated.rule {
      case .sgd: .sgd(momentum: number("momentum", 0), nesterov: stated.isNesterov)
      case .adamW:
        .adamW(beta1: number("beta1", 0.9), beta2: number("beta2", 0.999), epsilon: number("epsilon", 1e-8))
      case .adamWOfONNXRuntime:
        .adamWOfONNXRuntime(
          beta1: number("beta1", 0.9), beta2: number("beta2", 0.999), epsilon: number("epsilon", 1e-6))
      }
    self.init(
      rule, rate: number("rate", 0.003), decay: number("decay", 0), largestNorm: stated.numbers["clip"],
      largestValue: stated.numbers["clipValue"], schedule: Schedule(stated.schedule))
  }
}

extension Schedule {
  fileprivate init(_ stated: ModelDocument.Training.Schedule?) {
    guard let stated else {
      self = .constant
      return
    }
    let steps = Int(stated.numbers["steps"] ?? stated.numbers["every"] ?? 1)
    let end = stated.numbers["to"] ?? 0
    let own: Schedule =
      switch stated.kind {
      case .warmup: .warmup(steps: steps)
      case .linear: .linear(steps: steps, to: end)
      case .cosine: .cosine(steps: steps, to: end)
      case .steps: .steps(every: steps, factor: stated.numbers["factor"] ?? 1)
      }
    self = stated.warmup.map { .warmup(steps: $0, then: own) } ?? own
  }
}

/// How long a run goes on.
public struct TrainingPlan: Hashable, Sendable {
  /// How often the data is gone over.
  public var epochs = 100
  /// Epochs without a better loss that end the run; nil for none.
  public var patience: Int?
  /// The share of the examples that are held back.
  public var validate = 0.1

  /// The plan that a model file states.
  public init(of model: Model) {
    guard let stated = model.training else { return }
    epochs = stated.counts[.epochs] ?? epochs
    patience = stated.counts[.patience]
    validate = stated.validate ?? validate
  }
}
