// SPDX-License-Identifier: Apache-2.0

/// A task: what is learned of which data, and how it is judged.
///
///     var task = TrainingTask(loss: "esr(dst, target, preEmphasis: 0.95)")
///     task.trainable = ["lstm.*", "head.*"]
///     task.window = 4800
public struct TrainingTask: Hashable, Sendable {
  /// The number that is made small: an expression of the model's outputs and of the targets.
  public var loss: String
  /// Further numbers to look at, by their names.
  public var metrics: [String: String]
  /// Names of weights that learn; `*` stands for any letters. Others stay as they are.
  public var trainable: [String]
  /// The shapes of the targets of one example, by their names; where there are none, `target` is as the only output.
  public var targets: [String: [Int]]
  /// Of a stream, the frames of an example that are judged.
  public var window: Int
  /// Of a stream, the frames before them, which bring the state to where it belongs.
  public var warmup: Int
  /// Examples of a step.
  public var batch: Int

  public init(
    loss: String = "mse(dst, target)", metrics: [String: String] = [:], trainable: [String] = ["*"],
    targets: [String: [Int]] = [:], window: Int = 4800, warmup: Int = 1024, batch: Int = 16
  ) {
    self.loss = loss
    self.metrics = metrics
    self.trainable = trainable
    self.targets = targets
    self.window = window
    self.warmup = warmup
    self.batch = batch
  }

  /// Whether one of the patterns is the name, with `*` for any letters.
  static func matches(_ name: Substring, _ pattern: Substring) -> Bool {
    guard let first = pattern.first else { return name.isEmpty }
    if first == "*" {
      return matches(name, pattern.dropFirst()) || (!name.isEmpty && matches(name.dropFirst(), pattern))
    }
    return name.first == first && matches(name.dropFirst(), pattern.dropFirst())
  }
}
