// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import Glibc
internal import Legato
internal import Synchronization

/// A trainer at work beside something that must not wait for it, such as sound: on a thread of its own, before which any
/// other one comes (nice 10). What a trainer of several threads computes on the others is not held back so.
///
///     let training = try BackgroundTraining(trainer, on: examples) { trainer, progress in
///       try write(trainer.export(weightsIn: "amp.safetensors"))
///     }
///     try training.begin()
///     …                                    a player that watches the file takes over what is written
///     try training.end()
///
/// Weights are handed over every few seconds, and at the end, where that is an error, too. Where examples are held
/// back, only what is better at them than all before is; the trainer ends as the best, at the rate that it had.
public final class BackgroundTraining: Sendable {
  /// Takes what was learned until now, on the thread that learns.
  public typealias HandOver = @Sendable (Trainer, Trainer.Progress) throws -> Void

  // Once the thread has begun, it is its own.
  private nonisolated(unsafe) let trainer: Trainer
  private let data: any Dataset
  private let validation: (any Dataset)?
  private let epochs: Int
  private let seed: UInt64
  private let interval: Duration
  private let handOver: HandOver
  private let isAskedToEnd = Atomic(false)
  private let failure = Mutex<(any Error)?>(nil)
  private let over = DispatchGroup()

  /// - Parameters:
  ///   - trainer: nobody else uses it from `begin` to `end`.
  ///   - data: the examples.
  ///   - validation: examples that are held back, and judged before something is handed over; nil hands over whatever was
  ///     learned. What is no better twice in a row, or no finite number, is given up: it learns on from the best, anew, at
  ///     half the rate, until that is a thousandth of the first.
  ///   - epochs: how often they are gone over at most.
  ///   - seed: says their order.
  ///   - seconds: how long it learns before it hands over what it has; longer where judging that takes more than a quarter
  ///     of the time.
  ///   - handOver: takes it; what it throws ends the run.
  /// - Throws: `TrainingError.data` where there are no examples, `.task` for seconds that no clock counts.
  public init(
    _ trainer: Trainer, on data: any Dataset, validation: (any Dataset)? = nil, epochs: Int = .max,
    seed: UInt64 = 1, every seconds: Double = 3, handOver: @escaping HandOver
  ) throws(TrainingError) {
    guard data.count > 0 else { throw .data("there are no examples to learn from") }
    guard 0...1e9 ~= seconds else {
      throw .task("what was learned is handed over every 0 to 1e9 seconds, and not every \(seconds)")
    }
    unsafe self.trainer = trainer
    (self.data, self.epochs, self.seed, interval, self.handOver) = (
      data, epochs, seed, .seconds(seconds), handOver
    )
    self.validation = (validation?.count ?? 0) > 0 ? validation : nil
  }

  /// Begins to learn, once.
  ///
  /// - Throws: `TrainingError.program` where the system gives no thread.
  public func begin() throws(TrainingError) {
    over.enter()
    let code = DetachedThread.begin { [self] in
      // Of the thread alone: on Linux each has its own.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
      do { try learn() } catch { failure.withLock { $0 = error } }
      over.leave()
    }
    guard code == 0 else {
      over.leave()
      throw .program("the system gives no thread to learn on")
    }
  }

  /// Whether it has not come to its end, well or not; `end` says which.
  public var isLearning: Bool { over.wait(timeout: .now()) == .timedOut }

  /// Ends after the batch, or the judgement, at hand, once what was learned is handed over, or judged to be no better.
  ///
  /// - Throws: `TrainingError`, and what the data and the taker throw.
  public func end() throws {
    isAskedToEnd.store(true, ordering: .relaxed)
    over.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// The best weights until now, by the examples that are held back.
  private struct Best {
    let validation: any Dataset
    var loss: Double
    var weights: [String: Tensor]
    /// How often in a row what was learned was no better.
    var failures = 0

    /// The weights that there are before anything is learned.
    init(of trainer: Trainer, on validation: any Dataset) throws {
      let loss = try trainer.judged(validation).scores["loss"]!
      (self.validation, self.loss) = (validation, loss.isFinite ? loss : .infinity)
      weights = trainer.learnedTensors
    }
  }

  private func learn() throws {
    guard !isAskedToEnd.load(ordering: .relaxed) else { return }
    let clock = ContinuousClock()
    let trainer = unsafe trainer
    let rate = trainer.rate
    var best = try validation.map { try Best(of: trainer, on: $0) }
    defer {
      if let best { try? trainer.replaceWeights(best.weights) }
      trainer.rate = rate
    }
    var (next, last, position) = (clock.now + interval, Trainer.Progress?.none, Trainer.Position.start)
    /// Whether it goes on from the best; not where the rate has become so small that nothing more comes of it.
    func givesUp() throws -> Bool {
      guard let weights = best?.weights, trainer.rate > rate / Self.mostSlowing else { return false }
      best?.failures = 0
      try trainer.replaceWeights(weights)
      // The moments led away from the best.
      trainer.restart()
      trainer.rate /= 2
      return true
    }
    var isOver = false
    while !isOver {
      isOver = true
      do {
        try trainer.fit(data, epochs: epochs, from: position, seed: seed) { progress in
          (last, position) = (progress, progress.position)
          if isAskedToEnd.load(ordering: .relaxed) { return .stop }
          let begin = clock.now
          guard begin >= next else { return .goOn }
          last = nil
          try offer(progress, &best)
          // It learns for the most part, and judges now and then.
          next = clock.now + max(interval, best == nil ? .zero : (clock.now - begin) * 4)
          return try best?.failures == Self.mostFailures && !givesUp() ? .stop : .goOn
        }
      } catch {
        if case TrainingError.notFinite = error, try givesUp() {
          (isOver, last) = (false, nil)
        } else {
          // The weights are those of the last step that went well.
          if let last { try? offer(last, &best) }
          throw error
        }
      }
    }
    if let last { try offer(last, &best) }
  }

  private static let mostFailures = 2
  private static let mostSlowing = 1000.0

  /// Hands over what there is, unless it is judged and no better than the best.
  private func offer(_ progress: Trainer.Progress, _ best: inout Best?) throws {
    let trainer = unsafe trainer
    guard var known = best else { return try handOver(trainer, progress) }
    let scores = try trainer.judged(known.validation).scores
    let loss = scores["loss"]!
    guard loss < known.loss else {
      best?.failures += 1
      return
    }
    (known.loss, known.weights, known.failures) = (loss, trainer.learnedTensors, 0)
    best = known
    try handOver(
      trainer,
      Trainer.Progress(
        position: progress.position, batches: progress.batches, tally: progress.tally, validation: scores,
        confusion: nil))
  }
}
