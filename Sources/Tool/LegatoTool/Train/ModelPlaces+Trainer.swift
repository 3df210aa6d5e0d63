// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato
internal import LegatoTraining

extension ModelPlaces {
  /// The files of what a model has learned.
  func files(of trainer: Trainer, extents: [String: Int]) throws -> [FilesTogether.File] {
    let (text, numbers) = try trainer.export(weightsIn: PathText.name(of: weights), extents: extents)
    return [.init(path: model, bytes: Array(text.utf8))]
      + (numbers.isEmpty ? [] : [.init(path: weights, bytes: numbers)])
  }
}
