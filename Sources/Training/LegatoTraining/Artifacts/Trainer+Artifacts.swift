// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphGradients
internal import GraphIR
internal import Legato
internal import ONNXWriting
internal import TensorFiles

/// Programs and a checkpoint apart: where a device learns, neither the model's file nor its gradient is needed.
///
///     try Trainer(model, task, optimizer: …).writeArtifacts(to: "artifacts")        once, at home
///     let trainer = try Trainer(artifacts: "artifacts")                              there
///     let scores = try trainer.step(batch)
///     trainer.update()
///     trainer.resetGradients()
///     try trainer.evaluate(held)
///     try trainer.export(to: "learned.onnx", outputs: ["scores"])
extension Trainer {
  /// Writes what a trainer is made of: `artifacts.json`, graphs of training, evaluation, optimizer and inference as texts,
  /// that of what does not learn where there is one, `checkpoint.safetensors`, and `frozen.safetensors` where weights do not learn.
  ///
  /// - Parameters:
  ///   - folder: the path of the folder, which is made where there is none.
  ///   - replacesExisting: whether files of these names may be replaced that stand there, or removed.
  /// - Throws: `TrainingError.task` for a stream, `TrainingError.data` where a file is there, or cannot be written; nothing is
  ///   left behind then.
  public func writeArtifacts(to folder: String, replacesExisting: Bool = false) throws {
    let files = try artifacts().map { FilesTogether.File(path: "\(folder)/\($0.name)", bytes: $0.bytes) }
    let isThere = FileManager.default.fileExists(atPath: folder)
    do {
      if !isThere {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      }
    } catch {
      throw TrainingError.data("\(folder): the folder cannot be made")
    }
    do throws(AudioFileError) {
      try FilesTogether(files, replaceExisting: replacesExisting).commit()
    } catch {
      if !isThere { try? FileManager.default.removeItem(atPath: folder) }
      throw TrainingError.data(error.description)
    }
    // Files that others have left there, and these have no part of.
    let rest = [ArtifactsFile.features, ArtifactsFile.frozen].map { "\(folder)/\($0)" }
    for path in rest where replacesExisting && !files.contains(where: { $0.path == path }) {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  private func artifacts() throws -> [(name: String, bytes: [UInt8])] {
    let inference: Graph
    switch origin {
    case .artifacts(let graph): inference = graph
    case .model(let model, let extents):
      guard !model.executesStream else {
        throw TrainingError.task(
          "\(model.name): is a stream, which learns from its model file; artifacts are of models of steps")
      }
      inference = try model.graph(extents: extents, sampleRate: nil).canonical()
    }
    let own = Set(learned)
    let features = frozen?.graph
    var fixed: [GraphIR.Weights] = []
    for graph in [graphs.gradient, graphs.evaluation, step, inference] + (features.map { [$0] } ?? []) {
      for array in graph.weights where !fixed.contains(where: { $0.name == array.name }) {
        if !own.contains(array.name) { fixed.append(array) }
      }
    }
    // An array that has the name of another one stays in its text.
    func text(_ graph: Graph) -> [UInt8] {
      let left = graph.weights.filter { array in own.contains(array.name) || fixed.contains(array) }
      return Array(ProgramPorts.text(of: graph, withoutNumbersOf: Set(left.map(\.name))).utf8)
    }
    let contents = ArtifactsContents(
      artifacts: ArtifactsContents.form, name: inference.name, loss: task.loss, metrics: task.metrics,
      batch: task.batch, together: parts.examples,
      accumulate: task.accumulate == 1 ? nil : task.accumulate, scores: scores,
      classes: graphs.classes.map { .init(target: $0.target, count: $0.count) },
      examples: given.map { .init(name: $0.name, shape: $0.type.shape.fixed) },
      features: features.map { features in
        features.outputs.map {
          .init(name: $0.name, shape: Array(features.shape(of: $0.value).fixed.dropFirst()))
        }
      } ?? [],
      learned: learnedWeights.map { .init(name: $0.name, shape: $0.shape) }, parameters: graphs.parameters,
      frozen: fixed.map(\.name), own: ownWeights.map(\.name), optimizer: optimizer,
      programs: .init(
        training: ProgramPorts(graphs.gradient), evaluation: ProgramPorts(graphs.evaluation),
        optimizer: ProgramPorts(step), inference: ProgramPorts(inference),
        features: features.map { ProgramPorts($0) }))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var files: [(name: String, bytes: [UInt8])] = [
      (ArtifactsFile.contents, Array(try encoder.encode(contents)) + [UInt8(ascii: "\n")]),
      (ArtifactsFile.training, text(graphs.gradient)), (ArtifactsFile.evaluation, text(graphs.evaluation)),
      (ArtifactsFile.optimizer, text(step)), (ArtifactsFile.inference, text(inference)),
      (ArtifactsFile.checkpoint, try checkpoint().bytes),
    ]
    if let features { files.append((ArtifactsFile.features, text(features))) }
    if !fixed.isEmpty {
      do throws(TensorFileError) {
        files.append((ArtifactsFile.frozen, try TensorFileText(fixed, file: ArtifactsFile.frozen).bytes))
      } catch {
        throw TrainingError.data(error.description)
      }
    }
    return files
  }

  /// A trainer of a folder of artifacts, which goes on where its checkpoint was written. The model's own file is not read.
  ///
  /// - Parameters:
  ///   - folder: as `writeArtifacts` wrote it.
  ///   - threads: how many compute at a time; the bits do not depend on it.
  ///   - mostMemory: the most bytes that a step may take; nil for as many as the system has free.
  /// - Throws: `TrainingError.data` for a file that is missing or damaged, or goes with none of the others,
  ///   `TrainingError.checkpoint` for such a checkpoint.
  public convenience init(
    artifacts folder: String, threads: Int = 1, mostMemory: Int? = nil
  ) throws(TrainingError) {
    let read = try ReadArtifacts(folder)
    let own = read.contents.own.map { Set($0) }
    try self.init(
      read.learning, features: read.features, update: read.step, read.task, read.contents.optimizer,
      given: read.contents.examples.map(\.input), examples: read.contents.together,
      .artifacts(read.inference), read.inference.weights.filter { own?.contains($0.name) ?? true },
      threads: threads, mostMemory: mostMemory)
    try resume(from: "\(folder)/\(ArtifactsFile.checkpoint)")
  }

  /// The ONNX file of the model's graph in artifacts, with what was learned.
  func exportedGraph(outputs: [String]?) throws(TrainingError) -> [UInt8] {
    guard case .artifacts(var graph) = origin else { preconditionFailure("a trainer of a model") }
    for array in learnedWeights {
      if let row = graph.weights.firstIndex(where: { $0.name == array.name }) { graph.weights[row] = array }
    }
    for (name, value) in parameters {
      if let row = graph.parameters.firstIndex(where: { $0.name == name }) {
        graph.parameters[row].initial = value
      }
    }
    if let outputs {
      let all = graph.outputs
      graph.outputs = try outputs.map { name throws(TrainingError) in
        guard let output = all.first(where: { $0.name == name }) else {
          let known = alternatives(all.map { quoted($0.name) }, "and")
          throw .data("there is no output \(quoted(name)); there are \(known)")
        }
        return output
      }
    }
    return ONNXExport(graph.canonical()).bytes
  }
}
