// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
internal import Legato
internal import LegatoTraining

/// The model and the data of a run that learns, by the command line, and by what the model's file says.
struct TrainingSetup {
  let path: String
  let model: Model
  let task: TrainingTask
  /// The optimizer that the file states, with what the command line says instead.
  let optimizer: Optimizer
  let data: any Dataset
  /// The files of the model and of the data, none of which a result may replace.
  let sources: [String]
  let extents: [String: Int]
  /// The names of the classes, where there are such.
  let labels: [String]?
  let sampleRate: Double?
  /// Notes on odd data, a line each.
  let notes: [String]
  private let threads: Int
  private let mostMemory: Int?
  /// Whether neither the file nor the command line says a loss, so that the data does.
  let isLossOpen: Bool
  /// Whether neither of them says how many examples a batch has.
  let isBatchOpen: Bool
  /// Where the classes come from that the model does not state; nil where it does, or there are none.
  let foundLabels: String?
  /// The labels of all examples with the file that they stand in, of data that is in arrays.
  private let known: [String: (labels: [Float], file: String)]

  /// - Parameter threads: where `--threads` says nothing; nil for one a core.
  /// - Parameter mode: that in which a bundle has to run.
  init(_ arguments: Arguments, threads: Int? = nil, mode: ModelBundle.Mode = .train) throws {
    let path = try arguments.operands("MODEL")[0]
    let given = arguments.values(of: .data)
    guard !given.isEmpty || arguments.has(.artifacts) else {
      throw Failure.usage(
        "--data is missing: a sound and its target, in.wav:out.wav, a folder with one for each class, a table, "
          + "data.csv, or arrays, NAME=FILE")
    }
    var extents = try arguments.bound()
    var model = try Model.read(path, 1, extents, arguments)
    try model.check(bound: extents)
    let ofTargets = model.symbolsOfTargets
    _ = try model.extents(of: [:], known: extents.filter { !ofTargets.contains($0.key) })
    try model.check(mode)
    let forms = try arguments.imageForms(of: model)
    if arguments.has(.image) { model = try model.taking(forms) }
    for option in [Option.window, .warmup, .chunk, .recompute] where arguments.has(option) && !model.isStream
    {
      throw Failure.usage(
        "--\(option.name) counts frames of a stream; \(quoted(model.name)) is a model of steps")
    }
    let source = try TrainingSource(given, for: model, forms, extents)
    try Self.check(arguments, goWith: source)
    if let sound = source.sound {
      for symbol in model.symbols where extents[symbol] == nil { extents[symbol] = sound.channels }
    }
    if let sound = source.sound, let stated = model.sampleRate, Int(stated) != sound.sampleRate {
      throw TrainingError.data(
        "\(given[0]): the sound is at \(sound.sampleRate) Hz, and \(path) for \(Int(stated)): resample it first"
      )
    }
    var replaced: [String]?
    if let (layer, count) = try arguments.replacedLayer() {
      let seed = UInt64(try arguments.integer(.seed, in: 0...Int.max) ?? 1)
      (model, replaced) = try model.replacing(layer: layer, count: count, extents: extents, seed: seed)
    }
    sampleRate = source.sound.map { Double($0.sampleRate) }
    let graph = try model.graph(extents: extents, sampleRate: sampleRate)
    let output = graph.outputs[0]
    let shape = graph.shape(of: output.value).fixed
    let statesLabels = model.labels(of: output.name) != nil
    var task = try TrainingTask(of: model, extents: extents, arguments, replaced: replaced)
    optimizer = try Optimizer(of: model, arguments)
    isLossOpen = task.places["loss"] == nil && !arguments.has(.loss)
    isBatchOpen = task.places["train.batch"] == nil && !arguments.has(.batch)
    if let signature = model.bundle?.signature(mode) {
      try task.take(signature, of: model, output: output.name, shape, isLossOpen: isLossOpen)
      if isLossOpen, let target = task.targets.keys.sorted().first {
        task.loss = "mse(\(output.name), \(target))"
      }
    }
    let examples = try TrainingExamples(
      source, for: model, at: path, graph, task, isLossOpen: isLossOpen, extents: extents, arguments)
    (self.task, data, labels) = (examples.task, examples.data, examples.labels)
    sources = model.files + examples.files
    notes = [model.noteOnImport.map { "\(path): \($0)" }].compactMap(\.self) + examples.notes
    known = examples.known
    if replaced != nil, !statesLabels, let labels, labels.count == shape.last {
      model = try model.labelled(output.name, labels)
    }
    (self.path, self.model, self.extents) = (path, model, extents)
    foundLabels = statesLabels || labels == nil ? nil : given[0]
    self.threads =
      try arguments.integer(.threads, in: 1...1024) ?? threads ?? ProcessInfo.processInfo.activeProcessorCount
    mostMemory = try arguments.integer(.memory, in: 1...1 << 24).map { $0 << 20 }
  }

  /// Refuses options that are about other data than there is.
  private static func check(_ arguments: Arguments, goWith source: TrainingSource) throws(Failure) {
    for option in [Option.hop, .time, .recording] where arguments.has(option) {
      guard case .readings = source else {
        throw .usage("--\(option.name) goes with a table of readings, for a model that listens")
      }
    }
    guard arguments.has(.align) else { return }
    guard case .pairs = source else {
      throw .usage("--align goes with a sound and its target, in.wav:out.wav")
    }
  }

  /// - Parameters:
  ///   - optimizer: nil is that of the file and the command line.
  ///   - training: what is learned from; nil for all data. A batch has no more examples.
  func trainer(optimizer: Optimizer? = nil, learning training: (any Dataset)? = nil) throws -> Trainer {
    var task = task
    let count = (training ?? data).count
    if count > 0 { task.batch = min(task.batch, count) }
    let trainer = try Trainer(
      model, task, optimizer: optimizer ?? self.optimizer, extents: extents, sampleRate: sampleRate,
      threads: threads, mostMemory: mostMemory)
    if let classes = trainer.classes, let labels, let foundLabels, labels.count != classes.count {
      throw TrainingError.data(
        "\(foundLabels): has \(labels.count) \(labels.count == 1 ? "class" : "classes"), and \(path) tells \(classes.count) apart: they "
          + "have to be as many, or the output states its 'labels'")
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
  var lossText: String { isLossOpen && task.loss == task.metrics["esr"] ? "esr" : task.loss }

  /// How many examples a batch has, where it was asked for more than there are.
  func batchText(_ trainer: Trainer) -> String {
    let count = trainer.task.batch
    return "in batches of \(count)" + (count < task.batch ? ", as there are no more" : "")
      + (task.accumulate > 1 ? ", \(task.accumulate) of them for an update" : "")
  }
}
