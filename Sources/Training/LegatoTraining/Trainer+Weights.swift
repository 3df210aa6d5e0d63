// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato
internal import TensorFiles

/// Weights that come from elsewhere.
extension Trainer {
  /// The numbers that learn, as they are now, by their names.
  package var learnedTensors: [String: Tensor] {
    Dictionary(uniqueKeysWithValues: learned.map { ($0, weights(named: $0)!) })
  }

  /// The names of the weights of the model's own file, in its order, and behind them those of the parameters that learn; with
  /// the numbers of what does not learn.
  package var learnedAndFixed: [(name: String, fixed: Tensor?)] {
    let moving = Set(learned)
    return ownWeights.map { array in
      let learns = moving.contains(array.name)
      return (
        array.name, learns ? nil : Tensor(FloatArray(shape: array.shape, numbers: Array(array.values)))
      )
    } + learned.suffix(turned.count).map { ($0, nil) }
  }

  /// Puts other numbers in the place of weights that learn.
  ///
  /// A place of a parameter on its scale is put at the end that it is beyond.
  ///
  /// - Parameter tensors: numbers by the names of weights; others stay as they are.
  /// - Throws: `TrainingError.data` where a name or a shape is not the trainer's; nothing is changed then.
  public func replaceWeights(_ tensors: [String: Tensor]) throws(TrainingError) {
    for (name, tensor) in tensors.sorted(by: { $0.key < $1.key }) {
      guard let array = arrays.first(where: { $0.name == name }), array.shape == tensor.shape else {
        throw .data("no weights that learn are called \(quoted(name)) and are \(tensor.shape)")
      }
    }
    for (row, array) in arrays.enumerated() {
      if let tensor = tensors[array.name] { weights.write(tensor.values, at: layout.starts[row]) }
    }
    keepWithinRanges()
    resetGradients()
  }

  /// Begins with the weights of a checkpoint, or of any safetensors file, that are called as what learns here, and are of
  /// its shape: also of another model.
  ///
  ///     let rest = try trainer.begin(withWeightsOf: "base.safetensors")
  ///     rest.missing, rest.surplus                 ["head.weight"], ["head.weight"]: a head of more classes
  ///
  /// - Returns: the names of what learns here and stays as it was, and of what the file has beside, without what an
  ///   optimizer remembers and what a best epoch was.
  /// - Throws: `TrainingError.checkpoint` where the file is damaged; nothing is changed then.
  @discardableResult
  public func begin(
    withWeightsOf path: String
  ) throws(TrainingError) -> (missing: [String], surplus: [String]) {
    let file = try Checkpoint.tensors(of: path)
    var taken: [String: Tensor] = [:]
    for array in arrays {
      guard let entry = file.entry(array.name), entry.shape == array.shape else { continue }
      let numbers: Numbers
      do throws(TensorFileError) { numbers = try file.numbers(of: entry) } catch {
        throw .checkpoint(error.description)
      }
      taken[array.name] = try? Tensor(shape: array.shape, values: Array(numbers))
    }
    try replaceWeights(taken)
    restart()
    let names = Checkpoint.Names(besides: learned)
    let surplus = file.entries.map(\.name).filter { taken[$0] == nil && !names.areBeside($0) }
    return (learned.filter { taken[$0] == nil }, surplus.sorted())
  }

  /// Puts places of parameters that are beyond the ends of their scales at these.
  func keepWithinRanges() {
    for (_, place) in turned { weights.keepWithinUnit(at: place) }
  }

  /// Begins anew with the weights that there are: no updates yet, no moments, and the weights of now as those that a
  /// tether holds to.
  public func restart() {
    updates = 0
    moments.clear()
    resetGradients()
    anchor = weights.numbers(0..<layout.count)
  }

  /// Adds the gradient of what holds weights near the anchor, μ/2 |p - p₀|².
  func pullBack() {
    guard let tether, anchor.count == layout.count else { return }
    let now = weights.numbers(0..<layout.count)
    let slope = parts.gradients.numbers(0..<layout.count)
    let strength = Float(tether)
    parts.gradients.write(slope.indices.map { slope[$0] + strength * (now[$0] - anchor[$0]) }, at: 0)
  }
}
