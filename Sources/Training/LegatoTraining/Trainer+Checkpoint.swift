// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato
internal import TensorFiles

/// Where a run is, and going on there.
extension Trainer {
  /// The checkpoint of what learns, as it is now.
  ///
  /// - Parameters:
  ///   - properties: texts by names of the caller's.
  ///   - best: what all that learns was at the best epoch; nil where there is none yet.
  /// - Throws: `TrainingError.checkpoint` where a number has become none that is finite.
  public func checkpoint(
    properties: [String: String] = [:], best: [String: Tensor]? = nil
  ) throws(TrainingError) -> Checkpoint {
    let names = Checkpoint.Names(besides: learned)
    var all: [GraphIR.Weights] = []
    for (array, start) in zip(arrays, layout.starts) {
      let count = array.values.count
      func add(_ name: String, _ numbers: [Float]) {
        all.append(GraphIR.Weights(name: name, shape: array.shape, values: Numbers(numbers)))
      }
      add(array.name, weights.numbers(start..<start + count))
      for moment in 0..<optimizer.moments {
        let start = moment * layout.count + start
        add(names.moment(moment, of: array.name), moments.numbers(start..<start + count))
      }
      if let values = best?[array.name]?.values { add(names.best(of: array.name), values) }
    }
    return try Checkpoint(all, names, updates: updates, properties: properties)
  }

  /// Goes on where a checkpoint was written.
  ///
  /// - Returns: the checkpoint.
  /// - Throws: `TrainingError.checkpoint` where it is damaged, or of another model; nothing is changed then.
  @discardableResult
  public func resume(from path: String) throws(TrainingError) -> Checkpoint {
    let checkpoint = try Checkpoint(contentsOf: path, Checkpoint.Names(besides: learned))
    try resume(from: checkpoint)
    return checkpoint
  }

  /// Goes on where a checkpoint was made.
  ///
  /// - Throws: `TrainingError.checkpoint` where it is of another model or optimizer, with the names that are missing or too
  ///   many; nothing is changed then.
  public func resume(from checkpoint: Checkpoint) throws(TrainingError) {
    let names = Checkpoint.Names(besides: learned)
    var (wanted, best) = ([(name: String, shape: [Int])](), [(name: String, shape: [Int])]())
    for array in arrays {
      let moments = (0..<optimizer.moments).map { names.moment($0, of: array.name) }
      wanted += ([array.name] + moments).map { ($0, array.shape) }
      best.append((names.best(of: array.name), array.shape))
    }
    let hasBest = checkpoint.arrays.contains { $0.name.utf8.starts(with: names.best.utf8) }
    do throws(TensorFileError) { try checkpoint.check(has: wanted + (hasBest ? best : [])) } catch {
      throw .checkpoint(error.description)
    }
    for (array, start) in zip(arrays, layout.starts) {
      weights.write(checkpoint.array(array.name)!.values, at: start)
      for moment in 0..<optimizer.moments {
        let numbers = checkpoint.array(names.moment(moment, of: array.name))!.values
        moments.write(numbers, at: moment * layout.count + start)
      }
    }
    updates = checkpoint.updates
    keepWithinRanges()
    resetGradients()
  }
}

extension Checkpoint {
  /// Whether it has arrays of some names and shapes, and no others.
  fileprivate func check(has wanted: [(name: String, shape: [Int])]) throws(TensorFileError) {
    func some(_ names: [String]) -> String {
      names.prefix(4).map { quoted($0) }.joined(separator: ", ") + (names.count > 4 ? ", …" : "")
        + (names.count == 1 ? " is" : " are")
    }
    let missing = wanted.map(\.name).filter { array($0) == nil }
    let surplus = Set(arrays.map(\.name)).subtracting(wanted.map(\.name)).sorted()
    let flaws =
      (missing.isEmpty ? [] : [some(missing) + " missing"])
      + (surplus.isEmpty ? [] : [some(surplus) + " not of this run"])
    guard flaws.isEmpty else {
      throw TensorFileError(
        file, "is of another model or optimizer, or other names learned: \(flaws.joined(separator: "; "))")
    }
    for (name, shape) in wanted {
      let own = array(name)!.shape
      guard own == shape else {
        throw TensorFileError(
          file, tensor: name, "is \(own), and not \(shape): the checkpoint is of another model")
      }
    }
  }
}
