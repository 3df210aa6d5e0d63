// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import LegatoTraining

extension TrainingSetup {
  /// The model and the data that the command line names.
  ///
  /// - Parameters:
  ///   - threads: where `--threads` says nothing; nil for one a core.
  ///   - validate: the share that is held back where `--validate` says nothing; nil for that of the model's file.
  ///   - mode: that in which a bundle has to run.
  init(
    _ arguments: Arguments, threads: Int? = nil, validate: Double? = nil, mode: ModelBundle.Mode = .train
  ) throws {
    let path = try arguments.operands("MODEL")[0]
    guard arguments.has(.data) || arguments.has(.artifacts) else {
      throw Failure.usage(
        "--data is missing: a sound and its target, in.wav:out.wav, a folder with one for each class, a table, "
          + "data.csv, or arrays, NAME=FILE")
    }
    let extents = try arguments.bound()
    let model = try Model.read(path, 1, extents, arguments)
    try model.check(bound: extents)
    var request = TrainingRequest(data: arguments.values(of: .data))
    (request.extents, request.images) = (extents, try arguments.namedImageForms(of: model))
    try request.take(arguments)
    request.threads = request.threads ?? threads
    request.validate = request.validate ?? validate
    try self.init(of: model, request, mode: mode)
  }

  /// How many examples a batch has, where it was asked for more than there are.
  func batchText(_ trainer: Trainer) -> String {
    let count = trainer.task.batch
    return "in batches of \(count)" + (count < task.batch ? ", as there are no more" : "")
      + (task.accumulate > 1 ? ", \(task.accumulate) of them for an update" : "")
  }
}

extension TrainingRequest {
  fileprivate mutating func take(_ arguments: Arguments) throws {
    areAligned = arguments.has(.align)
    hop = try arguments.integer(.hop, in: 1...1 << 24)
    (time, recording) = (try arguments.timeColumn(), arguments.value(of: .recording))
    (loss, metrics) = (arguments.value(of: .loss), try arguments.metrics())
    trainable = arguments.values(of: .learn)
    replacedLayer = try arguments.replacedLayer()
    window = try arguments.integer(.window, in: 1...1 << 20)
    warmup = try arguments.integer(.warmup, in: 0...1 << 20)
    chunk = try arguments.integer(.chunk, in: 1...1 << 20)
    recompute = try arguments.integer(.recompute, in: 1...1 << 20)
    batch = try arguments.integer(.batch, in: 1...1 << 20)
    accumulate = try arguments.integer(.accumulate, in: 1...1 << 20)
    rate = try arguments.number(.learningRate, in: 1e-9...1000)
    largestNorm = try arguments.number(.clip, in: 1e-9...1e9)
    schedule = try arguments.schedule()
    epochs = try arguments.integer(.epochs, in: 1...1_000_000)
    patience = try arguments.integer(.patience, in: 1...1_000_000)
    validate = try arguments.number(.validate, in: 0...0.9)
    seed = UInt64(try arguments.integer(.seed, in: 0...Int.max) ?? 1)
    threads = try arguments.integer(.threads, in: 1...1024)
    mostMemory = try arguments.integer(.memory, in: 1...1 << 24).map { $0 << 20 }
  }
}

extension Arguments {
  /// "mae=mae(dst, target)"
  fileprivate func metrics() throws(Failure) -> [String: String] {
    var metrics: [String: String] = [:]
    for text in values(of: .metric) {
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw .usage(
          "--metric takes NAME=EXPRESSION, such as 'mae=mae(dst, target)', not \(quoted(text))")
      }
      let name = String(text[..<equals])
      guard metrics.updateValue(String(text[text.index(after: equals)...]), forKey: name) == nil else {
        throw .usage("--metric \(quoted(name)) is given twice; call one of them otherwise")
      }
    }
    return metrics
  }

  /// "classifier:2"
  fileprivate func replacedLayer() throws(Failure) -> TrainingRequest.ReplacedLayer? {
    guard let text = value(of: .replace) else { return nil }
    guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
      let count = Int(text[text.index(after: colon)...]), (1...1 << 20).contains(count)
    else {
      throw .usage(
        "--replace takes a layer and how many numbers it makes, such as classifier:2, not \(quoted(text))")
    }
    return .init(String(text[..<colon]), count: count)
  }

  /// "warmup:100,cosine:900:0.1"
  fileprivate func schedule() throws(Failure) -> Schedule? {
    guard let text = value(of: .schedule) else { return nil }
    guard let schedule = Schedule(text) else {
      throw .usage(
        "--schedule takes warmup:STEPS, linear:STEPS[:TO], cosine:STEPS[:TO] or steps:EVERY:FACTOR, or a warm-up and "
          + "another one, such as warmup:100,cosine:900, not \(quoted(text))")
    }
    return schedule
  }
}
