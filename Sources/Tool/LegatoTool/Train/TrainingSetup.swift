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
  let data: AnyDataset
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
  /// Where the classes come from that the model does not state; nil where it does, or there are none.
  private let foundLabels: String?
  /// The labels of all examples with the file that they stand in, of data that is in arrays.
  private var known: [String: (labels: [Float], file: String)] = [:]

  /// A data set of whatever kind.
  struct AnyDataset: Dataset {
    let own: any Dataset
    var count: Int { own.count }
    func item(_ index: Int) throws -> [String: [Float]] { try own.item(index) }
    func whole(of index: Int) -> Int { own.whole(of: index) }
  }

  /// No data, of programs for data that is elsewhere.
  private struct NoExamples: Dataset {
    let count = 0
    func item(_ index: Int) -> [String: [Float]] { [:] }
  }

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
    let rate = try arguments.number(.learningRate, in: 1e-9...1000)
    let norm = try arguments.number(.clip, in: 1e-9...1e9)
    var extents = try arguments.bound()
    var model = try Model(contentsOf: path, extents: extents)
    try model.check(mode)
    let forms = try arguments.imageForms(of: model)
    if arguments.has(.image) { model = try model.taking(forms) }
    for option in [Option.window, .warmup, .chunk, .recompute] where arguments.has(option) && !model.isStream
    {
      throw Failure.usage(
        "--\(option.name) counts frames of a stream; \(quoted(model.name)) is a model of steps")
    }
    let source = try Self.source(given, model, forms, extents)
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
    let hertz = source.sound?.sampleRate
    sampleRate = hertz.map(Double.init)
    let graph = try model.graph(extents: extents, sampleRate: sampleRate)
    var task = try TrainingTask(
      of: model, extents: extents, window: try arguments.integer(.window, in: 1...1 << 20))
    if let number = try arguments.integer(.batch, in: 1...1 << 20) { task.batch = number }
    if let number = try arguments.integer(.warmup, in: 0...1 << 20) { task.warmup = number }
    if let number = try arguments.integer(.chunk, in: 1...1 << 20) {
      (task.chunk, task.places["train.chunk"]) = (number, nil)
    }
    if let number = try arguments.integer(.recompute, in: 1...1 << 20) {
      (task.recompute, task.places["train.recompute"]) = (number, nil)
    }
    let learn = arguments.values(of: .learn)
    if let names = learn.isEmpty ? replaced : learn {
      (task.trainable, task.places[TrainingTask.trainableKey]) = (names, nil)
    }
    for text in arguments.values(of: .metric) {
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw Failure.usage(
          "--metric takes NAME=EXPRESSION, such as 'mae=mae(dst, target)', not \(quoted(text))")
      }
      let name = String(text[..<equals])
      (task.metrics[name], task.places[name]) = (String(text[text.index(after: equals)...]), nil)
    }
    let statesLoss = task.places["loss"] != nil
    if let loss = arguments.value(of: .loss) { (task.loss, task.places["loss"]) = (loss, nil) }
    let isOpen = !statesLoss && !arguments.has(.loss)
    let output = graph.outputs[0]
    var labels = model.labels(of: output.name)
    let statesLabels = labels != nil
    var notes = [model.noteOnImport.map { "\(path): \($0)" }].compactMap(\.self)
    func note(_ files: LabelledFiles, _ folder: String) {
      if !files.missing.isEmpty {
        let names = files.missing.prefix(8).map { quoted($0) }.joined(separator: ", ")
        notes.append(
          "\(folder): no folder is called \(names)\(files.missing.count > 8 ? ", …" : ""), as the model's classes are"
        )
      }
      if files.shortFiles > 0 {
        notes.append(
          "\(folder): \(counted(files.shortFiles, "file")) shorter than an example: silence is behind them")
      }
    }
    let shape = graph.shape(of: output.value).fixed
    if let signature = model.bundle?.signature(mode) {
      try task.take(signature, of: model, classes: labels == nil ? nil : shape)
      if isOpen, let target = task.targets.keys.sorted().first {
        task.loss = "mse(\(output.name), \(target))"
      }
    }
    func input() throws(Failure) -> InputPort {
      guard let input = graph.inputs.first, graph.inputs.count == 1 else {
        throw .failed("\(path): a model that learns from sounds or folders has one input")
      }
      return input
    }
    // The target that a class is; the model's file may call it otherwise.
    let target = task.targets.keys.sorted().first ?? "target"
    /// What a class is compared with: one number along the last axis, the mean over frames.
    func classify() {
      if isOpen {
        let scores = model.executesStream ? "mean(\(output.name), axis: -1)" : output.name
        task.loss = "crossEntropy(\(scores), \(target))"
      }
      if task.targets.isEmpty {
        task.targets = [target: model.executesStream ? [] : Array(shape.dropLast())]
      }
    }
    for option in [Option.hop, .time, .recording] where arguments.has(option) {
      guard case .readings = source else {
        throw Failure.usage("--\(option.name) goes with a table of readings, for a model that listens")
      }
    }
    if arguments.has(.align) {
      guard case .pairs = source else {
        throw Failure.usage("--align goes with a sound and its target, in.wav:out.wav")
      }
    }
    switch source {
    case .pairs(let pairs, let sound):
      let input = try input()
      let read = try pairs.map { pair in
        arguments.has(.align)
          ? try AudioPairs.Pair(aligning: pair.input, to: pair.target, sampleRate: sound.sampleRate)
          : try AudioPairs.Pair(input: pair.input, target: pair.target, sampleRate: sound.sampleRate)
      }
      let counts = (input.type.shape.count, graph.shape(of: output.value).count)
      for (pair, names) in zip(read, pairs) where (pair.input.count, pair.target.count) != counts {
        throw TrainingError.data(
          "\(names.input):\(names.target): \(counted(pair.input.count, "channel")) and \(pair.target.count) for \(path), which has "
            + "\(counts.0) and \(counts.1)")
      }
      let names = (input: input.name, target: task.targets.keys.sorted().first ?? "target")
      let windows = try AudioPairs(read, task, latency: graph.aligned().latency, names: names)
      if task.targets[names.target].map({ $0 == shape + [task.window] }) ?? true {
        let ratio = TrainingTask.relativeError(
          of: output.name, target: names.target, power: try windows.power(of: names.target))
        guard task.metrics["esr"] == nil else {
          throw Failure.faults([
            (task.places["esr"] ?? "--metric")
              + ": 'esr' is the metric that sounds have of themselves; call another one otherwise"
          ])
        }
        task.metrics["esr"] = ratio
        if isOpen { task.loss = ratio }
      }
      data = AnyDataset(own: windows)
    case .sounds(let folder, let sound):
      classify()
      let input = try input()
      let fixed = input.type.shape.fixed
      let (channels, frames) =
        model.executesStream
        ? (input.type.shape.count, task.window) : (fixed.dropLast().reduce(1, *), fixed.last ?? 1)
      let files = try LabelledFiles(
        sounds: folder, channels: channels, frames: frames, warmup: model.executesStream ? task.warmup : 0,
        sampleRate: sound.sampleRate, labels: labels, names: (input.name, target))
      note(files, folder)
      (data, labels) = (AnyDataset(own: files), files.labels)
    case .pictures(let folder, let form):
      classify()
      let input = try input()
      let files = try LabelledFiles(
        pictures: folder, shape: input.type.shape.fixed, as: form, labels: labels,
        names: (input.name, target))
      note(files, folder)
      (data, labels) = (AnyDataset(own: files), files.labels)
    case .readings(let path):
      classify()
      let readings = try ReadingWindows(
        path, for: model, extents: extents, hop: arguments.integer(.hop, in: 1...1 << 24),
        time: arguments.timeColumn(), recording: arguments.value(of: .recording), labels: labels)
      if !readings.faults.isEmpty { notes.append("\(path): \(readings.faults)") }
      if readings.unlabelled > 0 {
        notes.append("\(path): \(counted(readings.unlabelled, "window")) without a label")
      }
      (data, labels) = (AnyDataset(own: readings), readings.labels)
    case .table(let path):
      let targets = task.targets.isEmpty ? ["target"] : task.targets.keys.sorted()
      let (arrays, classes) = try TableFile(contentsOf: path).examples(
        inputs: graph.inputs.map { ($0.name, $0.type.shape.fixed) }, targets: targets, labels: labels)
      if classes != nil || labels != nil { classify() }
      for name in targets where task.targets[name] == nil {
        let own = Array(arrays[name]!.shape.dropFirst())
        task.targets[name] = own.isEmpty && isOpen && shape.reduce(1, *) == 1 ? shape : own
      }
      labels = classes ?? labels
      for name in targets { known[name] = (arrays[name]!.values, path) }
      data = AnyDataset(own: try TensorExamples(arrays))
    case .arrays(let arrays, let files):
      let inputs = Set(graph.inputs.map(\.name))
      if task.targets.isEmpty {
        task.targets = arrays.filter { !inputs.contains($0.key) }.mapValues { Array($0.shape.dropFirst()) }
        if labels != nil { classify() }
        try Self.checkUse(of: task, by: inputs)
      } else if labels != nil {
        classify()
      }
      for name in task.targets.keys { known[name] = (arrays[name]?.values ?? [], files[name] ?? "") }
      data = AnyDataset(own: try TensorExamples(arrays, files: files))
    case .nothing:
      if labels != nil { classify() }
      data = AnyDataset(own: NoExamples())
    }
    if replaced != nil, !statesLabels, let labels, labels.count == shape.last {
      model = try model.labelled(output.name, labels)
    }
    var optimizer = Optimizer(of: model)
    optimizer.rate = rate ?? optimizer.rate
    optimizer.largestNorm = norm ?? optimizer.largestNorm
    (self.path, self.model, self.task, self.optimizer) = (path, model, task, optimizer)
    self.extents = extents
    (self.labels, self.notes, isLossOpen) = (labels, notes, isOpen)
    foundLabels = statesLabels || labels == nil ? nil : given[0]
    self.threads =
      try arguments.integer(.threads, in: 1...1024) ?? threads ?? ProcessInfo.processInfo.activeProcessorCount
    mostMemory = try arguments.integer(.memory, in: 1...1 << 24).map { $0 << 20 }
  }

  // MARK: Data

  /// The rate of the sounds in hertz, and the channels of the first one.
  private typealias Sound = (sampleRate: Int, channels: Int)

  private enum Source {
    case pairs([(input: String, target: String)], Sound)
    case sounds(folder: String, Sound)
    case pictures(folder: String, ImageForm)
    /// A table with a reading in each line, for a model that listens.
    case readings(String)
    case table(String)
    case arrays([String: Tensor], files: [String: String])
    case nothing

    var sound: Sound? {
      switch self {
      case .pairs(_, let sound), .sounds(_, let sound): sound
      case .pictures, .readings, .table, .arrays, .nothing: nil
      }
    }
  }

  private static func source(
    _ given: [String], _ model: Model, _ forms: [String: ImageForm], _ extents: [String: Int]
  ) throws -> Source {
    guard !given.isEmpty else { return .nothing }
    if LabelledFiles.isFolder(given[0]) {
      guard given.count == 1 else { throw Failure.usage("--data takes one folder, with one for each class") }
      if let input = model.inputs.first, let form = forms[input.name] {
        return .pictures(folder: given[0], form)
      }
      return .sounds(folder: given[0], try LabelledFiles.sound(in: given[0]))
    }
    if model.isStream {
      let pairs = try given.map(Self.paths)
      let first = try AudioFileReader(path: pairs[0].input).description
      return .pairs(pairs, (first.sampleRate, first.channels))
    }
    if given[0].lowercased().hasSuffix(".csv"), !given[0].contains("=") {
      guard given.count == 1 else { throw Failure.usage("--data takes one table") }
      return ReadingWindows.describes(given[0], for: model, extents: extents)
        ? .readings(given[0]) : .table(given[0])
    }
    let (arrays, files) = try Self.arrays(given)
    return .arrays(arrays, files: files)
  }

  /// "in.wav:out.wav"
  private static func paths(_ text: String) throws(Failure) -> (input: String, target: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw .usage("--data takes a sound and its target, in.wav:out.wav, not \(quoted(text))")
    }
    return (String(parts[0]), String(parts[1]))
  }

  /// "x=x.npy", or a file of several arrays by their names.
  private static func arrays(
    _ given: [String]
  ) throws -> (arrays: [String: Tensor], files: [String: String]) {
    var (arrays, files): ([String: Tensor], [String: String]) = ([:], [:])
    for text in given {
      if let equals = text.firstIndex(of: "="), equals != text.startIndex {
        let (name, path) = (String(text[..<equals]), String(text[text.index(after: equals)...]))
        (arrays[name], files[name]) = (try Tensor(contentsOf: path), path)
      } else {
        let archive = try TensorArchive(contentsOf: text)
        for name in archive.names { (arrays[name], files[name]) = (try archive.tensor(name), text) }
      }
    }
    return (arrays, files)
  }

  /// Whether each array that is no input is looked at.
  private static func checkUse(of task: TrainingTask, by inputs: Set<String>) throws(Failure) {
    var used: Set<String> = []
    for text in [task.loss] + task.metrics.values {
      // What is wrong with an expression is said where it is made.
      guard let expression = try? GraphIR.Expression(parsing: text) else { return }
      used.formUnion(expression.names)
    }
    if let idle = task.targets.keys.sorted().first(where: { !used.contains($0) }) {
      let known = inputs.sorted().map { quoted($0) }.joined(separator: ", ")
      throw .usage(
        "--data: \(quoted(idle)) is no input, and no loss or metric looks at it; the inputs are \(known)")
    }
  }

  // MARK: Trainer

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

  /// How many examples a batch has, where it was asked for more than there are.
  func batchText(_ trainer: Trainer) -> String {
    let count = trainer.task.batch
    return count < task.batch ? "in batches of \(count), as there are no more" : "in batches of \(count)"
  }
}

extension Arguments {
  /// "classifier:2"
  fileprivate func replacedLayer() throws(Failure) -> (layer: String, count: Int)? {
    guard let text = value(of: .replace) else { return nil }
    guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
      let count = Int(text[text.index(after: colon)...]), (1...1 << 20).contains(count)
    else {
      throw .usage(
        "--replace takes a layer and how many numbers it makes, such as classifier:2, not \(quoted(text))")
    }
    return (String(text[..<colon]), count)
  }
}
