// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato
internal import LegatoTraining

extension Optimizer {
  /// The optimizer that a model file states, with what the command line says instead.
  init(of model: Model, _ arguments: Arguments) throws(Failure) {
    let rate = try arguments.number(.learningRate, in: 1e-9...1000)
    let norm = try arguments.number(.clip, in: 1e-9...1e9)
    self.init(of: model)
    self.rate = rate ?? self.rate
    largestNorm = norm ?? largestNorm
  }
}

extension ModelPlaces {
  /// The files of what a model has learned.
  func files(of trainer: Trainer, extents: [String: Int]) throws(ModelError) -> [FilesTogether.File] {
    let (text, numbers) = try trainer.export(weightsIn: PathText.name(of: weights), extents: extents)
    return [.init(path: model, bytes: Array(text.utf8))]
      + (numbers.isEmpty ? [] : [.init(path: weights, bytes: numbers)])
  }
}
