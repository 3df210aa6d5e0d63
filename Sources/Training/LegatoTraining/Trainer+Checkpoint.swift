// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
public import Legato
internal import ONNXWriting
internal import RealtimeCore
internal import TensorFiles

/// Where a run is, in one safetensors file: the weights by their names, what the optimizer remembers of each, and in its
/// texts how many updates there were and what the caller adds.
///
///     head.weight   optimizer.0.head.weight   optimizer.1.head.weight       { "updates": "1200", "epoch": "3" }
///     best.head.weight        where a run has a best epoch, what was learned by then
///
/// Where a weight is called so itself, more points follow: "best..head.weight". A digest of all of it (`CheckpointDigest`) is
/// one more text, and a format says that it is there; a file with neither is read, too.
extension Trainer {
  /// The prefixes of arrays that are no weight's own.
  func prefix(_ word: String) -> String {
    var prefix = word + "."
    while arrays.contains(where: { $0.name.utf8.starts(with: prefix.utf8) }) { prefix += "." }
    return prefix
  }

  /// The file of a checkpoint.
  ///
  /// - Parameters:
  ///   - properties: texts by names of the caller's; `updates`, `digest` and `format` are those of the checkpoint itself.
  ///   - best: what all that learns was at the best epoch; nil where there is none yet.
  /// - Throws: `TrainingError.checkpoint` where a number has become none that is finite: nobody could go on there.
  public func checkpoint(
    properties: [String: String] = [:], best: [String: Tensor]? = nil
  ) throws(TrainingError) -> [UInt8] {
    var tensors: [GraphIR.Weights] = []
    let (bestPrefix, momentPrefix) = (prefix("best"), prefix("optimizer"))
    for (row, array) in arrays.enumerated() {
      let range = layout.starts[row]..<layout.starts[row] + array.values.count
      func add(_ name: String, _ numbers: [Float]) throws(TrainingError) {
        guard numbers.allSatisfy(\.isFinite) else {
          throw .checkpoint(
            "no checkpoint is written: \(quoted(name)) has become infinite, or no number; a smaller rate, or clipping, helps"
          )
        }
        tensors.append(GraphIR.Weights(name: name, shape: array.shape, values: Numbers(numbers)))
      }
      try add(array.name, weights.numbers(range))
      for moment in 0..<optimizer.moments {
        let start = moment * layout.count
        try add(
          "\(momentPrefix)\(moment).\(array.name)",
          moments.numbers(start + range.lowerBound..<start + range.upperBound))
      }
      if let values = best?[array.name]?.values { try add(bestPrefix + array.name, values) }
    }
    do throws(TensorFileError) {
      let format = CheckpointDigest.format
      var texts = properties.merging(["updates": String(updates), format.key: format.value]) { $1 }
      texts[CheckpointDigest.key] = CheckpointDigest.text(of: tensors, texts)
      return try TensorFileText(tensors, metadata: texts, file: "the checkpoint").bytes
    } catch {
      throw .checkpoint(error.description)
    }
  }

  /// Writes the file of a checkpoint, in the place of one that is there: a whole one stands there at any moment, also where the
  /// program or the machine ends in between.
  ///
  /// - Throws: `TrainingError.checkpoint` as `checkpoint` does, `.data` where the file cannot be written.
  public func writeCheckpoint(
    to path: String, properties: [String: String] = [:], best: [String: Tensor]? = nil
  ) throws(TrainingError) {
    try Self.write([.init(path: path, bytes: checkpoint(properties: properties, best: best))])
  }

  private static func write(_ files: [FilesTogether.File]) throws(TrainingError) {
    do throws(AudioFileError) {
      try FilesTogether(files, replaceExisting: true).commit()
    } catch {
      throw .data(error.description)
    }
  }

  /// Goes on where a checkpoint was written.
  ///
  /// - Returns: the properties that it was written with.
  /// - Throws: `TrainingError.checkpoint` where it is damaged, or of another model; nothing is changed then.
  @discardableResult
  public func resume(from path: String) throws(TrainingError) -> [String: String] {
    try goOn(from: path).properties
  }

