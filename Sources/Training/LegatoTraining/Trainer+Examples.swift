// SPDX-License-Identifier: Apache-2.0

/// Examples as the part that learns takes them: through what does not learn.
extension Trainer {
  /// A batch for the part that learns.
  func prepared(_ batch: Batch) throws(TrainingError) -> Batch {
    try check(batch)
    return frozen?.batch(batch) ?? batch
  }

  /// Examples of a data set for the part that learns; what was made of one before is not computed again.
  func prepared(_ indices: [Int], of data: some Dataset, _ cache: FeatureCache) throws -> Batch {
    guard let frozen else {
      var batch = Batch(expecting: indices.count)
      for index in indices { batch.add(try data.item(index)) }
      try check(batch)
      return batch
    }
    var (new, rows) = (Batch(), [Int: Int]())
    for index in indices where rows[index] == nil && cache[index] == nil {
      rows[index] = new.count
      new.add(try data.item(index))
    }
    if new.count > 0 { try check(new) }
    let made = frozen.batch(new).items
    for (index, row) in rows { cache[index] = made[row] }
    var batch = Batch(expecting: indices.count)
    for index in indices { batch.add(cache[index] ?? made[rows[index]!]) }
    return batch
  }
}
