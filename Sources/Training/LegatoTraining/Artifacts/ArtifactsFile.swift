// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The files of a folder of artifacts: what a trainer needs where the model's own file is not.
///
///     artifacts.json            names, shapes, the optimizer, and which ports the programs have
///     training.graph            a batch to the scores and their gradients
///     evaluation.graph          a batch to the scores of each example
///     features.graph            what depends on nothing that learns, where there is such a part
///     optimizer.graph           weights and gradients to the next weights
///     inference.graph           the model by itself, which is exported
///     frozen.safetensors        weights that do not learn, where there are any
///     checkpoint.safetensors    those that do, and what the optimizer remembers of them
///
/// A program is its graph, as text: no model and no gradient is made of it any more, only code for the processor at hand,
/// which the user's cache keeps like that of a model.
enum ArtifactsFile {
  static let contents = "artifacts.json"
  static let training = "training.graph"
  static let evaluation = "evaluation.graph"
  static let features = "features.graph"
  static let optimizer = "optimizer.graph"
  static let inference = "inference.graph"
  static let frozen = "frozen.safetensors"
  static let checkpoint = "checkpoint.safetensors"

  /// The most bytes of a text.
  static let mostBytes = 1 << 28
  /// The most numbers that learn, for which memory is taken before any of them is read: half a GiB.
  static let mostNumbers = 1 << 27
  /// The most bytes of weights, with what is said of them.
  static let mostWeightBytes = mostNumbers * MemoryLayout<Float>.stride + 1 << 24
}

/// The contents of `artifacts.json`.
struct ArtifactsContents: Codable {
  /// Counts the changes of this form.
  static let form = 3
  /// The oldest that is read: no output of its graphs says that it lies apart.
  static let oldestForm = 2

  struct Port: Codable {
    let name: String
    let shape: [Int]

    var input: InputPort { InputPort(name: name, type: TensorType(Shape(shape))) }
  }

  struct Classes: Codable {
    let target: String?
    let count: Int
  }

  struct Programs: Codable {
    let training, evaluation, optimizer, inference: ProgramPorts
    /// Of what depends on nothing that learns; nil where there is no such part.
    let features: ProgramPorts?
  }

  let artifacts: Int
  let name: String
  /// Expressions, as they were made into programs.
  let loss: String
  let metrics: [String: String]
  /// Examples of a step, and those that are computed together.
  let batch, together: Int
  /// Batches of an update; nil for one.
  let accumulate: Int?
  let scores: [String]
  let classes: Classes?
  /// The inputs of the model, then the targets, in the shapes of one example.
  let examples: [Port]
  /// The features of an example, in its shapes.
  let features: [Port]
  /// Weights that learn, without parameters.
  let learned: [Port]
  let parameters: [LearnedParameter]
  /// The names of weights that do not learn.
  let frozen: [String]
  /// The names of the weights of the model's own file, in its order; nil in older folders, where all count as its own.
  let own: [String]?
  let optimizer: Optimizer
  let programs: Programs
}
