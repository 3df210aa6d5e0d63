// SPDX-License-Identifier: Apache-2.0

/// The scores of what was learned; nothing learns.
extension Trainer {
  /// The mean scores of all examples of a data set; nothing learns.
  public func evaluate(_ dataset: some Dataset) throws -> [String: Double] {
    try judged(dataset).scores
  }

  /// The mean scores of a batch, which may have fewer examples than a step; nothing learns.
  ///
  /// - Throws: `TrainingError.data` where the batch does not go with the model.
  public func evaluate(_ batch: Batch) throws(TrainingError) -> [String: Float] {
    try check(batch)
    let examples = frozen?.batch(batch) ?? batch
    let results = parts.judge(examples, scores)
    let means = scores.indices.map { row in
      results.reduce(0) { $0 + $1[row].reduce(0, +) } / Float(batch.count)
    }
    return Dictionary(uniqueKeysWithValues: zip(scores, means))
  }

  /// The mean scores of all examples of a data set, and of a classifier which classes it took for which; nothing learns.
  public func judged(_ dataset: some Dataset) throws -> (scores: [String: Double], confusion: Confusion?) {
    let all = try judgement(of: dataset)
    return (all.scores, all.confusion)
  }

  /// The same, and the first example with a score that is no finite number; nil for none.
  package func judgement(
    of dataset: some Dataset
  ) throws -> (scores: [String: Double], confusion: Confusion?, firstNotFinite: Int?) {
    try judged(dataset, FeatureCache(bytes: 0))
  }

  /// The same, with what was made of the examples before.
  func judged(
    _ dataset: some Dataset, _ cache: FeatureCache
  ) throws -> (scores: [String: Double], confusion: Confusion?, firstNotFinite: Int?) {
    try check(shapesOf: dataset)
    let names = scores + (classCount == nil ? [] : [LearningGraph.actual, LearningGraph.predicted])
    var sums = [Double](repeating: 0, count: scores.count)
    var confusion = classCount.map { Confusion(classes: $0) }
    var (seen, firstNotFinite) = (0, nil as Int?)
    for start in stride(from: 0, to: dataset.count, by: task.batch) {
      let batch = try prepared(Array(start..<min(dataset.count, start + task.batch)), of: dataset, cache)
      for part in parts.judge(batch, names) {
        for row in scores.indices { sums[row] += part[row].reduce(0) { $0 + Double($1) } }
        if firstNotFinite == nil {
          let places = scores.indices.compactMap { row in part[row].firstIndex { !$0.isFinite } }
          firstNotFinite = places.min().map { seen + $0 }
        }
        seen += part.first?.count ?? 0
        guard confusion != nil else { continue }
        for (actual, predicted) in zip(part[scores.count], part[scores.count + 1]) {
          guard let actual = Int(exactly: actual), let predicted = Int(exactly: predicted) else { continue }
          confusion?.add(actual: actual, predicted: predicted)
        }
      }
    }
    let count = Double(max(1, dataset.count))
    return (Dictionary(uniqueKeysWithValues: zip(scores, sums.map { $0 / count })), confusion, firstNotFinite)
  }
}
