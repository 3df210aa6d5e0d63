// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

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
  /// Names of weights and parameters that learn; `*` stands for any letters. Others stay as they are. Where there are
  /// none, all weights learn, or, of a model without, all parameters.
  public var trainable: [String]
  /// The shapes of the targets of one example, by their names; where there are none, `target` is as the only output.
  public var targets: [String: [Int]]
  /// Of a stream, the frames of an example that are judged.
  public var window: Int
  /// Of a stream, the frames before them, which bring the state to where it belongs.
  public var warmup: Int
  /// Of a stream, the frames of a window after which weights follow: what the model remembers goes on into the next chunk,
  /// and gradients end there (truncated back-propagation through time). Nil is the whole window; else a number of them
  /// fills it.
  public var chunk: Int?
  /// Of a stream, the frames of a piece that is computed again on the way back (gradient checkpointing): a step keeps the
  /// numbers of one piece, takes a forward pass more, and comes to the same gradient but for rounding. Nil keeps those of
  /// warm-up and window; else a number of pieces fills both.
  public var recompute: Int?
  /// Examples of a step.
  public var batch: Int
  /// Batches of `fit` whose gradients are added up before weights follow them, by their mean over all examples: one large
  /// batch, in the memory of a small one.
  public var accumulate: Int
  /// The places in a file where loss and metrics stand, by their names, and those of other keys, as `train.chunk`.
  package var places: [String: String] = [:]
  package static let trainableKey = "train.trainable"

  /// A task; what is not said is as in the command.
  public init(
    loss: String = "mse(dst, target)", metrics: [String: String] = [:], trainable: [String] = [],
    targets: [String: [Int]] = [:], window: Int = 4800, warmup: Int = 1024,
    chunk: Int? = nil, recompute: Int? = nil, batch: Int = 16, accumulate: Int = 1
  ) {
    self.loss = loss
    self.metrics = metrics
    self.trainable = trainable
    self.targets = targets
    self.window = window
    self.warmup = warmup
    self.chunk = chunk
    self.recompute = recompute
    self.batch = batch
    self.accumulate = accumulate
  }

  /// Examples of an update.
  var examplesOfUpdate: Int { batch * accumulate }

  /// The place where a file states a number, for the beginning of a message; nothing where none does.
  func written(at key: String) -> String { places["train.\(key)"].map { $0 + ": " } ?? "" }

  /// Whether batches, window and warm-up are such as there are.
  func checkSizes() throws(TrainingError) {
    let most = 1 << 28
    guard 1...most ~= batch, 1...most ~= accumulate, 1...most ~= window, 0...most ~= warmup else {
      throw .task(
        "a batch has an example or more, a window a frame or more, a warm-up none or more, an update a batch or more, and "
          + "none of them more than \(most)")
    }
    guard accumulate == 1 || (chunk ?? window) == window else {
      throw .task(
        written(at: "accumulate")
          + "weights follow every \(chunk!) frames, and so not after \(accumulate) batches: a task has chunks, or it "
          + "accumulates")
    }
  }

  /// Whether what comes out of a model is there when it is judged.
  func checkWarmup(of graph: Graph) throws(TrainingError) {
    let late = graph.clock == .stream ? graph.aligned().latency : 0
    guard late > warmup else { return }
    throw .task(
      "\(graph.name): what comes out is late by \(late) frames, and after a warm-up of \(warmup) the first ones of a window "
        + "would be judged while it is silent: it wants a warm-up of \(late) or more, by --warmup or in the file's \"train\""
    )
  }

  /// Whether a pattern is the name, with `*` for any letters.
  ///
  /// Where letters differ, the last `*` takes one more. Those before it never have to: what stands between two of them is
  /// found as early as it can be. So the work is a product of the lengths, whatever a file has for a pattern.
  static func matches(_ name: Substring, _ pattern: Substring) -> Bool {
    var (rest, left) = (name, pattern)
    var last: (rest: Substring, left: Substring)?
    while let letter = rest.first {
      if left.first == "*" {
        left.removeFirst()
        last = (rest, left)
      } else if left.first == letter {
        rest.removeFirst()
        left.removeFirst()
      } else if let star = last {
        (rest, left) = (star.rest.dropFirst(), star.left)
        last = (rest, left)
      } else {
        return false
      }
    }
    return left.allSatisfy { $0 == "*" }
  }

  /// The first two arguments of the loss's cross entropy: the numbers of classes, and the target that says which is right;
  /// nil where there is none.
  package var classified: (scores: String, target: String)? {
    guard let expression = try? GraphIR.Expression(parsing: loss) else { return nil }
    for term in expression.terms {
      guard case .call("crossEntropy", let arguments) = term.kind else { continue }
      func argument(_ label: String, _ place: Int) -> GraphIR.Expression.Argument? {
        if let named = arguments.first(where: { $0.label == label }) { return named }
        return arguments.indices ~= place && arguments[place].label == nil ? arguments[place] : nil
      }
      if let scores = argument("x", 0), let target = argument("target", 1) {
        return (text(of: scores), text(of: target))
      }
    }
    return nil
  }

  /// An argument of a call in the loss, as it is written, without its label.
  private func text(of argument: GraphIR.Expression.Argument) -> String {
    var (text, depth, isQuoted) = ("", 0, false)
    for scalar in loss.unicodeScalars.dropFirst(argument.offset) {
      if scalar == "'" { isQuoted.toggle() }
      if !isQuoted {
        if ")]".unicodeScalars.contains(scalar) { depth -= 1 }
        if "([".unicodeScalars.contains(scalar) { depth += 1 }
        if depth < 0 || (depth == 0 && scalar == ",") { break }
        if depth == 0, scalar == ":", argument.label != nil {
          text = ""
          continue
        }
      }
      text.unicodeScalars.append(scalar)
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
