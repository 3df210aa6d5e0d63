// SPDX-License-Identifier: Apache-2.0

import GraphIR

/// For each function that people can call, what shows it at work: an expression of the ports below.
///
///     a, b, c [frames]    m [3, frames]    n [2, 4, frames]    p, smoothed    q, stepped
enum FunctionExamples {
  static let ports = """
    input a [frames]
    input b [frames]
    input c [frames]
    input m [3, frames]
    input n [2, 4, frames]
    parameter p [frames] = 0.5 minimum -2 maximum 2 ramp 100 scale linear
    parameter q [] = 0.75 minimum -2 maximum 2 ramp 0 scale linear
    weights "taps" [2, 3, 2] = [0.5, -0.25, 1, 0.125, -1, 0.75, 0.5, 0.5, -0.5, 2, -0.125, 0.25]
    weights "group" [2, 1, 3] = [0.5, -0.25, 1, 0.125, -1, 0.75]
    weights "spread" [3, 2, 2] = [\(numbers(12))]
    weights "matrix" [2, 3] = [0.5, -0.25, 1, 0.125, -1, 0.75]
    weights "bias" [2] = [0.25, -0.5]
    weights "three" [3] = [0.25, -0.5, 0.75]
    weights "square" [2, 2] = [0.25, -0.5, 0.375, 0.125]
    weights "six" [6, 3] = [\(numbers(18))]
    weights "gates" [6, 2] = [\(numbers(12))]
    weights "biases" [6] = [\(numbers(6))]
    weights "eight" [8, 3] = [\(numbers(24))]
    weights "four" [8, 2] = [\(numbers(16))]
    weights "response" [5] = [1, -0.5, 0.25, 2, -0.125]
    """

  /// Small numbers of both signs.
  private static func numbers(_ count: Int) -> String {
    (0..<count).map { "\(Float(($0 * 7919) % 17 - 8) / 16)" }.joined(separator: ", ")
  }

  /// A graph that shows all examples of a function; nil where there is none.
  static func graph(of function: String) throws -> Graph? {
    guard let expressions = expressions[function] else { return nil }
    var lines = ["graph \"\(function)\" stream 48000", ports]
    for (index, expression) in expressions.enumerated() {
      lines += ["y\(index) = \(expression)", "output y\(index) = y\(index)"]
    }
    return try Graph(parsing: lines.joined(separator: "\n"), file: function)
  }

  /// A graph for each example of a function that a clock allows; steps have the same ports without the axis of frames.
  static func graphs(of function: String, _ clock: Clock) -> [Graph] {
    (expressions[function] ?? []).compactMap { expression in
      let ports =
        clock == .stream ? ports : ports.replacing(", frames]", with: "]").replacing("[frames]", with: "[]")
      return try? Graph(
        parsing: "graph \"\(function)\" \(clock) 48000\n\(ports)\ny = \(expression)\noutput y = y",
        file: function)
    }
  }

