// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato
public import Listening

/// A request to learn: the data, and what is said in place of the section "train" of the model's file.
///
///     var request = TrainingRequest(data: ["dry.wav:amp.wav"])
///     request.trainable = ["head.*"]
///     let setup = try TrainingSetup(of: Model(contentsOf: "lstm.json"), request)
///
/// A part that is nil, or empty, is as the file says, or else as in `legato train`. Messages call parts as the command's
/// options are called, without dashes (`RequestError.text(calling:)`).
public struct TrainingRequest: Sendable {
  /// The data. Of a stream pairs of files, `dry.wav:wet.wav`; a folder with one of sounds or pictures for each class; of a
  /// model of steps a table, `data.csv`, or arrays of `.npy`, `.npz` and safetensors: `NAME=FILE`, or a file of all of them.
  public var data: [String] = []
  /// Examples of the program's own, in place of files.
  public var examples: (any Dataset)?
  /// Numbers for the model's symbols.
  public var extents: [String: Int] = [:]
  /// How pictures become the numbers of inputs, where the model does not say it.
  public var images: [String: ImageForm] = [:]
  /// Whether each target is shifted onto its sound, to less than a frame.
  public var areAligned = false
  /// Of a table of readings, those from the beginning of a window to that of the next.
  public var hop: Int?
  /// Of a table of readings, the column with the time of each.
  public var time: LineReadings.TimeColumn?
  /// Of a table of readings, the column that says of which recording each is.
  public var recording: String?
  /// The number that is made small, as `TrainingTask.loss`.
  public var loss: String?
  /// Further numbers to look at, beside those of the file.
  public var metrics: [String: String] = [:]
  /// The shapes of targets of one example, by their names, where the file does not say them.
  public var targets: [String: [Int]] = [:]
  /// The names of the classes, where the model's output states none; of files, those that are found.
  public var labels: [String]?
  /// Names of weights and parameters that learn; `*` stands for any letters.
  public var trainable: [String] = []
  /// A last layer that gets another size, and random weights.
  public var replacedLayer: ReplacedLayer?
  /// Frames of an example, as in `TrainingTask`.
  public var window, warmup, chunk, recompute: Int?
  /// Examples of a step, and steps of an update, as in `TrainingTask`.
  public var batch, accumulate: Int?
  /// The rate of the optimizer, and the largest norm of a gradient.
  public var rate, largestNorm: Double?
  /// How the rate changes.
  public var schedule: Schedule?
  /// How often the data is gone over, and epochs without a better loss that end that.
  public var epochs, patience: Int?
  /// The share of the examples that are held back, from 0 to less than 1.
  public var validate: Double?
  /// Says the order of the examples, and random weights.
  public var seed: UInt64 = 1
  /// How many compute at a time, on which no bit depends; nil is one for each processor.
  public var threads: Int?
  /// The most bytes that a step may take; nil is what the system has free.
  public var mostMemory: Int?

  /// A request to learn from files, as the model's file says.
  public init(data: [String]) { self.data = data }

  /// A request to learn from a program's own examples, as the model's file says.
  public init(examples: any Dataset) { self.examples = examples }

  /// A layer that gets another size.
  public struct ReplacedLayer: Hashable, Sendable {
    /// The beginning of the names of its arrays, before a point, or the name of its only one.
    public var name: String
    /// How many numbers it is to make.
    public var count: Int

    /// - Parameters:
    ///   - name: what the names of its arrays begin with.
    ///   - count: how many numbers it is to make.
    public init(_ name: String, count: Int) { (self.name, self.count) = (name, count) }
  }
}

/// The names of the parts of a request in messages.
extension RequestError.Name {
  static let data = Self(rawValue: "data")
  static let align = Self(rawValue: "align")
  static let loss = Self(rawValue: "loss")
  static let metric = Self(rawValue: "metric")
  static let examples = Self(rawValue: "examples")
  static let epochs = Self(rawValue: "epochs")
  static let patience = Self(rawValue: "patience")
  static let threads = Self(rawValue: "threads")
  static let hop = Self(rawValue: "hop")
  static let time = Self(rawValue: "time")
  static let recording = Self(rawValue: "recording")
  static let window = Self(rawValue: "window")
  static let warmup = Self(rawValue: "warmup")
  static let chunk = Self(rawValue: "chunk")
  static let recompute = Self(rawValue: "recompute")
  static let validate = Self(rawValue: "validate")
  static let initialize = Self(rawValue: "initialize")
  static let augment = Self(rawValue: "augment")
  static let resume = Self(rawValue: "resume")
}

extension TrainingRequest {
  /// Throws where a number is none that a run has, or the data is said twice.
  func check() throws(RequestError) {
    guard examples == nil || data.isEmpty else {
      throw RequestError("\(.data) and \(.examples) both say what is learned from; leave one out")
    }
    let counts: [(RequestError.Name, Int?, Int)] = [
      (.epochs, epochs, 1_000_000), (.patience, patience, 1_000_000), (.threads, threads, 1024),
    ]
    for case (let name, let count?, let most) in counts where !(1...most ~= count) {
      throw RequestError("\(name) is a whole number from 1 to \(most), and not \(count)")
    }
    if let validate, !(0..<1 ~= validate) {
      throw RequestError(
        "\(.validate) is a share of the examples, from 0 to less than 1, and not \(validate)")
    }
    if let count = examples?.count, count < 1 {
      throw RequestError("\(.examples): there is one at least, and not \(count)")
    }
  }
}

extension TrainingTask {
  /// The task that a model's file states, with what a request says in its place.
  ///
  /// - Parameter replaced: what learns where a layer was replaced and nothing says otherwise; nil of no such layer.
  init(
    of model: Model, extents: [String: Int], _ request: TrainingRequest, replaced: [String]?
  ) throws(TrainingError) {
    try self.init(of: model, extents: extents, window: request.window)
    batch = request.batch ?? batch
    warmup = request.warmup ?? warmup
    // A message about what the request says names no place in the file.
    if let number = request.accumulate { (accumulate, places["train.accumulate"]) = (number, nil) }
    if let number = request.chunk { (chunk, places["train.chunk"]) = (number, nil) }
    if let number = request.recompute { (recompute, places["train.recompute"]) = (number, nil) }
    if let names = request.trainable.isEmpty ? replaced : request.trainable {
      (trainable, places[Self.trainableKey]) = (names, nil)
    }
    targets.merge(request.targets) { $1 }
    for (name, expression) in request.metrics { (metrics[name], places[name]) = (expression, nil) }
    if let stated = request.loss { (loss, places["loss"]) = (stated, nil) }
  }
}

extension Optimizer {
  /// The optimizer that a model's file states, with what a request says in its place.
  init(of model: Model, _ request: TrainingRequest) {
    self.init(of: model)
    rate = request.rate ?? rate
    largestNorm = request.largestNorm ?? largestNorm
    schedule = request.schedule ?? schedule
  }
}

extension TrainingPlan {
  /// The plan that a model's file states, with what a request says in its place.
  init(of model: Model, _ request: TrainingRequest) {
    self.init(of: model)
    epochs = request.epochs ?? epochs
    patience = request.patience ?? patience
    validate = request.validate ?? validate
  }
}
