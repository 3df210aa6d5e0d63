// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
public import Legato
internal import TensorFiles

/// Where a run is, in one safetensors file: the weights by their names, what the optimizer remembers of each, and in its
/// texts how many updates there were and what the caller adds.
///
///     head.weight   optimizer.0.head.weight   optimizer.1.head.weight       { "updates": "1200", "epoch": "3" }
extension Trainer {
  private static func moment(_ row: Int, of name: String) -> String { "optimizer.\(row).\(name)" }

  /// The file of a checkpoint.
  ///
  /// - Parameter properties: texts by names of the caller's.
  public func checkpoint(properties: [String: String] = [:]) throws(TrainingError) -> [UInt8] {
    var tensors: [GraphIR.Weights] = []
    for (row, array) in arrays.enumerated() {
      let range = layout.starts[row]..<layout.starts[row] + array.values.count
      func add(_ name: String, _ numbers: [Float]) {
        tensors.append(GraphIR.Weights(name: name, shape: array.shape, values: Numbers(numbers)))
      }
      add(array.name, weights.numbers(range))
      for moment in 0..<optimizer.moments {
        let start = moment * layout.count
        add(
          Self.moment(moment, of: array.name),
          moments.numbers(start + range.lowerBound..<start + range.upperBound))
      }
    }
    do throws(TensorFileError) {
      let texts = properties.merging(["updates": String(updates)]) { $1 }
      return try TensorFileText(tensors, metadata: texts, file: "the checkpoint").bytes
    } catch {
      throw .checkpoint(error.description)
    }
  }

  /// Goes on where a checkpoint was written.
  ///
  /// - Returns: the properties that it was written with.
  /// - Throws: `TrainingError.checkpoint` where it is damaged, or of another model; nothing is changed then.
  @discardableResult
  public func resume(from path: String) throws(TrainingError) -> [String: String] {
    let file: TensorFile
    var found: [(place: Int, isMoment: Bool, numbers: Numbers)] = []
    do throws(TensorFileError) {
      guard let bytes = FileManager.default.contents(atPath: path) else {
        throw TensorFileError(path, "cannot be read")
      }
      file = try TensorFile(FileReader([UInt8](bytes)), file: path)
      for (row, array) in arrays.enumerated() {
        let names = [array.name] + (0..<optimizer.moments).map { Self.moment($0, of: array.name) }
        for (turn, name) in names.enumerated() {
          guard let entry = file.entry(name), entry.shape == array.shape else {
            let other = file.entry(name).map { "is \($0.shape), and not \(array.shape)" } ?? "is not there"
            throw TensorFileError(
              path, tensor: name, other + ": the checkpoint is of another model or optimizer")
          }
          let start = layout.starts[row] + max(0, turn - 1) * layout.count
          found.append((start, turn > 0, try file.numbers(of: entry)))
        }
      }
      guard let text = file.metadata["updates"], let count = Int(text), count >= 0 else {
        throw TensorFileError(path, "does not say after how many updates it was written: it is no checkpoint")
      }
      updates = count
    } catch {
      throw .checkpoint(error.description)
    }
    for (place, isMoment, numbers) in found {
      if isMoment { moments.write(numbers, at: place) } else { weights.write(numbers, at: place) }
    }
    resetGradients()
    return file.metadata.filter { $0.key != "updates" }
  }

  /// The model file with the weights as they are now, and the safetensors file that it names.
  ///
  /// - Parameters:
  ///   - weightsPath: the path of the second, as the first says it.
  ///   - extents: a number for each of the model's symbols.
  /// - Throws: `ModelError` where the model's file is none any more.
  public func export(
    weightsIn weightsPath: String, extents: [String: Int] = [:]
  ) throws(ModelError) -> (model: String, weights: [UInt8]) {
    let learned = arrays.enumerated().map { row, array in
      let range = layout.starts[row]..<layout.starts[row] + array.values.count
      return GraphIR.Weights(name: array.name, shape: array.shape, values: Numbers(weights.numbers(range)))
    }
    return try model.text(learning: learned, weightsIn: weightsPath, extents: extents)
  }
}
