// SPDX-License-Identifier: Apache-2.0

internal import HandKernels

/// A network from one channel to one: recurrent layers as PyTorch defines them, and a dense layer behind the last one.
///
///     LSTM   g = W x + b + U h⁻          c = σ(g₁) c⁻ + σ(g₀) tanh(g₂)     h = σ(g₃) tanh(c)
///     GRU    a = W x + b, r = U h⁻ + v   n = tanh(a₂ + σ(a₀ + r₀) r₂)      h = n + σ(a₁ + r₁) (h⁻ - n)
struct RecurrentNetwork {
  enum Cell {
    case lstm
    case gru

    var gates: Int {
      switch self {
      case .lstm: 4
      case .gru: 3
      }
    }
  }

  let kind: hand_network
  let cell: Cell
  let units: Int
  var layers = 1
  /// Whether the result is a second input of the layer, one frame later.
  var feedsBack = false

  private var rows: Int { cell.gates * units }

  private func inputs(of layer: Int) -> Int { layer > 0 ? units : feedsBack ? 2 : 1 }

  /// Numbers as a layer has them before it is trained: within one over the square root of its units.
  private func numbers(_ count: Int, from seed: Int) -> [Float] {
    let scale = 1 / Float(units).squareRoot()
    return (0..<count).map { Float((($0 + seed) * 7919) % 1021 - 510) / 510 * scale }
  }

  private func inputWeights(_ layer: Int) -> [Float] { numbers(rows * inputs(of: layer), from: 1000 * layer) }
  private func recurrentWeights(_ layer: Int) -> [Float] { numbers(rows * units, from: 1000 * layer + 100) }
  private func bias(_ layer: Int) -> [Float] { numbers(rows, from: 1000 * layer + 200) }
  /// The bias of h, which is a second one of the same sums in an LSTM.
  private func recurrentBias(_ layer: Int) -> [Float] {
    switch cell {
    case .lstm: [Float](repeating: 0, count: rows)
    case .gru: numbers(rows, from: 1000 * layer + 300)
    }
  }
  private var denseWeights: [Float] { numbers(units, from: 400) }
  private var denseBias: [Float] { [0.01] }

  /// All weights one after the other, as `hand_recurrent_make` takes them.
  var weights: [Float] {
    (0..<layers).flatMap { inputWeights($0) + recurrentWeights($0) + bias($0) + recurrentBias($0) }
      + denseWeights + denseBias
  }

  /// One LSTM and its dense layer as a `.nam` file: a row for each unit of each gate, with the weights of h behind those
  /// of the input.
  var captureText: String {
    precondition(cell == .lstm && layers == 1 && !feedsBack, "captures know no such network")
    let (input, recurrent) = (inputWeights(0), recurrentWeights(0))
    let matrix = (0..<rows).flatMap { [input[$0]] + recurrent[$0 * units..<($0 + 1) * units] }
    let state = [Float](repeating: 0, count: 2 * units)
    return CaptureNetwork.text(
      "LSTM", config: "{\"input_size\": 1, \"hidden_size\": \(units), \"num_layers\": 1}",
      matrix + bias(0) + state + denseWeights + denseBias)
  }

  /// The graph in text form.
  var text: String {
    var lines = [String]()
    var source = "src"
    for layer in 0..<layers {
      let (inputs, columns) = (inputs(of: layer), inputWeights(layer))
      lines += [
        Models.text(
          "w\(layer)", [rows, feedsBack ? 1 : inputs], every(feedsBack ? 2 : 1, of: columns, from: 0)),
        Models.text("u\(layer)", [rows, units], recurrentWeights(layer)),
        Models.text("b\(layer)", [rows], bias(layer)),
      ]
      switch cell {
      case .lstm: lines += longShortTerm(layer, source)
      case .gru: lines += gated(layer, source)
      }
      source = "h\(layer)"
    }
    if feedsBack { lines.append(Models.text("y0", [rows, 1], every(2, of: inputWeights(0), from: 1))) }
    lines += [
      Models.text("w", [1, units], denseWeights), Models.text("b", [1], denseBias),
      "dst = dense(\(source), \"w\", \"b\", axis: 0)",
    ]
    return Models.stream(1, lines)
  }

  private func longShortTerm(_ l: Int, _ source: String) -> [String] {
    let fedBack = feedsBack ? " + dense(delay(dst, frames: 1), \"y0\", axis: 0)" : ""
    return [
      "x\(l) = dense(\(source), \"w\(l)\", \"b\(l)\", axis: 0)\(fedBack)",
      "g\(l) = x\(l) + dense(delay(h\(l), frames: 1), \"u\(l)\", axis: 0)",
      "open\(l) = sigmoid(\(gate(0, of: "g\(l)")))", "keep\(l) = sigmoid(\(gate(1, of: "g\(l)")))",
      "c\(l) = keep\(l) * delay(c\(l), frames: 1) + open\(l) * tanh(\(gate(2, of: "g\(l)")))",
      "h\(l) = sigmoid(\(gate(3, of: "g\(l)"))) * tanh(c\(l))",
    ]
  }

  private func gated(_ l: Int, _ source: String) -> [String] {
    [
      Models.text("v\(l)", [rows], recurrentBias(l)), "late\(l) = delay(h\(l), frames: 1)",
      "a\(l) = dense(\(source), \"w\(l)\", \"b\(l)\", axis: 0)",
      "r\(l) = dense(late\(l), \"u\(l)\", \"v\(l)\", axis: 0)",
      "reset\(l) = sigmoid(\(gate(0, of: "a\(l)")) + \(gate(0, of: "r\(l)")))",
      "keep\(l) = sigmoid(\(gate(1, of: "a\(l)")) + \(gate(1, of: "r\(l)")))",
      "n\(l) = tanh(\(gate(2, of: "a\(l)")) + reset\(l) * \(gate(2, of: "r\(l)")))",
      "h\(l) = n\(l) + keep\(l) * (late\(l) - n\(l))",
    ]
  }

  private func every(_ step: Int, of numbers: [Float], from first: Int) -> [Float] {
    stride(from: first, to: numbers.count, by: step).map { numbers[$0] }
  }

  private func gate(_ index: Int, of value: String) -> String {
    "slice(\(value), axis: 0, start: \(index * units), count: \(units))"
  }
}
