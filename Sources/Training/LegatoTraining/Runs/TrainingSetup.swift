// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
public import Legato

/// A model with the data that it learns from: what a request asks for, beside what the model's file says.
///
///     let setup = try TrainingSetup(of: model, TrainingRequest(data: ["dry.wav:amp.wav"]))
///     let session = try TrainingSession(setup)
public struct TrainingSetup: Sendable {
  /// The model; with another last layer where one is replaced, and with the labels that the data brings.
  public let model: Model
  /// The task, with the loss that goes with the data where nobody states one.
  public let task: TrainingTask
  /// How weights follow.
  public let optimizer: Optimizer
  /// How long it goes on, and how many examples are held back.
  public let plan: TrainingPlan
  /// All examples.
  public let data: any Dataset
  /// Those that are learned from, and those that are held back.
  public let training, held: Subset
  /// A number for each of the model's symbols.
  public let extents: [String: Int]
  /// The names of the classes, where there are such.
  public let labels: [String]?
  /// The rate of the sounds in hertz; nil where there are none.
  public let sampleRate: Double?
  /// Notes on odd data, a line each.
  public let notes: [String]
  /// Says the order of the examples.
  public let seed: UInt64
  /// The files of the model and of the data, none of which a result may replace.
  package let sources: [String]
  /// The model's file, as messages call it.
  package let path: String
  /// Whether neither the file nor the request says a loss, so that the data does.
  package let isLossOpen: Bool
  /// Whether neither of them says how many examples a batch has.
  package let isBatchOpen: Bool
  /// Whether a layer begins with random weights.
  let replacesLayer: Bool
  /// Where the classes come from that the model does not state; nil where it does, or there are none.
  package let foundLabels: String?
  /// The labels of all examples with the file that they stand in, of data that is in arrays.
  private let known: [String: (labels: [Float], file: String)]
  private let threads: Int
  private let mostMemory: Int?

  /// Reads the data, as far as a dataset does that beforehand.
  ///
  /// - Parameters:
  ///   - model: the one that learns.
  ///   - request: the data, and what is asked for beside the model's file.
  ///   - mode: that in which the model's bundle, where it is of one, has to run.
  /// - Throws: `RequestError` for a request that does not go with the model, `TrainingError` for data that does not,
  ///   `ModelError` for a model that is none, and what reading files throws.
  public init(of model: Model, _ request: TrainingRequest, mode: ModelBundle.Mode = .train) throws {
    try request.check()
    var model = model
    let path = model.filePath
    var extents = request.extents
    let ofTargets = model.symbolsOfTargets
    _ = try model.extents(of: [:], known: extents.filter { !ofTargets.contains($0.key) })
    try model.check(mode)
    let forms = try model.imageForms(request.images)
    if !request.images.isEmpty { model = try model.taking(forms) }
    try Self.check(request, goesWith: model)
    let source = try TrainingSource(request, for: model, forms, extents)
    try Self.check(request, goesWith: source)
    if let sound = source.sound {
      for symbol in model.symbols where extents[symbol] == nil { extents[symbol] = sound.channels }
    }
    if let sound = source.sound, let stated = model.sampleRate, Int(stated) != sound.sampleRate {
      throw TrainingError.data(
        "\(request.data[0]): the sound is at \(sound.sampleRate) Hz, and \(path) for \(Int(stated)): resample it first"
      )
    }
    var replaced: [String]?
    if let layer = request.replacedLayer {
      (model, replaced) = try model.replacing(
        layer: layer.name, count: layer.count, extents: extents, seed: request.seed)
    }
    sampleRate = source.sound.map { Double($0.sampleRate) }
    let graph = try model.graph(extents: extents, sampleRate: sampleRate)
    let output = graph.outputs[0]
    let shape = graph.shape(of: output.value).fixed
    let statesLabels = model.labels(of: output.name) != nil
    var task = try TrainingTask(of: model, extents: extents, request, replaced: replaced)
    try task.checkSizes()
    optimizer = Optimizer(of: model, request)
    plan = TrainingPlan(of: model, request)
    isLossOpen = task.places["loss"] == nil && request.loss == nil
    isBatchOpen = task.places["train.batch"] == nil && request.batch == nil
    if let signature = model.bundle?.signature(mode) {
      try task.take(signature, of: model, output: output.name, shape, isLossOpen: isLossOpen)
      if isLossOpen, let target = task.targets.keys.sorted().first {
        task.loss = "mse(\(output.name), \(target))"
      }
    }
    let examples = try TrainingExamples(
      source, for: model, at: path, graph, task, isLossOpen: isLossOpen, extents: extents, request)
    (self.task, data, labels) = (examples.task, examples.data, examples.labels)
    sources = model.files + examples.files
    notes = [model.noteOnImport.map { "\(path): \($0)" }].compactMap(\.self) + examples.notes
    known = examples.known
    (training, held) = data.split(validating: plan.validate)
    if replaced != nil, !statesLabels, let labels, labels.count == shape.last {
      model = try model.labelled(output.name, labels)
    }
    (self.path, self.model, self.extents, seed) = (path, model, extents, request.seed)
    replacesLayer = replaced != nil
    foundLabels = statesLabels || labels == nil ? nil : request.data.first ?? "labels"
    threads = request.threads ?? ProcessInfo.processInfo.activeProcessorCount
    mostMemory = request.mostMemory
  }

