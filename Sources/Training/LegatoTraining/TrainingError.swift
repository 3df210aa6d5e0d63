// SPDX-License-Identifier: Apache-2.0

/// The reason why something cannot be learned, as a sentence for the person who asked.
public enum TrainingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The model, the loss or a name does not make a program that learns.
  case task(String)
  /// A batch, a sound or a table does not go with the program.
  case data(String)
  /// A model's file or its bundle is at fault, or a checkpoint is of no run; the sentence begins with the place.
  case file(String)
  /// A checkpoint is damaged, or of another model.
  case checkpoint(String)
  /// The loss of a step, or the square of its gradient, is infinite or no number; the weights are those before it.
  case notFinite(step: Int)
  /// A step would take more memory than is allowed, or than the system has free, in bytes.
  case memory(needed: Int, allowed: Int)
  /// Code cannot be made, or there is no memory.
  case program(String)

  /// The sentence.
  public var description: String {
    switch self {
    case .task(let text), .data(let text), .file(let text), .checkpoint(let text), .program(let text): text
    case .memory(let needed, let allowed):
      "a step takes \((needed + (1 << 20) - 1) >> 20) MiB of memory, and \(allowed >> 20) MiB are to be had: fewer "
        + "threads, smaller batches, fewer weights that learn, an optimizer that remembers less, as sgd, or of sound "
        + "smaller windows, pieces that are computed again (--recompute), or chunks, take less"
    case .notFinite(let step):
      "the loss of step \(step), or the square of its gradient, is no finite number; the weights are those before it: a "
        + "smaller rate, or clipping, helps"
    }
  }
}
