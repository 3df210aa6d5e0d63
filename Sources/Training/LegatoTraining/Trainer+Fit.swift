// SPDX-License-Identifier: Apache-2.0

/// Going over a data set, again and again.
extension Trainer {
  /// A place in a run.
  public struct Position: Hashable, Sendable {
    /// The epoch, from 1.
    public var epoch: Int
    /// Batches of the epoch that are done. Where the task accumulates, here as below, those of an update are one.
    public var batch: Int

    /// - Parameters:
    ///   - epoch: from 1.
    ///   - batch: batches of it that are done.
    public init(epoch: Int, batch: Int) { (self.epoch, self.batch) = (epoch, batch) }

    /// The beginning of a run.
    public static let start = Position(epoch: 1, batch: 0)
  }

  /// The sums of the scores of an epoch until now: with them a run goes on to the same means.
  public struct Tally: Hashable, Sendable, Codable {
    /// A score of some batches, added up. One that is not full counts as the share of it that is there.
    public struct Sum: Hashable, Sendable, Codable {
      /// The scores of the batches, added up, and how many these are.
      public var total, count: Double

      /// A sum that goes on.
      public init(total: Double, count: Double) { (self.total, self.count) = (total, count) }
    }

    /// The scores by their names.
    public var sums: [String: Sum] = [:]
    /// Batches that were skipped: their loss, or the square of its gradient, is no finite number.
    public var skipped = 0

    /// The tally of no batch yet.
    public init() {}

    /// The mean scores of the examples whose batches were not skipped.
    public var means: [String: Double] { sums.mapValues { $0.total / $0.count } }

    /// Adds the mean scores of a batch, or of the share of one that is there.
    mutating func add(_ scores: [String: Float], share: Double) {
      for (score, value) in scores {
        let sum = sums[score] ?? .init(total: 0, count: 0)
        sums[score] = .init(total: sum.total + Double(value) * share, count: sum.count + share)
      }
    }

    /// Whether so many batches can come to it.
    package func isOf(batches: Int) -> Bool {
      0...batches ~= skipped
        && sums.values.allSatisfy { $0.count > 0 && $0.count <= Double(batches - skipped) }
    }
  }

  /// Where a run is.
  public struct Progress: Sendable {
    /// The place in the run.
    public let position: Position
    /// Batches of an epoch, after each of which weights follow.
    public let batches: Int
    /// The sums of the scores over the epoch's batches until now.
    public let tally: Tally
    /// The mean scores of the epoch's examples until now.
    public var scores: [String: Double] { tally.means }
    /// Batches of the epoch that were skipped.
    public var skipped: Int { tally.skipped }
    /// The scores of the examples that are held back, at the end of an epoch.
    public let validation: [String: Double]?
    /// The counts of what a classifier took these for; nil of no classifier, and before the end of an epoch.
    public let confusion: Confusion?
  }

  /// The decision after a batch.
  public enum Decision: Sendable {
    case goOn
    case stop
  }

