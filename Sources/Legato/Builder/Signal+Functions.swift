// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

// Functions of signals, element by element. Their meanings, edge cases included, are those of model files.

/// The magnitude of x.
public func abs(_ x: Signal) -> Signal { x.call("abs") }

/// The square root.
public func sqrt(_ x: Signal) -> Signal { x.call("sqrt") }

/// e to the power of x.
public func exp(_ x: Signal) -> Signal { x.call("exp") }

/// The natural logarithm.
public func log(_ x: Signal) -> Signal { x.call("log") }

/// The logarithm to base 2.
public func log2(_ x: Signal) -> Signal { x.call("log2") }

/// The logarithm to base 10.
public func log10(_ x: Signal) -> Signal { x.call("log10") }

/// The sine of x radians.
public func sin(_ x: Signal) -> Signal { x.call("sin") }

/// The cosine of x radians.
public func cos(_ x: Signal) -> Signal { x.call("cos") }

/// The tangent of x radians.
public func tan(_ x: Signal) -> Signal { x.call("tan") }

/// The angle from -pi / 2 to pi / 2 whose sine is x; none beyond ±1.
public func asin(_ x: Signal) -> Signal { x.call("asin") }

/// The angle from 0 to pi whose cosine is x; none beyond ±1.
public func acos(_ x: Signal) -> Signal { x.call("acos") }

/// The angle from -pi / 2 to pi / 2 whose tangent is x.
public func atan(_ x: Signal) -> Signal { x.call("atan") }

/// The hyperbolic sine.
public func sinh(_ x: Signal) -> Signal { x.call("sinh") }

/// The hyperbolic cosine.
public func cosh(_ x: Signal) -> Signal { x.call("cosh") }

/// The hyperbolic tangent.
public func tanh(_ x: Signal) -> Signal { x.call("tanh") }

/// pow(10, decibels / 20): the factor of a level.
public func decibelsToGain(_ decibels: Signal) -> Signal { decibels.call("decibelsToGain", as: "decibels") }

/// 20 * log10(gain): the level of a factor, minus infinity of 0.
public func gainToDecibels(_ gain: Signal) -> Signal { gain.call("gainToDecibels", as: "gain") }

/// 440 * pow(2, (note - 69) / 12): the frequency in hertz of a MIDI note.
public func noteToFrequency(_ note: Signal) -> Signal { note.call("noteToFrequency", as: "note") }

/// 69 + 12 * log2(frequency / 440): the MIDI note of a frequency in hertz, with its fraction.
public func frequencyToNote(_ frequency: Signal) -> Signal {
  frequency.call("frequencyToNote", as: "frequency")
}

/// 1 / (1 + exp(-x)).
public func sigmoid(_ x: Signal) -> Signal { x.call("sigmoid") }

/// The error function.
public func erf(_ x: Signal) -> Signal { x.call("erf") }

/// The largest integer that is not above x.
public func floor(_ x: Signal) -> Signal { x.call("floor") }

/// The smallest integer that is not below x.
public func ceil(_ x: Signal) -> Signal { x.call("ceil") }

/// The nearest integer, halves to even.
public func round(_ x: Signal) -> Signal { x.call("round") }

/// x without its fraction.
public func truncate(_ x: Signal) -> Signal { x.call("truncate") }

/// 1, -1, or ±0 as x is.
public func sign(_ x: Signal) -> Signal { x.call("sign") }

/// 1 / x.
public func reciprocal(_ x: Signal) -> Signal { x.call("reciprocal") }

/// max(x, 0).
public func relu(_ x: Signal) -> Signal { x.call("relu") }

/// log(1 + exp(x)).
public func softplus(_ x: Signal) -> Signal { x.call("softplus") }

/// x / (1 + abs(x)).
public func softsign(_ x: Signal) -> Signal { x.call("softsign") }

/// x, but at least -1 and at most 1.
public func hardTanh(_ x: Signal) -> Signal { x.call("hardTanh") }

/// clamp(x / 6 + 0.5, 0, 1).
public func hardSigmoid(_ x: Signal) -> Signal { x.call("hardSigmoid") }

/// x * clamp(x / 6 + 0.5, 0, 1).
public func hardSwish(_ x: Signal) -> Signal { x.call("hardSwish") }

/// x * tanh(softplus(x)).
public func mish(_ x: Signal) -> Signal { x.call("mish") }

/// 1.0507 x where x is above 0, else 1.0507 * 1.6733 * (exp(x) - 1).
public func selu(_ x: Signal) -> Signal { x.call("selu") }

/// x where x is above 0, else alpha * (exp(x / alpha) - 1).
public func celu(_ x: Signal, alpha: Double = 1) -> Signal {
  x.call("celu", [], ["alpha": .number(alpha)])
}

/// x / 2 * (1 + erf(x / sqrt(2))).
public func gelu(_ x: Signal) -> Signal { x.call("gelu") }

/// x * sigmoid(x).
public func silu(_ x: Signal) -> Signal { x.call("silu") }

/// The smaller one; the other one where one is not a number.
public func min(_ x: Signal, _ y: Signal) -> Signal { x.call("min", [("y", y)]) }
public func min(_ x: Signal, _ y: Float) -> Signal { min(x, x.number(y)) }

/// The larger one; the other one where one is not a number.
public func max(_ x: Signal, _ y: Signal) -> Signal { x.call("max", [("y", y)]) }
public func max(_ x: Signal, _ y: Float) -> Signal { max(x, x.number(y)) }

/// x to the power of y.
public func pow(_ x: Signal, _ y: Signal) -> Signal { x.call("pow", [("y", y)]) }
public func pow(_ x: Signal, _ y: Float) -> Signal { pow(x, x.number(y)) }

/// The angle of the point (y, x) in radians.
public func atan2(_ y: Signal, _ x: Signal) -> Signal { y.call("atan2", [("x", x)], as: "y") }

/// x, but at least `minimum` and at most `maximum`.
public func clamp(_ x: Signal, _ minimum: Float, _ maximum: Float) -> Signal {
  x.call("clamp", [("minimum", x.number(minimum)), ("maximum", x.number(maximum))])
}

/// x clamped to `-level` … `level`, and 0 where it is NaN: in a loop it bounds growth.
public func limit(_ x: Signal, _ level: Float) -> Signal {
  x.call("limit", [("level", x.number(level))])
}

/// x where x > 0, else slope * x.
public func leakyRelu(_ x: Signal, slope: Double = 0.01) -> Signal {
  x.call("leakyRelu", [], ["slope": .number(slope)])
}

/// x where x > 0, else alpha * (exp(x) - 1).
public func elu(_ x: Signal, alpha: Double = 1) -> Signal { x.call("elu", [], ["alpha": .number(alpha)]) }

/// a where the condition is not 0, else b.
public func select(_ condition: Signal, _ a: Signal, _ b: Signal) -> Signal {
  condition.call("select", [("a", a), ("b", b)], as: "condition")
}

/// a * b + c, rounded once where the machine can.
public func fma(_ a: Signal, _ b: Signal, _ c: Signal) -> Signal {
  a.call("fma", [("b", b), ("c", c)], as: "a")
}
