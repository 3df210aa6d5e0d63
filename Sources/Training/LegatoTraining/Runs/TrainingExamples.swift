// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato
internal import Listening

/// The examples of a run, and what they make of its task: the shapes of targets, the classes, and the loss where nobody
/// says one.
struct TrainingExamples {
  private(set) var task: TrainingTask
  private(set) var data: any Dataset = NoExamples()
  /// The files that they are in.
  private(set) var files: [String]
  /// The names of the classes, where there are such.
  private(set) var labels: [String]?
  /// Notes on odd data, a line each.
  private(set) var notes: [String] = []
  /// The labels of all examples with the file that they stand in, of data that is in arrays.
  private(set) var known: [String: (labels: [Float], file: String)] = [:]
  private let path: String
  private let model: Model
  private let graph: Graph
  private let isLossOpen: Bool
  /// The output that is compared with the target, and its shape without frames.
  private let output: OutputPort
  private let shape: [Int]

  /// No data, of programs for data that is elsewhere.
  private struct NoExamples: Dataset {
    let count = 0
    func item(_ index: Int) -> [String: [Float]] { [:] }
  }

  /// - Parameters:
  ///   - source: where they come from.
  ///   - path: the model's, for messages.
  ///   - graph: the model's, at the rate of the data.
  ///   - task: as the model's file and the request state it.
  ///   - isLossOpen: whether neither of these says a loss.
  ///   - extents: a number for each of the model's symbols.
  init(
    _ source: TrainingSource, for model: Model, at path: String, _ graph: Graph, _ task: TrainingTask,
    isLossOpen: Bool, extents: [String: Int], _ request: TrainingRequest
  ) throws {
    (self.path, self.model, self.graph, self.task, self.isLossOpen) = (path, model, graph, task, isLossOpen)
    files = source.files
    output = graph.outputs[0]
    shape = graph.shape(of: output.value).fixed
    labels = model.labels(of: output.name) ?? request.labels
    switch source {
    case .pairs(let pairs, let sound):
      try takePairs(pairs, sampleRate: sound.sampleRate, areAligned: request.areAligned)
    case .sounds(let folder, let sound):
      try classify()
      let input = try input()
      let fixed = input.type.shape.fixed
      let (channels, frames) =
        model.executesStream
        ? (input.type.shape.count, task.window) : (fixed.dropLast().reduce(1, *), fixed.last ?? 1)
      take(
        try LabelledFiles(
          sounds: folder, channels: channels, frames: frames,
          warmup: model.executesStream ? task.warmup : 0, sampleRate: sound.sampleRate, labels: labels,
          names: (input.name, target())), of: folder)
    case .pictures(let folder, let form):
      try classify()
      let input = try input()
      take(
        try LabelledFiles(
          pictures: folder, shape: input.type.shape.fixed, as: form, labels: labels,
          names: (input.name, target())), of: folder)
    case .readings(let path):
      try classify()
      take(
        try ReadingWindows(
          path, for: model, extents: extents, hop: request.hop, time: request.time,
          recording: request.recording, labels: labels, target: target()), of: path)
    case .table(let path): try takeTable(path)
    case .arrays(let arrays, let files): try takeArrays(arrays, files)
    case .examples(let examples):
      if labels != nil || isOfClasses { try classify() }
      data = examples
    case .nothing:
      if labels != nil { try classify() }
    }
    noteDoubleSoftmax()
  }

  private func input() throws(TrainingError) -> InputPort {
    guard let input = graph.inputs.first, graph.inputs.count == 1 else {
      throw .task("\(path): a model that learns from sounds or folders has one input")
    }
    return input
  }

  // MARK: Classes

  /// Whether the only target has a number for each row of the output, and not one for each of its numbers.
  private var isOfClasses: Bool {
    guard isLossOpen, !model.executesStream, task.targets.count == 1, let target = task.targets.first?.value
    else { return false }
    return target == shape.dropLast() && shape.last ?? 1 > 1
  }

  /// The target that an output is compared with: the one called so, or the only one, whatever it is called.
  private func target() throws(RequestError) -> String {
    guard !task.targets.isEmpty, task.targets["target"] == nil else { return "target" }
    guard let name = task.targets.keys.first, task.targets.count == 1 else {
      let names = alternatives(task.targets.keys.sorted().map { quoted($0) }, "and")
      throw RequestError(
        "\(path): nothing says which of \(names) \(quoted(output.name)) is compared with; call that one 'target', "
          + "or say \(.loss)"
      )
    }
    return name
  }

  /// Compares a class with one number along the last axis, the mean over frames.
  private mutating func classify() throws(RequestError) {
    if isLossOpen {
      let numbers = model.executesStream ? "mean(\(output.name), axis: -1)" : output.name
      let scores = graph.isSoftmax(output.value) ? logarithm(of: numbers) : numbers
      task.loss = "crossEntropy(\(scores), \(try target()))"
    }
    if task.targets.isEmpty {
      task.targets = ["target": model.executesStream ? [] : Array(shape.dropLast())]
    }
  }

  /// The softmax of the logarithm of probabilities are these themselves.
  ///
  /// That of an output of steps is computed without them (`Graph.withLogarithmsOfQuotients`); of means, and of frames, what
  /// is too small for a float has a logarithm all the same.
  private func logarithm(of probabilities: String) -> String {
    let isOutput = !model.executesStream && graph.outputs.contains { $0.name == probabilities }
    return isOutput ? "log(\(probabilities))" : "log(max(\(probabilities), 1e-37))"
  }

