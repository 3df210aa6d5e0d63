// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Legato
internal import LegatoTraining

/// Where a model goes that has learned: to a model file with its weights beside it, or to an ONNX file.
enum LearnedModelPlace {
  case model(ModelPlaces)
  case onnx(String)

  /// - Parameter output: as --output says it.
  init(_ output: String) throws(Failure) {
    self = output.hasSuffix(".onnx") ? .onnx(output) : .model(try ModelPlaces(output: output))
  }

  var paths: [String] {
    switch self {
    case .model(let places): [places.model, places.weights]
    case .onnx(let path): [path]
    }
  }

  func files(of trainer: Trainer, extents: [String: Int]) throws -> [FilesTogether.File] {
    switch self {
    case .model(let places): try places.files(of: trainer, extents: extents)
    case .onnx(let path): [.init(path: path, bytes: try trainer.onnx())]
    }
  }
}
