// SPDX-License-Identifier: Apache-2.0

/// A filter of second order as formulas: two integrators in a loop, each by the trapezoidal rule.
///
///     x ─▶(+)──▶ ∫ ──┬──▶ ∫ ──┬─▶ low
///          ▲         band     │
///          └── damping ┘ ─────┘
///
/// The loop without a delay is solved ahead (A. Simper 2013). With s1, s2 what the integrators hold:
///
///     a    = g / (1 + g (g + k))
///     r    = x - (g + k) s1 - s2
///     band = s1 + a r                s1' = s1 + 2 a r
///     low  = s2 + g band             s2' = s2 + 2 g band
///
/// Written so that a frame waits for the one before as briefly as can be: through r and band, each a sum and a product.
/// The increments of states are computed by themselves: nothing near 1 is subtracted from 1, so that low frequencies
/// and high Qs keep all bits of their coefficients.
final class StateVariableFilter {
  let x: Formula
  /// tan(π · frequency / sample rate). Set before `band` and `low` are asked for.
  var slope: Formula
  /// 1 / Q, likewise.
  var damping: Formula
  private let states: [ValueID]
  private lazy var held = states.map { Formula.previous($0) }

  /// A decibel of amplitude as a natural logarithm: ln(10) / 20.
  static let decibels = 0.115129254649702284
  /// The least Q; below it a filter is two of first order, far apart.
  private static let leastQ = 0.025

  /// - Parameter others: what else the result is computed of.
  init(
    _ call: Call, named name: String, besides others: [ValueID] = [], in graph: inout GraphAssembler
  ) throws(TypingError) {
    let frequency = call.value("frequency")
    let q = call.optionalValue("q") ?? graph.literal(Float(0.5).squareRoot())
    if let number = graph.number(of: q), number <= 0 {
      throw TypingError("\(name) needs a Q above 0; it is \(written(number))")
    }
    x = Formula(call.value("x"))
    slope = try graph.slope(of: frequency, in: name)
    damping = 1 / Formula.max(Formula(q), Formula(Self.leastQ))
    let operands = [call.value("x"), frequency, q] + others
    states = [try graph.state(over: operands), try graph.state(over: operands)]
  }

  private lazy var share = slope / (1 + slope * (slope + damping))
  /// The input, less the feedback of the integrators.
  private lazy var rest = x - (slope + damping) * held[0] - held[1]

  lazy var band = held[0] + share * rest
  lazy var low = held[1] + slope * band
  var high: Formula { x - damping * band - low }

  /// The input's share, and so much of band and low. As low is s2 + g band, band is multiplied once for both.
  func sum(_ through: Formula, band ofBand: Formula, low ofLow: Formula) -> Formula {
    ofLow * held[1] + through + (ofBand + ofLow * slope) * band
  }

  /// Lets the states go on, and gives the output.
  func close(_ output: Formula, in graph: inout GraphAssembler) throws(TypingError) -> ValueID {
    let next = [held[0] + (2 * share) * rest, held[1] + (2 * slope) * band]
    for (state, formula) in zip(states, next) { graph.bind(state, to: try formula.value(in: &graph)) }
    return try output.value(in: &graph)
  }
}

extension GraphAssembler {
  /// tan(π · frequency / sample rate): what an integrator of a filter multiplies with.
  ///
  /// A number is taken as it is. At run time a frequency is kept between 0 and 0.49 of the sample rate; what is no
  /// number is 0.
  func slope(of frequency: ValueID, in name: String) throws(TypingError) -> Formula {
    var kept = Formula(frequency)
    if let number = number(of: frequency) {
      guard number > 0, number < graph.sampleRate / 2 else {
        throw TypingError(
          "\(name) needs a frequency between 0 and half the sample rate, \(written(graph.sampleRate / 2)) Hz; "
            + "it is \(written(number)) Hz")
      }
    } else {
      kept = Formula.min(Formula.max(kept, 0), Formula(0.49 * graph.sampleRate))
    }
    return Formula.tan(kept * Formula(.pi / graph.sampleRate))
  }

  /// A filter of first order, an integrator by the trapezoidal rule (Zavalishin 2012, chapter 3).
  mutating func onePole(
    _ x: ValueID, _ frequency: ValueID, in name: String
  ) throws(TypingError) -> ValueID {
    let slope = try slope(of: frequency, in: name)
    let state = try state(over: [x, frequency])
    let held = Formula.previous(state)
    let change = slope / (1 + slope) * (Formula(x) - held)
    bind(state, to: try (held + 2 * change).value(in: &self))
    return try (held + change).value(in: &self)
  }

  /// The transposed direct form II: of the direct forms the one that rounds least.
  mutating func biquad(_ call: Call) throws(TypingError) -> ValueID {
    let x = Formula(call.value("x"))
    func coefficient(_ name: String) -> Formula { Formula(call.value(name)) }
    let operands = ["x", "b0", "b1", "b2", "a1", "a2"].map(call.value)
    let (first, second) = (try state(over: operands), try state(over: operands))
    let y = coefficient("b0") * x + Formula.previous(first)
    let next = coefficient("b1") * x - coefficient("a1") * y + Formula.previous(second)
    bind(first, to: try next.value(in: &self))
    bind(second, to: try (coefficient("b2") * x - coefficient("a2") * y).value(in: &self))
    return try y.value(in: &self)
  }
}
