// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// How weights follow their gradients.
///
///     SGD      v ← momentum v + (g + decay p)             p ← p - rate v       (with Nesterov: rate (g + decay p + momentum v))
///     AdamW    m ← β₁ m + (1 - β₁) g, v ← β₂ v + (1 - β₂) g²
///              p ← (1 - rate decay) p - rate m̂ / (√v̂ + ε)       m̂ = m / (1 - β₁ᵗ), v̂ = v / (1 - β₂ᵗ)
///
/// As PyTorch has them (`torch.optim.SGD`, `torch.optim.AdamW`); AdamW in ONNX Runtime's form has ε beside √v before the
/// correction: p ← p - rate √(1 - β₂ᵗ) / (1 - β₁ᵗ) m / (√v + ε), and takes decay away before.
public struct Optimizer: Hashable, Sendable, Codable {
  /// The rule of a step, with its own numbers.
  public enum Rule: Hashable, Sendable, Codable {
    case sgd(momentum: Double = 0, nesterov: Bool = false)
    case adamW(beta1: Double = 0.9, beta2: Double = 0.999, epsilon: Double = 1e-8)
    case adamWOfONNXRuntime(beta1: Double = 0.9, beta2: Double = 0.999, epsilon: Double = 1e-6)
  }

  /// The rule of a step.
  public var rule: Rule
  /// The rate of learning, before the schedule.
  public var rate: Double
  /// How much of each weight is taken away in a step, times the rate.
  public var decay: Double
  /// The largest norm of the whole gradient; what is longer is shortened.
  public var largestNorm: Double?
  /// The largest size of a number of the gradient.
  public var largestValue: Double?
  /// How the rate changes from update to update.
  public var schedule: Schedule

  /// - Parameters:
  ///   - rule: the rule of a step.
  ///   - rate: the rate of learning, before the schedule.
  ///   - decay: how much of each weight is taken away in a step, times the rate.
  ///   - largestNorm: the largest norm of the whole gradient; nil for any.
  ///   - largestValue: the largest size of a number of the gradient; nil for any.
  ///   - schedule: how the rate changes.
  public init(
    _ rule: Rule, rate: Double, decay: Double = 0, largestNorm: Double? = nil, largestValue: Double? = nil,
    schedule: Schedule = .constant
  ) {
    self.rule = rule
    self.rate = rate
    self.decay = decay
    self.largestNorm = largestNorm
    self.largestValue = largestValue
    self.schedule = schedule
  }

  /// Stochastic gradient descent.
  public static func sgd(rate: Double, momentum: Double = 0, nesterov: Bool = false) -> Optimizer {
    Optimizer(.sgd(momentum: momentum, nesterov: nesterov), rate: rate)
  }

  /// AdamW with PyTorch's betas and epsilon; without decay it is Adam.
  public static func adamW(rate: Double, decay: Double = 0) -> Optimizer {
    Optimizer(.adamW(), rate: rate, decay: decay)
  }

  /// The numbers that a step needs beside weights and gradients: the rate, and how far moments have come.
  func factors(step: Int) -> [Float] {
    let rate = self.rate * schedule.factor(step: step)
    switch rule {
    case .sgd: return [Float(rate), 1, 1]
    case .adamW(let beta1, let beta2, _):
      let (first, second) = (1 - power(beta1, step), 1 - power(beta2, step))
      return [Float(rate / first), Float(1 / second.squareRoot()), Float(1 - rate * decay)]
    case .adamWOfONNXRuntime(let beta1, let beta2, _):
      let (first, second) = (1 - power(beta1, step), 1 - power(beta2, step))
      return [Float(rate * second.squareRoot() / first), 1, Float(1 - rate * decay)]
    }
  }

  /// The flaw of a number of an optimizer that somebody else wrote, in words; nil for none.
  var flaw: String? {
    func isSize(_ number: Double) -> Bool { number.isFinite && number >= 0 }
    guard isSize(rate), isSize(decay) else {
      return "the rate and the decay of the optimizer are numbers from 0 on"
    }
    switch rule {
    case .sgd(let momentum, _):
      guard isSize(momentum) else { return "the momentum of the optimizer is a number from 0 on" }
    case .adamW(let beta1, let beta2, let epsilon), .adamWOfONNXRuntime(let beta1, let beta2, let epsilon):
      guard (0..<1).contains(beta1), (0..<1).contains(beta2), isSize(epsilon) else {
        return "the betas of the optimizer are from 0 to below 1, and epsilon is a number from 0 on"
      }
    }
    guard [largestNorm, largestValue].allSatisfy({ $0.map { $0.isFinite && $0 > 0 } ?? true }) else {
      return "what the optimizer clips at is a number above 0"
    }
    return schedule.flaw
  }

  private func power(_ base: Double, _ count: Int) -> Double {
    var (result, square, left) = (1.0, base, count)
    while left > 0 {
      if left & 1 == 1 { result *= square }
      square *= square
      left >>= 1
    }
    return result
  }

  /// Moments that the rule remembers of each weight.
  var moments: Int {
    switch rule {
    case .sgd(let momentum, _): momentum == 0 ? 0 : 1
    case .adamW, .adamWOfONNXRuntime: 2
    }
  }

  /// The step as a graph over all weights in a row: `p, moments…, g, factors` in; `p, moments…` out.
  func graph(count: Int) throws(TypingError) -> Graph {
    var graph = GraphAssembler(name: "optimizer", clock: .step, sampleRate: 48_000)
    let type = TensorType(Shape([count]))
    let p = Formula(graph.input("p", type))
    let past = (0..<moments).map { Formula(graph.input("m\($0)", type)) }
    var g = Formula(graph.input("g", type))
    let all = graph.input("factors", TensorType(Shape([3])))
    func factor(_ row: Int) -> Formula {
      Formula(.reshape([]), Formula(.slice(axis: 0, start: row, count: 1), Formula(all)))
    }
    if let largestValue { g = .max(.min(g, Formula(largestValue)), Formula(-largestValue)) }
    if let largestNorm {
      let norm = Formula.sqrt(Formula(.sum(axis: 0, ways: 16), g * g))
      g = g * .min(1, Formula(largestNorm) / (norm + 1e-6))
    }
    func number(_ value: Double) -> Formula { Formula(value) }
    let (next, moved): (Formula, [Formula])
    switch rule {
    case .sgd(let momentum, let nesterov):
      let slope = decay == 0 ? g : g + p * number(decay)
      let velocity = past.first.map { $0 * number(momentum) + slope }
      let way = velocity.map { nesterov ? slope + $0 * number(momentum) : $0 } ?? slope
      (next, moved) = (p - factor(0) * way, velocity.map { [$0] } ?? [])
    case .adamW(let beta1, let beta2, let epsilon), .adamWOfONNXRuntime(let beta1, let beta2, let epsilon):
      let first = past[0] * number(beta1) + g * number(1 - beta1)
      let second = past[1] * number(beta2) + g * g * number(1 - beta2)
      let size = Formula.sqrt(second) * factor(1) + number(epsilon)
      (next, moved) = (p * factor(2) - factor(0) * first / size, [first, second])
    }
    for (name, formula) in zip(["p"] + past.indices.map { "m\($0)" }, [next] + moved) {
      graph.output(name, try formula.value(in: &graph))
    }
    return graph.finished()
  }
}
