// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Whether examples and labels go with the model.
extension Trainer {
  /// Whether names and sizes of examples go with the model.
  ///
  /// - Throws: `TrainingError.data` where they do not.
  public func check(_ batch: Batch) throws(TrainingError) {
    guard (1...task.batch).contains(batch.count) else {
      throw .data("a batch has 1 to \(task.batch) examples; this one has \(batch.count)")
    }
    if let (name, index) = batch.uneven, let shape = shapes[name] {
      throw .data(
        "example \(index) of the batch has another number of \(quoted(name)) than those before it, which is "
          + "\(shape) in each")
    }
    for (name, shape, count) in wanted {
      guard let numbers = batch.values[name] else {
        throw .data("an example has no \(quoted(name)), which is \(shape)")
      }
      guard numbers.count == count * batch.count else {
        throw .data(
          "\(quoted(name)) is \(shape), \(count) numbers; an example has \(numbers.count / batch.count)")
      }
      if let classes, classes.target == name, let flaw = Self.flaw(numbers, classes: classes.count) {
        throw .data("example \(flaw.place / max(1, count)) of the batch: \(quoted(name)) \(flaw.text)")
      }
    }
    guard batch.values.count > wanted.count else { return }
    for name in batch.values.keys.sorted() where shapes[name] == nil {
      let names = wanted.map { quoted($0.name) }.joined(separator: ", ")
      throw .data("there is no input or target \(quoted(name)); there are \(names)")
    }
  }

  /// Whether the shapes of examples, where they are known, go with the model: the same but for axes of one, or all numbers
  /// in a row.
  func check(shapesOf data: some Dataset) throws(TrainingError) {
    let known = data.shapes
    for (name, shape, _) in wanted {
      guard let given = known[name]?.filter({ $0 != 1 }), given.count > 1, given != shape.filter({ $0 != 1 })
      else { continue }
      throw .data("\(quoted(name)) is \(shape); an example has \(known[name]!)")
    }
  }

  /// The first of some labels that is no class.
  private static func flaw(_ labels: [Float], classes: Int) -> (place: Int, text: String)? {
    guard let place = labels.firstIndex(where: { !(0..<Float(classes) ~= $0) || $0 != $0.rounded() }) else {
      return nil
    }
    return (place, "is \(labels[place]), and no class: they are 0 to \(classes - 1)")
  }

  /// Whether the labels of all examples are classes of the model.
  ///
  /// - Parameters:
  ///   - labels: those of the examples, one after the other.
  ///   - file: where they stand.
  ///   - count: how many each example has.
  /// - Throws: `TrainingError.data` with the first one that is none.
  public func check(labels: [Float], in file: String, perExample count: Int = 1) throws(TrainingError) {
    guard let classes, let flaw = Self.flaw(labels, classes: classes.count) else { return }
    throw .data("\(file): the label of example \(flaw.place / max(1, count)) \(flaw.text)")
  }
}
