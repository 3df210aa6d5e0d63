// SPDX-License-Identifier: Apache-2.0

/// The end of a run that has not become better for some epochs.
///
///     var patience = EarlyStopping(epochs: 5)
///     try trainer.fit(data, epochs: 100, validation: held) { progress in
///       guard let loss = progress.validation?["loss"] else { return .goOn }
///       return patience.decision(loss: loss, epoch: progress.position.epoch)
///     }
public struct EarlyStopping: Hashable, Sendable {
  /// Epochs without a smaller loss that end a run; nil for none.
  public let patience: Int?
  /// The smallest loss until now.
  public private(set) var best = Double.infinity
  /// The epoch that had it; 0 for none.
  public private(set) var bestEpoch = 0

  /// - Parameters:
  ///   - patience: epochs without a smaller loss that end a run; nil for none.
  ///   - best: the smallest loss of a run that goes on.
  ///   - bestEpoch: the epoch that had it.
  public init(epochs patience: Int?, best: Double = .infinity, at bestEpoch: Int = 0) {
    (self.patience, self.best, self.bestEpoch) = (patience, best, bestEpoch)
  }

  /// Notes the loss of an epoch.
  public mutating func decision(loss: Double, epoch: Int) -> Trainer.Decision {
    if loss < best { (best, bestEpoch) = (loss, epoch) }
    return isOver(epoch: epoch) ? .stop : .goOn
  }

  /// Whether a run ends behind an epoch.
  public func isOver(epoch: Int) -> Bool { patience.map { epoch - bestEpoch >= $0 } ?? false }
}
