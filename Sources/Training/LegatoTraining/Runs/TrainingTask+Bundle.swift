// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

extension TrainingTask {
  /// Takes over what a bundle says: what goes in and is no input of the model is a target, and only scores that it names are
  /// told.
  ///
  /// - Parameters:
  ///   - output: what a target is compared with where nobody states a loss.
  ///   - shape: that of its numbers.
  ///   - isLossOpen: whether nobody does.
  mutating func take(
    _ signature: ModelBundle.Signature, of model: Model, output: String, _ shape: [Int], isLossOpen: Bool
  ) throws(TrainingError) {
    let own = Set(model.inputs.map(\.name))
    let isClassifier = model.labels(of: output) != nil
    let isCompared = isLossOpen && !model.executesStream
    for port in signature.inputs where !own.contains(port.name) {
      let place = model.placeInBundle(of: port.name)
      // An example has an axis of a batch only where the model has one, of 1.
      let extents = port.shape.filter { $0 != -1 }
      if let flaw = Shape(extents).flaw { throw .file("\(place): \(quoted(port.name)) \(flaw)") }
      let count = extents.reduce(1, *)
      if let stated = targets[port.name] {
        guard port.shape.isEmpty || stated.reduce(1, *) == count else {
          throw .file("\(place): \(quoted(port.name)) is \(port.shape) here, and \(stated) in the model")
        }
      } else if !targets.isEmpty {
        let known = alternatives(targets.keys.sorted().map { quoted($0) }, "and")
        throw .file(
          "\(place): \(quoted(port.name)) is no input of the model, and no target; it learns \(known)")
      } else if isClassifier || isCompared,
        let target = ModelBundle.Port.target(port.shape, of: shape, isClassifier: isClassifier)
      {
        targets[port.name] = target
      } else if !isCompared {
        targets[port.name] = extents
      } else {
        throw .file("\(place): " + ModelBundle.Port.misfit(of: port.name, port.shape, to: output, shape))
      }
    }
    let scores = Set(["loss"] + metrics.keys)
    if let missing = signature.ops.first(where: { !scores.contains($0) }) {
      throw .file(
        "\(model.placeInBundle(of: missing)): 'ops' names \(quoted(missing)), which the model does not compute; there are "
          + alternatives(scores.sorted().map { quoted($0) }, "and"))
    }
    if !signature.ops.isEmpty { metrics = metrics.filter { signature.ops.contains($0.key) } }
  }
}
