// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension ModelDocument {
  /// How a model learns, as its file says: what `legato train` begins with.
  ///
  ///     "train": { "loss": "esr(dst, target)", "trainable": ["lstm.*"], "optimizer": { "adamW": { "rate": 0.003 } },
  ///                "window": 4800, "warmup": 1024, "batch": 16 }
  package struct Training: Hashable, Sendable {
    package var targets: [Target] = []
    package var loss: Score?
    package var metrics: [Score] = []
    /// Names of weights and parameters, with `*` for any letters; nil where the file does not say.
    package var trainable: [String]?
    package var optimizer: Optimizer?
    /// The whole numbers that it says, such as the examples of a batch.
    package var counts: [Count: Int] = [:]
    /// The share of the examples that are held back.
    package var validate: Double?
    /// The places of what only the graph can find wrong, by its key.
    package var places: [String: Place] = [:]

    package init() {}

    /// What an output should be.
    package struct Target: Hashable, Sendable {
      package let name: String
      package let shape: [ShapeEntry]
    }

    /// An expression of outputs and targets that is one number.
    package struct Score: Hashable, Sendable {
      package let name: String
      package let expression: String
      package let place: Place
    }

    package enum Count: String, CaseIterable, Sendable {
      case window, warmup, chunk, recompute, batch, accumulate, epochs, patience

      /// The numbers that it can be.
      package var range: ClosedRange<Int> {
        switch self {
        case .window, .chunk, .recompute, .batch, .accumulate: 1...1 << 20
        case .warmup: 0...1 << 20
        case .epochs, .patience: 1...1_000_000
        }
      }
    }

    /// A rule by which weights follow their gradients, with those of its numbers that the file says.
    package struct Optimizer: Hashable, Sendable {
      package enum Rule: String, CaseIterable, Sendable {
        case sgd, adamW, adamWOfONNXRuntime
      }
      package let rule: Rule
      package let numbers: [String: Double]
      package let isNesterov: Bool
      package let schedule: Schedule?
    }

    package struct Schedule: Hashable, Sendable {
      package enum Kind: String, CaseIterable, Sendable {
        case warmup, linear, cosine, steps
      }
      package let kind: Kind
      package let numbers: [String: Double]
      /// The updates of a warm-up before it; nil of none, and where the schedule is one.
      package var warmup: Int?
    }
  }
}

extension ModelDocument.Keys {
  package static let training =
    ["targets", "loss", "metrics", "trainable", "optimizer"]
    + ModelDocument.Training.Count.allCases.map(\.rawValue) + ["validate"]
  package static let target = ["shape"]

  /// The keys of an optimizer by its rule.
  package static func optimizer(_ rule: ModelDocument.Training.Optimizer.Rule) -> [String] {
    let own =
      switch rule {
      case .sgd: ["momentum", "nesterov"]
      case .adamW, .adamWOfONNXRuntime: ["beta1", "beta2", "epsilon"]
      }
    return ["rate", "decay"] + own + ["clip", "clipValue", "schedule"]
  }

  /// The numbers of optimizers, from the least to the most.
  static let ranges: [String: ClosedRange<Double>] = [
    "rate": 1e-9...1000, "decay": 0...1000, "momentum": 0...0.999_999, "beta1": 0...0.999_999,
    "beta2": 0...0.999_999_9, "epsilon": 1e-30...1, "clip": 1e-9...1e9, "clipValue": 1e-9...1e9,
  ]

  package static func schedule(_ kind: ModelDocument.Training.Schedule.Kind) -> [String] {
    switch kind {
    case .warmup: ["steps"]
    case .linear, .cosine: ["steps", "to"]
    case .steps: ["every", "factor"]
    }
  }
}