  /// Says where a loss that somebody wrote makes a softmax of one.
  private mutating func noteDoubleSoftmax() {
    guard !isLossOpen, let scores = task.classified?.scores,
      let terms = try? GraphIR.Expression(parsing: scores).terms, var last = terms.last?.kind
    else { return }
    // Means of probabilities are some, too.
    if case .call("mean", let arguments) = last, let first = arguments.first { last = terms[first.term].kind }
    guard case .name(let name) = last, let output = graph.outputs.first(where: { $0.name == name }),
      graph.isSoftmax(output.value)
    else { return }
    notes.append(
      "\(path): \(quoted(name)) is a softmax, of which crossEntropy makes another one; the loss of its probabilities is "
        + "crossEntropy(\(logarithm(of: scores)), …)")
  }

  // MARK: Kinds of data

  private mutating func takePairs(
    _ pairs: [(input: String, target: String)], sampleRate: Int, areAligned: Bool
  ) throws {
    let input = try input()
    let read = try pairs.map { pair in
      areAligned
        ? try AudioPairs.Pair(aligning: pair.input, to: pair.target, sampleRate: sampleRate)
        : try AudioPairs.Pair(input: pair.input, target: pair.target, sampleRate: sampleRate)
    }
    let counts = (input.type.shape.count, graph.shape(of: output.value).count)
    for (pair, names) in zip(read, pairs) where (pair.input.count, pair.target.count) != counts {
      throw TrainingError.data(
        "\(names.input):\(names.target): \(counted(pair.input.count, "channel")) and \(pair.target.count) for \(path), which has "
          + "\(counts.0) and \(counts.1)")
    }
    let names = (input: input.name, target: try target())
    let windows = try AudioPairs(read, task, latency: graph.aligned().latency, names: names)
    if !windows.shortPairs.isEmpty {
      notes.append(
        "\(listed(windows.shortPairs.map { pairs[$0].input })): shorter than a window of "
          + "\(counted(task.window, "frame")), and left out")
    }
    if task.targets[names.target].map({ $0 == shape + [task.window] }) ?? true {
      let power = try windows.power(of: names.target)
      // Below -120 dB.
      guard power > 1e-12 else {
        throw TrainingError.data(
          "\(listed(pairs.map(\.target))): silent, so that no error is a part of it: is it the right target?"
        )
      }
      let ratio = TrainingTask.relativeError(of: output.name, target: names.target, power: power)
      guard task.metrics["esr"] == nil else {
        let flaw = ": 'esr' is the metric that sounds have of themselves; call another one otherwise"
        if let place = task.places["esr"] { throw TrainingError.file(place + flaw) }
        throw RequestError("\(.metric)\(flaw)")
      }
      task.metrics["esr"] = ratio
      if isLossOpen { task.loss = ratio }
    }
    data = windows
  }

  private mutating func take(_ files: LabelledFiles, of folder: String) {
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
    (data, labels, self.files) = (files, files.labels, files.paths)
  }

  private mutating func take(_ readings: ReadingWindows, of path: String) {
    if !readings.faults.isEmpty { notes.append("\(path): \(readings.faults)") }
    if readings.unlabelled > 0 {
      notes.append("\(path): \(counted(readings.unlabelled, "window")) without a label")
    }
    let outvoted = readings.outvoted.sorted { $0.value.line < $1.value.line }
    for (label, stated) in outvoted.prefix(3) {
      notes.append(
        "\(path):\(stated.line): \(quoted(label)) is the label of \(counted(stated.count, "reading")), and of no whole window"
      )
    }
    if outvoted.count > 3 {
      notes.append("\(path): \(counted(outvoted.count - 3, "more label")) of no whole window")
    }
    (data, labels) = (readings, readings.labels)
  }

  private mutating func takeTable(_ path: String) throws {
    let targets = task.targets.isEmpty ? ["target"] : task.targets.keys.sorted()
    let (arrays, classes) = try TableFile(contentsOf: path).examples(
      inputs: graph.inputs.map { ($0.name, $0.type.shape.fixed) }, targets: targets, labels: labels)
    let areNames = classes != nil || labels != nil
    for name in targets where task.targets[name] == nil {
      let own = Array(arrays[name]!.shape.dropFirst())
      task.targets[name] = own.isEmpty && !areNames && isLossOpen && shape.reduce(1, *) == 1 ? shape : own
    }
    if areNames || isOfClasses { try classify() }
    labels = classes ?? labels
    for name in targets { known[name] = (arrays[name]!.values, path) }
    data = try TensorExamples(arrays)
  }

  private mutating func takeArrays(_ arrays: [String: Tensor], _ files: [String: String]) throws {
    let inputs = Set(graph.inputs.map(\.name))
    let isOpen = task.targets.isEmpty
    if isOpen {
      task.targets = arrays.filter { !inputs.contains($0.key) }.mapValues { Array($0.shape.dropFirst()) }
    }
    if labels != nil || isOfClasses { try classify() }
    if isOpen { try Self.checkUse(of: task, by: inputs) }
    for name in task.targets.keys { known[name] = (arrays[name]?.values ?? [], files[name] ?? "") }
    data = try TensorExamples(arrays, files: files)
  }

  /// Whether each array that is no input is looked at.
  private static func checkUse(of task: TrainingTask, by inputs: Set<String>) throws(RequestError) {
    var used: Set<String> = []
    for text in [task.loss] + task.metrics.values {
      // A flaw of an expression is told where it is made.
      guard let expression = try? GraphIR.Expression(parsing: text) else { return }
      used.formUnion(expression.names)
    }
    if let idle = task.targets.keys.sorted().first(where: { !used.contains($0) }) {
      let known = inputs.sorted().map { quoted($0) }.joined(separator: ", ")
      throw RequestError(
        "\(.data): \(quoted(idle)) is no input, and no loss or metric looks at it; the inputs are \(known)")
    }
  }
}