  /// Goes on where a checkpoint was written, as `resume` does.
  ///
  /// - Returns: the properties, and what learns as it was at the best epoch, if there was one.
  public func goOn(
    from path: String
  ) throws(TrainingError) -> (properties: [String: String], best: [String: Tensor]?) {
    let file = try Self.arrays(of: path)
    var best: [String: Tensor] = [:]
    var found: [(place: Int, isMoment: Bool, numbers: Numbers)] = []
    do throws(TensorFileError) {
      let (bestPrefix, momentPrefix) = (prefix("best"), prefix("optimizer"))
      let names = arrays.map { array in
        [array.name] + (0..<optimizer.moments).map { "\(momentPrefix)\($0).\(array.name)" }
      }
      let hasBest = file.entries.contains { $0.name.utf8.starts(with: bestPrefix.utf8) }
      try Self.check(file, path, names.flatMap(\.self) + (hasBest ? arrays.map { bestPrefix + $0.name } : []))
      func entry(_ name: String, _ array: GraphIR.Weights) throws(TensorFileError) -> TensorEntry {
        let entry = file.entry(name)!
        guard entry.shape == array.shape else {
          throw TensorFileError(
            path, tensor: name,
            "is \(entry.shape), and not \(array.shape): the checkpoint is of another model")
        }
        return entry
      }
      for (row, array) in arrays.enumerated() {
        if hasBest {
          let values = try file.numbers(of: entry(bestPrefix + array.name, array))
          best[array.name] = try? Tensor(shape: array.shape, values: Array(values))
        }
        for (turn, name) in names[row].enumerated() {
          let entry = try entry(name, array)
          let start = layout.starts[row] + max(0, turn - 1) * layout.count
          found.append((start, turn > 0, try file.numbers(of: entry)))
        }
      }
      guard let text = file.metadata["updates"], let count = Int(text), (0..<1 << 53).contains(count) else {
        throw TensorFileError(path, "does not say after how many updates it was written: it is no checkpoint")
      }
      updates = count
    } catch {
      throw .checkpoint(error.description)
    }
    for (place, isMoment, numbers) in found {
      if isMoment { moments.write(numbers, at: place) } else { weights.write(numbers, at: place) }
    }
    keepWithinRanges()
    resetGradients()
    let properties = file.metadata.filter {
      !["updates", CheckpointDigest.key, CheckpointDigest.format.key].contains($0.key)
    }
    return (properties, best.isEmpty ? nil : best)
  }

  /// The arrays of a safetensors file, which are those of its digest where it has one.
  static func arrays(of path: String) throws(TrainingError) -> TensorFile {
    guard FileManager.default.fileExists(atPath: path) else {
      throw .checkpoint(TensorFileError(path, "does not exist").description)
    }
    let bytes: [UInt8]
    do throws(AudioFileError) { bytes = try FileBytes.read(path, most: .max, waits: false) } catch {
      throw .checkpoint(error.description)
    }
    do throws(TensorFileError) {
      let file = try TensorFile(FileReader(bytes), file: path)
      try CheckpointDigest.check(file)
      return file
    } catch {
      throw .checkpoint(error.description)
    }
  }

  /// Whether a checkpoint has what learns, and nothing else.
  private static func check(
    _ file: TensorFile, _ path: String, _ names: [String]
  ) throws(TensorFileError) {
    let (known, wanted) = (Set(file.entries.map(\.name)), Set(names))
    func some(_ names: [String]) -> String {
      names.prefix(4).map { quoted($0) }.joined(separator: ", ") + (names.count > 4 ? ", …" : "")
    }
    let missing = names.filter { !known.contains($0) }
    let surplus = known.subtracting(wanted).sorted()
    let flaws =
      (missing.isEmpty ? [] : ["\(some(missing)) \(missing.count == 1 ? "is" : "are") missing"])
      + (surplus.isEmpty ? [] : ["\(some(surplus)) \(surplus.count == 1 ? "is" : "are") not of this run"])
    guard !flaws.isEmpty else { return }
    throw TensorFileError(
      path, "is of another model or optimizer, or other names learned: \(flaws.joined(separator: "; "))")
  }

  /// The weights as they are now, without parameters.
  var learnedWeights: [GraphIR.Weights] {
    arrays.prefix(arrays.count - turned.count).enumerated().map { row, array in
      let range = layout.starts[row]..<layout.starts[row] + array.values.count
      return GraphIR.Weights(name: array.name, shape: array.shape, values: Numbers(weights.numbers(range)))
    }
  }

