// SPDX-License-Identifier: Apache-2.0

package import AudioIO
internal import GraphIR
package import Legato

/// The paths of a model file and its weights: two names that differ in the ending.
package struct ModelPlaces: Hashable, Sendable {
  package let model: String
  package let weights: String

  /// - Parameter output: the path of the model file.
  /// - Throws: `RequestError` for a name that does not end in .json.
  package init(output: String) throws(RequestError) {
    guard output.hasSuffix(".json"), output != ".json", !output.hasSuffix("/.json") else {
      throw RequestError(
        "\(.output) takes a file whose name ends in .json, such as amp.json, not \(quoted(output))")
    }
    model = output
    weights = output.dropLast(".json".count) + ".safetensors"
  }

  /// - Parameters:
  ///   - output: the path of the model file; nil for a name in the current folder.
  ///   - source: the file that gives this name.
  package init(output: String?, source: String) throws(RequestError) {
    let file = PathText.name(of: source)
    try self.init(output: output ?? (file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]) + ".json")
  }

  /// The path of a capture beside them.
  package var capture: String { model.dropLast(".json".count) + ".nam" }
  /// The three files of a capture.
  package var ofCapture: [String] { [model, weights, capture] }
  /// The name of the model file without its ending.
  package var name: String { String(PathText.name(of: model).dropLast(".json".count)) }

  /// The files of what a trainer has learned.
  ///
  /// - Parameter extents: a number for each of the model's symbols; nil for those of the trainer.
  package func files(of trainer: Trainer, extents: [String: Int]? = nil) throws -> [FilesTogether.File] {
    let (text, numbers) = try trainer.export(weightsIn: PathText.name(of: weights), extents: extents)
    return [.init(path: model, bytes: Array(text.utf8))]
      + (numbers.isEmpty ? [] : [.init(path: weights, bytes: numbers)])
  }

  /// The files of a capture: the model, its weights, and the one that other programs read.
  package func files(of training: CaptureTraining) throws -> [FilesTogether.File] {
    let made = try training.capture(named: name, weightsIn: PathText.name(of: weights))
    return [
      .init(path: model, bytes: Array(made.model.utf8)), .init(path: weights, bytes: made.weights),
      .init(path: capture, bytes: Array(made.file.utf8)),
    ]
  }
}

extension RequestError.Name {
  package static let output = Self(rawValue: "output")
}