  /// Learns from all examples of a data set, epoch by epoch, in an order that the seed says.
  ///
  /// Each example counts once in an epoch: its last batch, and the batches of its last update, are as many as are left. The
  /// same seed, data and number of updates give the same bits.
  ///
  /// - Parameters:
  ///   - data: the examples.
  ///   - epochs: how many there are in all.
  ///   - start: where a run goes on that was ended before.
  ///   - tally: what the batches of its epoch that are done came to; it counts in the scores of the epoch, as far as the
  ///     task has them: one that is new is the mean of the batches that are left.
  ///   - seed: says the order of the examples.
  ///   - validation: examples that are scored after each epoch.
  ///   - augmentation: what the examples that are learned from run through, other each time.
  ///   - skipsNotFinite: whether a batch whose loss, or the square of its gradient, is no finite number is passed over, and changes
  ///     nothing; else it ends the run.
  ///   - progress: is told after each batch, and once more after each epoch.
  /// - Throws: `TrainingError`, `.notFinite` also where an epoch has no other batches, `.data` for a start that no run
  ///   has, and whatever the data set throws.
  public func fit(
    _ data: some Dataset, epochs: Int, from start: Position = .start, tally: Tally = Tally(),
    seed: UInt64 = 1, validation: (any Dataset)? = nil, augmentation: Augmentation? = nil,
    skipsNotFinite: Bool = false,
    progress: (Progress) throws -> Decision = { _ in .goOn }
  ) throws {
    guard data.count > 0 else { throw TrainingError.data("there are no examples to learn from") }
    guard start.epoch >= 1, start.batch >= 0 else {
      throw TrainingError.data("a run has epochs from 1 on, and batches that are done from 0 on")
    }
    if augmentation == nil { try check(shapesOf: data) }
    let size = task.examplesOfUpdate
    let batches = (data.count + size - 1) / size
    var known = tally
    known.sums = tally.sums.filter { scores.contains($0.key) }
    guard start.epoch <= epochs else { return }
    // The part that does not learn makes the same of an example in each epoch.
    let room = validation == nil ? roomForFeatures : roomForFeatures / 2
    let (features, heldBack) = (FeatureCache(bytes: room), FeatureCache(bytes: room))
    for epoch in start.epoch...epochs {
      let order = Self.order(data.count, epoch: epoch, seed: seed)
      let first = min(batches, epoch == start.epoch ? start.batch : 0)
      var tally = first == 0 ? Tally() : known
      func now(
        _ batch: Int, _ held: (scores: [String: Double], confusion: Confusion?)? = nil
      ) -> Progress {
        Progress(
          position: Position(epoch: epoch, batch: batch), batches: batches, tally: tally,
          validation: held?.scores, confusion: held?.confusion)
      }
      func examples(_ places: Range<Int>) throws -> Batch {
        examplesOfBatch = places.map { order[$0] }
        guard let augmentation else { return try prepared(examplesOfBatch, of: data, features) }
        var changed = Batch(expecting: places.count)
        for (place, index) in zip(places, examplesOfBatch) {
          var random = Self.random(epoch: epoch, seed: seed)
          changed.add(
            try augmentation.changed(
              data.item(index), draw: random.next() &+ UInt64(place) &* 0xA076_1D64_78BD_642F))
        }
        return try prepared(changed)
      }
      for batch in first..<batches {
        let places = batch * size..<min(order.count, (batch + 1) * size)
        do {
          tally.add(try train(places, examples), share: Double(places.count) / Double(size))
        } catch TrainingError.notFinite where skipsNotFinite && tally.skipped < batches - 1 {
          tally.skipped += 1
        }
        if try progress(now(batch + 1)) == .stop { return }
      }
      let held = try validation.map { try judged($0, heldBack) }
      if try progress(now(batches, (held?.scores ?? [:], held?.confusion))) == .stop { return }
    }
  }

  /// One round over the examples of an update: their scores, and the gradient of their mean. Where a batch has fewer, several
  /// are one.
  private func train(
    _ places: Range<Int>, _ examples: (Range<Int>) throws -> Batch
  ) throws -> [String: Float] {
    guard places.count > task.batch else { return try train(prepared: examples(places)) }
    var means = [Float](repeating: 0, count: scores.count)
    do {
      for start in stride(from: places.lowerBound, to: places.upperBound, by: task.batch) {
        let part = start..<min(start + task.batch, places.upperBound)
        let (batch, share) = (try examples(part), Float(part.count) / Float(places.count))
        begin(batch)
        for (row, score) in try learn(batch, chunk: 0, share: share).enumerated() {
          means[row] += score * share
        }
      }
    } catch {
      resetGradients()
      throw error
    }
    update()
    return Dictionary(uniqueKeysWithValues: zip(scores, means))
  }

  private static func random(epoch: Int, seed: UInt64) -> SeededNumbers {
    SeededNumbers(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(epoch) &* 0xD1B5_4A32_D192_ED03)
  }

  /// All positions, shuffled (Fisher and Yates) by a sequence of its own for each epoch.
  private static func order(_ count: Int, epoch: Int, seed: UInt64) -> [Int] {
    var random = random(epoch: epoch, seed: seed)
    var order = Array(0..<count)
    for last in order.indices.dropFirst().reversed() {
      order.swapAt(last, random.index(below: last + 1))
    }
    return order
  }
}