  /// The model file with the weights and the defaults of parameters as they are now, and the safetensors file that it
  /// names; that has no bytes where the model has no weights. Where the file of a model of one channel states a loudness, it
  /// is measured anew.
  ///
  /// - Parameters:
  ///   - weightsPath: the path of the second, as the first says it.
  ///   - extents: a number for each of the model's symbols; nil for those of the trainer.
  /// - Throws: `ModelError` where the model's file is none any more, `TrainingError.data` where the trainer was made of
  ///   artifacts.
  public func export(
    weightsIn weightsPath: String, extents: [String: Int]? = nil
  ) throws -> (model: String, weights: [UInt8]) {
    guard case .model(let model, let own) = origin else {
      throw TrainingError.data("artifacts have no model file; what they learned is exported to a .onnx file")
    }
    return try model.text(
      learning: learnedWeights, defaults: parameters, loudness: loudness(of: model, own),
      weightsIn: weightsPath, extents: extents ?? own)
  }

  /// The loudness of what was learned; nil of a model that states none, is not of one channel, or is silent.
  private func loudness(of model: Model, _ extents: [String: Int]) throws(ModelError) -> Double? {
    guard model.levels.loudness != nil else { return nil }
    var graph = try model.graph(extents: extents, sampleRate: nil)
    guard graph.sampleRate >= 8000, graph.inputs.map(\.type.shape.count) == [1], graph.outputs.count == 1,
      graph.shape(of: graph.outputs[0].value).count == 1
    else { return nil }
    for array in learnedWeights {
      if let row = graph.weights.firstIndex(where: { $0.name == array.name }) { graph.weights[row] = array }
    }
    for (name, value) in parameters {
      if let row = graph.parameters.firstIndex(where: { $0.name == name }) {
        graph.parameters[row].initial = value
      }
    }
    // The code is the same each time that weights are handed over.
    var options = CompilerOptions()
    options.keepsCode = true
    let program = try Compilation(graph, options).program()
    do throws(ContextError) {
      let loudness = try CaptureLoudness.measured(of: program, sampleRate: Int(graph.sampleRate))
      return loudness.isFinite ? loudness : nil
    } catch {
      throw .code(error.description)
    }
  }

  /// The ONNX file of what was learned.
  ///
  /// - Parameter outputs: the names of the outputs that it has; nil for all.
  /// - Throws: `ModelError` where the model cannot be written so, such as a stream.
  public func onnx(outputs: [String]? = nil) throws -> [UInt8] {
    let settings = parameters.map { ParameterSetting(name: $0.key, value: $0.value) }
    guard case .model(let model, let extents) = origin else { return try exportedGraph(outputs: outputs) }
    return try model.onnxExport(
      extents: extents, settings: settings, learning: learnedWeights, outputs: outputs
    ).bytes
  }

  /// Writes what was learned: to `x.json` the model file, with its weights in `x.safetensors` beside it, or to `x.onnx` a
  /// network for other programs. Files that are there are replaced by whole ones.
  ///
  /// - Parameters:
  ///   - path: ends in .json or .onnx.
  ///   - outputs: of an ONNX file, the names of the outputs that it has; nil for all.
  /// - Throws: `ModelError` where the model cannot be written so, such as a stream as ONNX, `TrainingError.data` for another
  ///   ending or where a file cannot be written.
  public func export(to path: String, outputs: [String]? = nil) throws {
    let files: [FilesTogether.File]
    if path.hasSuffix(".onnx") {
      files = [.init(path: path, bytes: try onnx(outputs: outputs))]
    } else if path.hasSuffix(".json"), outputs == nil {
      let beside = path.dropLast(".json".count) + ".safetensors"
      let (text, weights) = try export(weightsIn: String(beside.split(separator: "/").last ?? ""))
      files =
        [.init(path: path, bytes: Array(text.utf8))]
        + (weights.isEmpty ? [] : [.init(path: String(beside), bytes: weights)])
    } else {
      throw TrainingError.data(
        "\(path): a learned model is written to a .json file with all its outputs, or to .onnx with some")
    }
    try Self.write(files)
  }
}
