// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato
internal import ONNXWriting
internal import RealtimeCore

/// Files for others of what was learned.
extension Trainer {
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
    guard let place = try? LearnedModelPlace(path), outputs == nil || path.hasSuffix(".onnx") else {
      throw TrainingError.data(
        "\(path): a learned model is written to a .json file with all its outputs, or to .onnx with some")
    }
    let files = try place.files(of: self, outputs: outputs)
    do throws(AudioFileError) { try FilesTogether(files, replaceExisting: true).commit() } catch {
      throw TrainingError.data(error.description)
    }
  }
}