  /// By the function's name.
  static let expressions: [String: [String]] = [
    "+": ["a + b", "m + a", "a + p", "m + q"], "-": ["a - b", "p - m"], "*": ["a * b", "a * p"],
    "/": ["a / b", "1 / m"], "%": ["a % b", "a % 0.75"], "<": ["a < b"], "<=": ["a <= b"], ">": ["a > b"],
    ">=": ["a >= b"], "==": ["a == b"], "!=": ["a != b"], "negate": ["negate(a)"],
    "min": ["min(a, b)", "min(a, 0)"],
    "max": ["max(a, b)", "max(-0, a)"], "clamp": ["clamp(a, b, c)", "clamp(a, -1, 1)"],
    "limit": ["limit(a, 0.5)", "limit(m, q)"], "abs": ["abs(a)"],
    "sign": ["sign(a)"], "floor": ["floor(a)"], "ceil": ["ceil(a)"], "round": ["round(a)"],
    "truncate": ["truncate(a)"], "reciprocal": ["reciprocal(a)"],
    "select": ["select(a, b, c)", "select(a < b, a, b)"],
    "fma": ["fma(a, b, c)", "fma(m, q, 0.5)"], "sqrt": ["sqrt(a)"], "exp": ["exp(a)"], "log": ["log(a)"],
    "pow": ["pow(a, b)", "pow(a, 2)", "pow(2, a)"], "sin": ["sin(a)"], "cos": ["cos(a)"], "tan": ["tan(a)"],
    "atan2": ["atan2(a, b)"], "tanh": ["tanh(a)", "tanh(p)"], "erf": ["erf(a)"], "sigmoid": ["sigmoid(a)"],
    "log2": ["log2(a)"], "log10": ["log10(a)"], "asin": ["asin(a)"], "acos": ["acos(a)"], "atan": ["atan(a)"],
    "sinh": ["sinh(a)"], "cosh": ["cosh(a)"], "decibelsToGain": ["decibelsToGain(a)", "decibelsToGain(p)"],
    "gainToDecibels": ["gainToDecibels(a)"], "noteToFrequency": ["noteToFrequency(a)"],
    "frequencyToNote": ["frequencyToNote(a)"], "relu": ["relu(a)"],
    "leakyRelu": ["leakyRelu(a)", "leakyRelu(a, slope: 0.2)"],
    "elu": ["elu(a, alpha: 0.5)"],
    "softplus": ["softplus(a)"], "softsign": ["softsign(a)"], "hardTanh": ["hardTanh(a)"],
    "gelu": ["gelu(a)"], "selu": ["selu(a)"], "celu": ["celu(a)", "celu(m, alpha: 0.5)"],
    "prelu": ["prelu(m, \"three\")", "prelu(a, 0.1)", "prelu(n, \"bias\")"],
    "hardSigmoid": ["hardSigmoid(a)"], "hardSwish": ["hardSwish(a)"], "mish": ["mish(a)"],
    "gated": ["gated(n)", "gated(n, axis: 1)"],
    "rnn": [
      "rnn(m, \"matrix\", \"square\")",
      "rnn(m, \"matrix\", \"square\", \"bias\", \"bias\", activation: \"relu\")",
      "rnn(n, \"square\", \"square\", axis: 0)", "rnn(m, \"matrix\", \"square\", initial: \"bias\")",
    ],
    "gru": [
      "gru(m, \"six\", \"gates\")", "gru(m, \"six\", \"gates\", \"biases\", \"biases\", reset: \"before\")",
      "gru(m, \"six\", \"gates\", initial: \"bias\")",
    ],
    "lstm": [
      "lstm(m, \"eight\", \"four\")",
      "lstm(m, \"eight\", \"eight\", projection: transpose(\"matrix\"))",
      "lstm(m, \"eight\", \"four\", initial: \"bias\", initialCell: \"bias\")",
      "lstm(m, \"eight\", \"four\", result: \"both\")", "lstm(m, \"eight\", \"four\", peepholes: \"biases\")",
    ],
    "layerNorm": ["layerNorm(m)", "layerNorm(n, \"bias\", \"bias\", axis: 0, epsilon: 0.01)"],
    "rmsNorm": ["rmsNorm(m)", "rmsNorm(n, \"bias\", axis: 0)"],
    "groupNorm": ["groupNorm(n, 2, \"bias\", \"bias\")", "groupNorm(n, 2, axis: 1)"],
    "batchNorm": [
      "batchNorm(n, \"bias\", 0.5)", "batchNorm(m, \"three\", abs(\"three\"), \"three\", \"three\")",
    ],
    "silu": ["silu(a)"], "slice": ["slice(n, axis: 1, start: 1, count: 2)", "slice(m, axis: 0, start: 2)"],
    "concatenate": [
      "concatenate([m, m, \"bias\"])", "concatenate([n, n], axis: 1)", "concatenate([m, a, p, 0.5])",
      "concatenate([a, b])",
    ],
    "reshape": ["reshape(n, shape: [4, 2])", "reshape(a, shape: [1, 1])", "reshape(p, shape: [1])"],
    "gather": [
      "gather(m, a)", "gather(n, m, axis: 1)", "gather(\"matrix\", 1.5 * b + 1.5, axis: 1)",
      "gather(n, 3 * q, axis: 1) + p", "gather(\"response\", 2 + 2 * p) * a", "gather(m, \"bias\")",
      "gather(m, 2 + p)", "gather(\"response\", q) * a", "gather(\"matrix\", m, axis: 0)",
      "slice(gather(n, m, axis: 1), axis: 1, start: 1, count: 2)",
    ],
    "lookup": [
      "lookup(\"response\", 2 + 3 * a)", "lookup(\"response\", 5 * phasor(440), edges: \"wrapped\")",
      "lookup(\"response\", a + 2, interpolation: \"cubic\")",
      "lookup(\"response\", m, interpolation: \"cubic\", edges: \"wrapped\")",
      "lookup(n, 1.5 + b, axis: 1)", "lookup(n, m, axis: 0, edges: \"wrapped\")",
      "lookup(\"matrix\", 1 + q) * a", "lookup(m, 1 + p, interpolation: \"none\", edges: \"wrapped\")",
    ],
    "shifted": [
      "shifted(m)", "shifted(n, axis: 1, by: -3)", "shifted(n, by: 2) + a",
      "shifted(\"response\", by: 5) * a",
      "slice(shifted(n, axis: 1), axis: 1, start: 2, count: 2)",
    ],
    "windows": [
      "windows(n, size: 3)", "windows(n, axis: 0, size: 1) * a",
      "windows(n, size: 2, hop: 2)", "maximum(windows(n, size: 2, dilation: 2), axis: 1)",
      "slice(windows(n, size: 2, dilation: 2), axis: 2, start: 1)", "sum(windows(n, size: 3), axis: 2) * p",
      "windows(\"response\", size: 3, hop: 2) * a", "windows(m, size: 1, hop: 2)",
    ],
    "maxPool": [
      "maxPool(n, size: 2)", "maxPool(n, size: [2, 2], stride: [1, 2])",
      "maxPool(n, size: 2, stride: 1, dilation: 3)",
    ],
    "averagePool": ["averagePool(n, size: [1, 3], stride: 1)", "averagePool(m, size: 3)"],
    "argmax": ["argmax(n)", "argmax(n, axis: 0)", "argmax(\"matrix\") * a"],
    "oneHot": ["oneHot(a, 3)", "oneHot(m, 2)"],
    "embedding": ["embedding(a, \"matrix\")", "embedding(m, \"eight\")"],
    "cumsum": [
      "cumsum(n)", "cumsum(n, axis: 0, direction: \"backward\")", "cumsum(m, own: \"excluded\")",
      "cumsum(m, direction: \"backward\", own: \"excluded\")",
    ],
    "mse": ["mse(n, n * a)", "mse(a, b)"], "mae": ["mae(m, m * b)"],
    "huber": ["huber(m, m * b)", "huber(n, n * a, delta: 0.25)"],
    "bceWithLogits": ["bceWithLogits(m, m * b)"],
    "esr": ["esr(m, m * b)", "esr(n, n + a, preEmphasis: 0.5)"],
    "cosineDistance": ["cosineDistance(m, m + b)", "cosineDistance(n, n * n + a, axis: 0)"],
    "crossEntropy": [
      "crossEntropy(m, a)", "crossEntropy(n, broadcast(b, [2]), smoothing: 0.25)",
      "crossEntropy(m, sigmoid(m), \"three\")", "crossEntropy(m, b, \"three\", smoothing: 0.5)",
    ],
    "fourier": [
      "fourier(m)", "fourier(reshape(n, [8]), bins: \"all\")", "fourier(n, axis: 1, input: \"complex\")",
      "fourier(\"response\") * a",
    ],
    "inverseFourier": [
      "inverseFourier(n)", "inverseFourier(n, size: 7)", "inverseFourier(n, output: \"complex\") * a",
    ],
    "stft": [
      "stft(reshape(n, [8]), 4)", "stft(n, 4, 3, windowSize: 3, window: \"hamming\", padding: \"zeros\")",
    ],
    "istft": [
      "istft(stft(reshape(n, [8]), 4), 4)",
      "istft(stft(n, 4, 2, windowSize: 3, window: \"hamming\", padding: \"zeros\"), 4, 2, windowSize: 3, window: \"hamming\", length: 5)",
    ],
    "spectrogram": ["spectrogram(reshape(n, [8]), 4)", "spectrogram(n, 4, 2, padding: \"none\", power: 1)"],
    "melSpectrogram": [
      "melSpectrogram(reshape(n, [8]), 4, mels: 2)",
      "melSpectrogram(reshape(n, [8]), 4, mels: 2, low: 100, high: 9000, rate: 32000, scale: \"slaney\", norm: \"slaney\")",
    ],
    "logMel": ["logMel(reshape(n, [8]), 4, mels: 2, floor: 0.01)"],
    "mfcc": ["mfcc(reshape(n, [8]), 4, mels: 3, count: 2)"],
    "multiSTFT": [
      "multiSTFT(reshape(n, [8]), reshape(n * n, [8]), sizes: 4)",
      "multiSTFT(n, n + a, sizes: [4, 6], hops: [1, 2], windowSizes: [3, 6], window: \"blackman\")",
    ],
    "topAccuracy": ["topAccuracy(m, a)", "topAccuracy(m, sigmoid(m), top: 2)"],
    "resize": ["resize(n, 7)", "resize(n, [3, 2])", "resize(m, 5, interpolation: \"nearest\")"],
    "attention": [
      "attention(n, n, n)", "attention(reshape(n, [4, 2]), \"four\" * a, \"four\", heads: 2)",
      "attention(n, n, slice(n, 1, 0, 2), sees: \"past\", scale: 0.5)",
      "attention(n, n, n, \"square\", heads: 1)",
    ],
    "matmul": [
      "matmul(n, transpose(n, [1, 0]))", "matmul(m, m)", "matmul(\"matrix\", m)",
      "matmul(n, reshape(n, [4, 2]), ways: 2)", "matmul(reshape(m, [3, 1]), reshape(n, [2, 1, 4]))",
      "matmul(slice(m, 0, 0, 2), n) * p",
    ],
    "contraction": [
      "contraction(n, n)", "contraction(reshape(m, [1, 3]), \"matrix\")",
      "contraction(\"matrix\", \"six\") * a",
      "contraction(reshape(n, [2, 2, 2]), reshape(n, [4, 2]), ways: 2)",
      "contraction(reshape(n, [2, 1, 4]), q * reshape(n, [1, 2, 4]), ways: 4)",
      "slice(contraction(n, n), axis: 1, start: 1)",
    ],
    "transpose": ["transpose(n)", "transpose(m, order: [0])"],
    "pad": ["pad(n, axis: 1, before: 1, after: 2)", "pad(m, axis: 0, after: 1)"],
    "broadcast": ["broadcast(a, shape: [2, 3])", "broadcast(p, shape: [3])"],
    "sum": ["sum(n, axis: 0)", "sum(n)", "sum(n, ways: 4)"], "mean": ["mean(n, axis: 1)", "mean(m)"],
    "maximum": ["maximum(n, axis: 0)", "maximum(n, axis: [0, 1])"],
    "softmax": ["softmax(n, axis: 1)", "softmax(m)"],
    "dense": [
      "dense(m, \"matrix\")", "dense(m, \"matrix\", ways: 2)", "dense(m, \"matrix\", \"bias\", axis: 0)",
      "dense(reshape(n, shape: [4, 2]), transpose(\"matrix\", order: [1, 0]), axis: 1)",
    ],
    "conv1d": [
      "conv1d(m, \"taps\")", "conv1d(m, \"taps\", dilation: 9, padding: \"same\")",
      "conv1d(m, \"taps\", \"bias\", dilation: 70)",
      "conv1d(slice(m, axis: 0, start: 0, count: 2), \"group\", \"bias\", groups: 2)",
      "conv1d(n, \"group\", axis: 1, groups: 2, stride: 1, padding: \"valid\")",
      "conv1d(n, \"group\", \"bias\", axis: 1, groups: 2, stride: 2, padding: \"same\")",
      "conv1d(n, \"group\", axis: 1, groups: 2, dilation: 2, padding: \"causal\")",
    ],
    "conv2d": [
      "conv2d(reshape(n, [1, 2, 4]), reshape(\"taps\", [3, 1, 2, 2]))",
      "conv2d(reshape(n, [2, 2, 2]), reshape(\"taps\", [2, 1, 2, 3]), \"bias\", groups: 2, padding: \"same\")",
      "conv2d(reshape(n, [1, 2, 4]), reshape(\"taps\", [2, 1, 2, 3]), dilation: [1, 1], stride: [1, 2], padding: \"same\")",
      "conv2d(reshape(n, [2, 2, 2]), reshape(\"spread\", [3, 2, 2, 1]), axis: 1, dilation: 1)",
      "slice(conv2d(reshape(n, [1, 2, 4]), reshape(\"taps\", [6, 1, 2, 1])), axis: 2, start: 1, count: 2)",
    ],
    "conv3d": [
      "conv3d(reshape(n, [1, 2, 2, 2]), reshape(\"taps\", [1, 1, 3, 2, 2]), padding: \"same\")",
      "conv3d(reshape(n, [1, 2, 2, 2]), reshape(\"taps\", [3, 1, 1, 2, 2]), stride: 2)",
    ],
    "convTranspose": [
      "convTranspose(m, \"spread\", dilation: 2, padding: \"same\")",
      "convTranspose(m, \"spread\", \"bias\")",
      "convTranspose(n, \"group\", axis: 1, padding: \"full\")",
      "convTranspose(n, \"group\", axis: 1, padding: \"same\", groups: 2)",
      "convTranspose(n, \"group\", axis: 1)",
      "convTranspose(n, \"group\", axis: 1, stride: 3, padding: \"full\")",
      "convTranspose(n, \"group\", \"bias\", axis: 1, stride: 2, groups: 2, padding: \"same\")",
      "convTranspose(n, \"group\", \"bias\", axis: 1, stride: 4, dilation: 3, groups: 2)",
      "convTranspose(reshape(n, [2, 2, 2]), reshape(\"taps\", [2, 1, 2, 3]), stride: 2, padding: \"full\")",
      "convTranspose(reshape(n, [1, 2, 2, 2]), reshape(\"taps\", [1, 2, 3, 2, 1]), \"bias\", stride: [2, 1, 2])",
    ],
    "film": ["film(m, m, \"six\", \"biases\")", "film(slice(m, 0, 0, 2), m, \"matrix\")"],
    "lookahead": ["lookahead(a, 1)", "lookahead(m, 70)", "lookahead(p, 3)", "a * lookahead(b, 64)"],
    "delay": [
      "delay(a, 1)", "delay(m, 130)", "delay(p, 3)", "delay(q, 2)", "delay(0.5, 64)",
      "delay(m, 70, initial: \"three\")", "delay(n, 2, initial: reshape(\"bias\", shape: [2, 1]))",
      "delay(p, 3, initial: 0.5)",
      "delay(m, 2, initial: transpose(\"matrix\"))",
      "delay(a, by: 3.25, maximum: 4)", "delay(m, by: a * 20 + 10, maximum: 300)",
      "delay(m, by: 150 + b, minimum: 140, maximum: 200, interpolation: \"cubic\")",
      "delay(a, by: abs(b), maximum: 9, interpolation: \"cubic\")",
      "delay(m, by: 60 * q, minimum: 3, maximum: 90)",
      "delay(a, by: 90 * p, maximum: 80, interpolation: \"cubic\")",
      "delay(a, by: 40 * p + 60, maximum: 130, interpolation: \"none\")", "delay(c, by: m + q, maximum: 5)",
      "delay(a, by: 3.25, minimum: 1, maximum: 9, interpolation: \"allpass\")",
      "delay(m, by: 20 * q, minimum: 2, maximum: 70, interpolation: \"allpass\")",
    ],
    "phasor": ["phasor(440)", "phasor(a * 1000)", "phasor(p)", "phasor(30000 * q)"],
    "sine": ["sine(440)", "sine(500 + 400 * p)"], "saw": ["saw(3000)", "saw(-100 * q)"],
    "square": ["square(1234.5)", "square(2000 * a)"], "noise": ["noise(7)", "noise() * m"],
    "lowpass": ["lowpass(a, 1000)", "lowpass(m, 3000 + 2000 * a, q: 1 + p)", "lowpass(a, 20, 8)"],
    "highpass": ["highpass(a, 1000)", "highpass(m, 500 + 300 * q, q: 3)"],
    "bandpass": ["bandpass(a, 1000, 5)", "bandpass(m, control(b) * 1000)"],
    "notch": ["notch(a, 50 * (3 + q), 10)"], "allpass": ["allpass(m, 700, q: 0.5)"],
    "peak": ["peak(a, 1000, 6)", "peak(m, 4000 + 1000 * p, -12 * q, 2)"],
    "lowShelf": ["lowShelf(a, 100, gain: 9)", "lowShelf(m, 250, 6 * p)"],
    "highShelf": ["highShelf(a, 8000, gain: -9)", "highShelf(m, 5000, 6 * q)"],
    "svf": ["svf(a, 1000, 4, low: 1)", "svf(m, 400 + 300 * b, 2 + p, low: q, band: p, high: -1)"],
    "onePole": ["onePole(a, 100)", "onePole(m, 1000 * b)"],
    "dcBlock": ["dcBlock(m)", "dcBlock(a, 30 + 10 * q)"],
    "biquad": ["biquad(a, 0.2, 0.4, 0.2, -0.4, 0.2)", "biquad(m, 1, q, 0.25, 0.1 * p, 0.2)"],
    "fir": ["fir(a, \"response\")", "fir(m, \"response\")", "fir(n + p, \"response\")"],
    "envelope": ["envelope(a, 0.001, 0.1)", "envelope(m, 0, 0.01 * (2 + p))"],
    "slew": ["slew(a, 1000, 100)", "slew(m, 500 * (2 + q), b)"],
    "sampleAndHold": ["sampleAndHold(a, b > 1)", "sampleAndHold(m, a)"],
    "control": ["control(a)", "control(p)", "control(q)", "control(sin(b) * p)"],
  ]
}
