// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
internal import Legato
internal import LegatoTraining

/// The model and the data of a run that learns, by the command line.
struct TrainingSetup {
  let path: String
  let model: Model
  let task: TrainingTask
  let data: AnyDataset
  let extents: [String: Int]
  private let sampleRate: Double?
  private let threads: Int

  /// A data set of whatever kind.
  struct AnyDataset: Dataset {
    let own: any Dataset
    var count: Int { own.count }
    func item(_ index: Int) throws -> [String: [Float]] { try own.item(index) }
  }

  init(_ arguments: Arguments) throws {
    path = try arguments.operands("MODEL")[0]
    let given = arguments.values(of: .data)
    guard !given.isEmpty else {
      throw Failure.usage("--data is missing: a sound and its target, in.wav:out.wav, or arrays, NAME=FILE")
    }
    var extents = try arguments.bound()
    model = try Model(contentsOf: path, extents: extents)
    let isSound = model.isStream
    var task = TrainingTask()
    for (option, key) in [(Option.batch, \TrainingTask.batch), (.window, \.window)] {
      if let number = try arguments.integer(option, in: 1...1 << 20) { task[keyPath: key] = number }
    }
    if let number = try arguments.integer(.warmup, in: 0...1 << 20) { task.warmup = number }
    if !arguments.values(of: .learn).isEmpty { task.trainable = arguments.values(of: .learn) }
    for text in arguments.values(of: .metric) {
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw Failure.usage(
          "--metric takes NAME=EXPRESSION, such as 'mae=mae(dst, target)', not \(quoted(text))")
      }
      task.metrics[String(text[..<equals])] = String(text[text.index(after: equals)...])
    }
    if isSound {
      let pairs = try given.map(Self.paths)
      let rate = try AudioFileReader(path: pairs[0].input).description.sampleRate
      let channels = try AudioFileReader(path: pairs[0].input).description.channels
      for symbol in model.symbols where extents[symbol] == nil { extents[symbol] = channels }
      let graph = try model.graph(extents: extents, sampleRate: Double(try model.rate(asked: rate)))
      guard let input = graph.inputs.first, graph.inputs.count == 1, let output = graph.outputs.first else {
        throw Failure.failed("\(path): a model of sound that learns has one input and one output")
      }
      task.loss = arguments.value(of: .loss) ?? "esr(\(output.name), target)"
      let read = try pairs.map { try AudioPairs.Pair(input: $0.input, target: $0.target, sampleRate: rate) }
      let counts = (input.type.shape.count, graph.shape(of: output.value).count)
      for (pair, names) in zip(read, pairs) where (pair.input.count, pair.target.count) != counts {
        throw TrainingError.data(
          "\(names.input):\(names.target): \(pair.input.count) channels and \(pair.target.count) for \(path), which has "
            + "\(counts.0) and \(counts.1)")
      }
      data = AnyDataset(
        own: try AudioPairs(read, task, latency: graph.aligned().latency, names: (input.name, "target")))
      sampleRate = Double(rate)
    } else {
      let arrays = try Self.arrays(given)
      let graph = try model.graph(extents: extents, sampleRate: nil)
      let inputs = Set(graph.inputs.map(\.name))
      task.targets = arrays.filter { !inputs.contains($0.key) }.mapValues { Array($0.shape.dropFirst()) }
      task.loss = arguments.value(of: .loss) ?? "mse(\(graph.outputs[0].name), target)"
      data = AnyDataset(own: try TensorExamples(arrays))
      sampleRate = nil
    }
    self.task = task
    self.extents = extents
    threads = try arguments.integer(.threads, in: 1...1024) ?? ProcessInfo.processInfo.activeProcessorCount
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
  private static func arrays(_ given: [String]) throws -> [String: Tensor] {
    var arrays: [String: Tensor] = [:]
    for text in given {
      if let equals = text.firstIndex(of: "="), equals != text.startIndex {
        arrays[String(text[..<equals])] = try Tensor(contentsOf: String(text[text.index(after: equals)...]))
      } else {
        let archive = try TensorArchive(contentsOf: text)
        for name in archive.names { arrays[name] = try archive.tensor(name) }
      }
    }
    return arrays
  }

  func trainer(optimizer: Optimizer) throws -> Trainer {
    let trainer = try Trainer(
      model, task, optimizer: optimizer, extents: extents, sampleRate: sampleRate, threads: threads)
    var first = Batch()
    first.add(try data.item(0))
    try trainer.check(first)
    return trainer
  }
}
