// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato
internal import LegatoTraining

extension TrainingTask {
  /// The task that a model's file states, with what the command line says instead.
  ///
  /// - Parameter replaced: what learns where a layer was replaced and `--learn` says nothing; nil of no such layer.
  init(of model: Model, extents: [String: Int], _ arguments: Arguments, replaced: [String]?) throws {
    try self.init(of: model, extents: extents, window: arguments.integer(.window, in: 1...1 << 20))
    if let number = try arguments.integer(.batch, in: 1...1 << 20) { batch = number }
    if let number = try arguments.integer(.accumulate, in: 1...1 << 20) {
      (accumulate, places["train.accumulate"]) = (number, nil)
    }
    if let number = try arguments.integer(.warmup, in: 0...1 << 20) { warmup = number }
    if let number = try arguments.integer(.chunk, in: 1...1 << 20) {
      (chunk, places["train.chunk"]) = (number, nil)
    }
    if let number = try arguments.integer(.recompute, in: 1...1 << 20) {
      (recompute, places["train.recompute"]) = (number, nil)
    }
    let learn = arguments.values(of: .learn)
    if let names = learn.isEmpty ? replaced : learn {
      (trainable, places[Self.trainableKey]) = (names, nil)
    }
    var named: Set<String> = []
    for text in arguments.values(of: .metric) {
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw Failure.usage(
          "--metric takes NAME=EXPRESSION, such as 'mae=mae(dst, target)', not \(quoted(text))")
      }
      let name = String(text[..<equals])
      guard named.insert(name).inserted else {
        throw Failure.usage("--metric \(quoted(name)) is given twice; call one of them otherwise")
      }
      (metrics[name], places[name]) = (String(text[text.index(after: equals)...]), nil)
    }
    if let loss = arguments.value(of: .loss) { (self.loss, places["loss"]) = (loss, nil) }
  }
}

extension Optimizer {
  /// The optimizer that a model's file states, with what the command line says instead.
  init(of model: Model, _ arguments: Arguments) throws(Failure) {
    self.init(of: model)
    rate = try arguments.number(.learningRate, in: 1e-9...1000) ?? rate
    largestNorm = try arguments.number(.clip, in: 1e-9...1e9) ?? largestNorm
    if let text = arguments.value(of: .schedule) {
      guard let stated = Schedule(text) else {
        throw .usage(
          "--schedule takes warmup:STEPS, linear:STEPS[:TO], cosine:STEPS[:TO] or steps:EVERY:FACTOR, or a warm-up and "
            + "another one, such as warmup:100,cosine:900, not \(quoted(text))")
      }
      schedule = stated
    }
  }
}

extension Schedule {
  /// "warmup:100,cosine:900:0.1"
  fileprivate init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self($0) }
    switch (parts.first, parts.count) {
    case (let only??, 1): self = only
    case (.warmup(let steps, nil)??, 2):
      guard let next = parts[1] else { return nil }
      if case .warmup = next { return nil }
      self = .warmup(steps: steps, then: next)
    case _: return nil
    }
  }

  /// "cosine:900:0.1"
  private init?(_ text: Substring) {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(fields.count), let steps = Int(fields[1]), (1...1_000_000_000).contains(steps)
    else {
      return nil
    }
    let share = fields.count == 3 ? Double(fields[2]) ?? .nan : nil
    guard share.map({ (0...1).contains($0) }) ?? true else { return nil }
    switch (fields[0], share) {
    case ("warmup", nil): self = .warmup(steps: steps)
    case ("linear", _): self = .linear(steps: steps, to: share ?? 0)
    case ("cosine", _): self = .cosine(steps: steps, to: share ?? 0)
    case ("steps", let factor?): self = .steps(every: steps, factor: factor)
    case _: return nil
    }
  }
}

extension Arguments {
  /// "classifier:2"
  func replacedLayer() throws(Failure) -> (layer: String, count: Int)? {
    guard let text = value(of: .replace) else { return nil }
    guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
      let count = Int(text[text.index(after: colon)...]), (1...1 << 20).contains(count)
    else {
      throw .usage(
        "--replace takes a layer and how many numbers it makes, such as classifier:2, not \(quoted(text))")
    }
    return (String(text[..<colon]), count)
  }
}
