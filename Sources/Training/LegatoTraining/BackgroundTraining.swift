// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import Glibc
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
/// What is learned is handed over every few seconds, and at the end, where that is an error, too.
public final class BackgroundTraining: Sendable {
  /// Takes what was learned until now, on the thread that learns.
  public typealias HandOver = @Sendable (Trainer, Trainer.Progress) throws -> Void

  // Once the thread has begun, it is its own.
  private nonisolated(unsafe) let trainer: Trainer
  private let data: any Dataset
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
  ///   - epochs: how often they are gone over at most.
  ///   - seed: says their order.
  ///   - seconds: how long it learns before it hands over what it has.
  ///   - handOver: takes it; what it throws ends the run.
  /// - Throws: `TrainingError.data` where there are no examples, `.task` for seconds that no clock counts.
  public init(
    _ trainer: Trainer, on data: any Dataset, epochs: Int = .max, seed: UInt64 = 1,
    every seconds: Double = 3, handOver: @escaping HandOver
  ) throws(TrainingError) {
    guard data.count > 0 else { throw .data("there are no examples to learn from") }
    guard 0...1e9 ~= seconds else {
      throw .task("what was learned is handed over every 0 to 1e9 seconds, and not every \(seconds)")
    }
    unsafe self.trainer = trainer
    (self.data, self.epochs, self.seed, interval, self.handOver) = (
      data, epochs, seed, .seconds(seconds), handOver
    )
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

  /// Ends after the batch at hand, once what was learned is handed over.
  ///
  /// - Throws: `TrainingError`, and what the data and the taker throw.
  public func end() throws {
    isAskedToEnd.store(true, ordering: .relaxed)
    over.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  private func learn() throws {
    let clock = ContinuousClock()
    var (next, last) = (clock.now + interval, Trainer.Progress?.none)
    let trainer = unsafe trainer
    do {
      try trainer.fit(data, epochs: epochs, seed: seed) { progress in
        last = progress
        if isAskedToEnd.load(ordering: .relaxed) { return .stop }
        guard clock.now >= next else { return .goOn }
        (next, last) = (clock.now + interval, nil)
        try handOver(trainer, progress)
        return .goOn
      }
    } catch {
      // The weights are those of the last step that went well.
      if let last { try? handOver(trainer, last) }
      throw error
    }
    if let last { try handOver(trainer, last) }
  }
}