  /// Refuses frames of a model that has none.
  private static func check(_ request: TrainingRequest, goesWith model: Model) throws(RequestError) {
    let frames: [(RequestError.Name, Int?)] = [
      (.window, request.window), (.warmup, request.warmup), (.chunk, request.chunk),
      (.recompute, request.recompute),
    ]
    guard !model.executesStream, let (name, _) = frames.first(where: { $0.1 != nil }) else { return }
    throw RequestError("\(name) counts frames of a stream; \(quoted(model.name)) is a model of steps")
  }

  /// Refuses parts of a request that are about other data than there is.
  private static func check(
    _ request: TrainingRequest, goesWith source: TrainingSource
  ) throws(RequestError) {
    let ofReadings: [(RequestError.Name, Bool)] = [
      (.hop, request.hop != nil), (.time, request.time != nil), (.recording, request.recording != nil),
    ]
    if let (name, _) = ofReadings.first(where: \.1) {
      guard case .readings = source else {
        throw RequestError("\(name) goes with a table of readings, for a model that listens")
      }
    }
    guard request.areAligned else { return }
    guard case .pairs = source else {
      throw RequestError("\(.align) goes with a sound and its target, in.wav:out.wav")
    }
  }

  /// A trainer for the task.
  ///
  /// - Parameters:
  ///   - optimizer: nil is that of the setup.
  ///   - training: what is learned from; nil for all data. A batch has no more examples.
  /// - Throws: `ModelError` and `TrainingError`, as the trainer does, also where an example does not go with it.
  public func trainer(optimizer: Optimizer? = nil, learning training: (any Dataset)? = nil) throws -> Trainer
  {
    var task = task
    let count = (training ?? data).count
    if count > 0 { task.batch = min(task.batch, count) }
    let trainer = try Trainer(
      model, task, optimizer: optimizer ?? self.optimizer, extents: extents, sampleRate: sampleRate,
      threads: threads, mostMemory: mostMemory)
    if let classes = trainer.classes, let labels, let foundLabels, labels.count != classes.count {
      throw TrainingError.data(
        "\(foundLabels): has \(labels.count) \(labels.count == 1 ? "class" : "classes"), and \(path) tells "
          + "\(classes.count) apart: they have to be as many, or the output states its 'labels'")
    }
    var first = Batch()
    if let classes = trainer.classes, let (labels, file) = known[classes.target] {
      let size = (trainer.shapes[classes.target] ?? []).reduce(1, *)
      try trainer.check(labels: labels, in: file, perExample: size)
    }
    if count > 0 {
      first.add(try data.item(0))
      try trainer.check(first)
    }
    return trainer
  }

  /// The loss as it is told: `esr` where it is the one that sounds have of themselves.
  package var lossText: String { isLossOpen && task.loss == task.metrics["esr"] ? "esr" : task.loss }
}
