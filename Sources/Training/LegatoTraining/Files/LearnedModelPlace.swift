// SPDX-License-Identifier: Apache-2.0

package import AudioIO
package import Legato

/// Where a model goes that has learned: to a model file with its weights beside it, or to an ONNX file.
package enum LearnedModelPlace: Sendable {
  case model(ModelPlaces)
  case onnx(String)

  /// - Throws: `RequestError` for a path that ends in neither .json nor .onnx.
  package init(_ output: String) throws(RequestError) {
    self = output.hasSuffix(".onnx") ? .onnx(output) : .model(try ModelPlaces(output: output))
  }

  package var paths: [String] {
    switch self {
    case .model(let places): [places.model, places.weights]
    case .onnx(let path): [path]
    }
  }

  /// - Parameters:
  ///   - extents: a number for each of the model's symbols; nil for those of the trainer.
  ///   - outputs: of an ONNX file, the names of the outputs that it has; nil for all.
  package func files(
    of trainer: Trainer, extents: [String: Int]? = nil, outputs: [String]? = nil
  ) throws -> [FilesTogether.File] {
    switch self {
    case .model(let places): try places.files(of: trainer, extents: extents)
    case .onnx(let path): [.init(path: path, bytes: try trainer.onnx(outputs: outputs))]
    }
  }
}
