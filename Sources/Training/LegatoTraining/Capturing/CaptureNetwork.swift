// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import Legato

/// A network that learns the sound of an amplifier: one of those that Neural Amp Modeler plays, in a chosen size.
///
///     lstm:16             16 recurrent cells, and a dense layer
///     wavenet:standard    dilated convolutions, 16 and 8 channels wide; also lite, feather, nano
///
/// It is written down as the `.nam` file that others read, and the model that learns is what Legato reads of this file: there
/// is one description of the network, in the module CaptureFiles.
public struct CaptureNetwork: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: Hashable {
    case lstm(units: Int)
    case waveNet(Size)
  }

  /// The sizes of WaveNets, as the trainer of Neural Amp Modeler has them (`nam/train/core.py`, `get_wavenet_config`).
  private enum Size: String, CaseIterable {
    case standard, lite, feather, nano

    var channels: (first: Int, second: Int) {
      switch self {
      case .standard: (16, 8)
      case .lite: (12, 6)
      case .feather: (8, 4)
      case .nano: (4, 2)
      }
    }

    var dilations: (first: [Int], second: [Int]) {
      let all = (0..<10).map { 1 << $0 }
      switch self {
      case .standard: return (all, all)
      case .lite, .feather, .nano: return (Array(all[..<7]), Array(all[7...]) + all)
      }
    }
  }

  private let kind: Kind
  /// The name that it is asked for by, such as `lstm:16`.
  public let description: String

  /// The network that is taken where none is asked for.
  public static let standard = CaptureNetwork(.lstm(units: 16), "lstm:16")

  private init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

  /// - Parameter name: `lstm:` and a number of cells, or `wavenet:` and a size.
  /// - Throws: `TrainingError.task` for others.
  public init(_ name: String) throws(TrainingError) {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 2, parts[0] == "lstm", let units = Int(parts[1]), (1...256).contains(units) {
      kind = .lstm(units: units)
    } else if parts.count == 2, parts[0] == "wavenet", let size = Size(rawValue: String(parts[1])) {
      kind = .waveNet(size)
    } else {
      let sizes = alternatives(Size.allCases.map(\.rawValue))
      throw .task("a network is lstm:1 to lstm:256, or wavenet: and \(sizes), not \(quoted(name))")
    }
    description = name
  }

  // MARK: The file

  /// The numbers that stand in its file.
  var weightCount: Int {
    switch kind {
    case .lstm(let units): return 4 * units * (1 + units) + 4 * units + 2 * units + units + 1
    case .waveNet(let size):
      let (first, second) = (size.channels.first, size.channels.second)
      func array(_ inputs: Int, _ channels: Int, _ layers: Int, head: Int) -> Int {
        // A layer in; for each layer a convolution, the condition, and a layer back; the head.
        let layer = 3 * channels * channels + channels + channels + channels * channels + channels
        return inputs * channels + layers * layer + channels * head
      }
      let layers = (size.dilations.first.count, size.dilations.second.count)
      return array(1, first, layers.0, head: second) + array(first, second, layers.1, head: 1) + 1 + 1
    }
  }

  /// The numbers of a file that has learned nothing: zeros, and the scale of a WaveNet's head, which does not learn.
  var blank: [Float] {
    var numbers = [Float](repeating: 0, count: weightCount)
    if case .waveNet = kind { numbers[weightCount - 1] = Self.headScale }
    return numbers
  }

  private static let headScale: Float = 0.02

  /// The file with these numbers.
  ///
  /// - Parameter metadata: the texts of values by their names, in order.
  func text(_ weights: [Float], sampleRate: Int, metadata: [(name: String, value: String)] = []) -> String {
    precondition(weights.count == weightCount, "as many numbers as the network has")
    let numbers = weights.map { "\($0)" }.joined(separator: ", ")
    let said = metadata.map { "\($0.name.asJSON): \($0.value)" }.joined(separator: ", ")
    return """
      {"version": "0.5.4", "metadata": {\(said)}, "architecture": \(architecture.asJSON), "config": \(configuration),
      "weights": [\(numbers)], "sample_rate": \(sampleRate)}

      """
  }

  private var architecture: String {
    switch kind {
    case .lstm: "LSTM"
    case .waveNet: "WaveNet"
    }
  }

  private var configuration: String {
    switch kind {
    case .lstm(let units): return "{\"input_size\": 1, \"hidden_size\": \(units), \"num_layers\": 1}"
    case .waveNet(let size):
      // The head stands there twice: as the package reads it since 0.13, and as all read it before.
      func array(_ inputs: Int, _ channels: Int, _ dilations: [Int], head: Int, hasBias: Bool) -> String {
        """
        {"input_size": \(inputs), "condition_size": 1, "channels": \(channels),
        "head": {"out_channels": \(head), "kernel_size": 1, "bias": \(hasBias)}, "head_size": \(head),
        "head_bias": \(hasBias), "kernel_size": 3, "dilations": \(dilations), "activation": "Tanh",
        "gated": false}
        """
      }
      let (channels, dilations) = (size.channels, size.dilations)
      let first = array(1, channels.first, dilations.first, head: channels.second, hasBias: false)
      let second = array(channels.first, channels.second, dilations.second, head: 1, hasBias: true)
      return "{\"layers\": [\(first), \(second)], \"head\": null, \"head_scale\": \(Self.headScale)}"
    }
  }

  /// The model that reads such a file.
  func model(_ weights: [Float], sampleRate: Int) throws(ModelError) -> Model {
    try Model(text(weights, sampleRate: sampleRate), name: "\(description).nam")
  }

  // MARK: Weights

  /// The numbers of a file whose arrays are these, by the names that the model has for them; others are as in a blank one.
  ///
  /// Where each number stands, a file tells that is read with its own places in place of numbers.
  func weights(_ arrays: [String: [Float]]) throws(ModelError) -> [Float] {
    var numbers = blank
    let places = try model((0..<weightCount).map { Float($0) }, sampleRate: 48_000)
      .graph(extents: [:], sampleRate: nil).weights
    for array in places {
      for (place, number) in zip(array.values, arrays[array.name] ?? []) { numbers[Int(place)] = number }
    }
    guard case .lstm(let units) = kind else { return numbers }
    // Other players begin with what a file says, so that silence comes first here (as in `LSTM._export_weights`).
    let settled = Self.settled(numbers, units: units)
    numbers.replaceSubrange(weightCount - 3 * units - 1..<weightCount - units - 1, with: settled)
    return numbers
  }

  /// The hidden state and the cells after silence, until they rest.
  private static func settled(_ numbers: [Float], units: Int) -> [Float] {
    let (rows, width) = (4 * units, 1 + units)
    let bias: [Double] = numbers[rows * width..<rows * (width + 1)].map { Double($0) }
    var recurrent: [Double] = []
    for row in 0..<rows {
      for unit in 0..<units { recurrent.append(Double(numbers[row * width + 1 + unit])) }
    }
    var (h, c) = ([Double](repeating: 0, count: units), [Double](repeating: 0, count: units))
    func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(-x)) }
    for _ in 0..<4800 {
      var gates = bias
      for row in 0..<rows {
        for unit in 0..<units { gates[row] += recurrent[row * units + unit] * h[unit] }
      }
      var change = 0.0
      for unit in 0..<units {
        let kept = sigmoid(gates[units + unit]) * c[unit]
        c[unit] = kept + sigmoid(gates[unit]) * tanh(gates[2 * units + unit])
        let next = sigmoid(gates[3 * units + unit]) * tanh(c[unit])
        change = max(change, abs(next - h[unit]))
        h[unit] = next
      }
      if change < 1e-12 { break }
    }
    return (h + c).map { Float($0) }
  }

  // MARK: How it learns

  /// Windows, batches and the rate with which networks of the kind learn well.
  var lesson: (window: Int, warmup: Int, batch: Int, rate: Double) {
    switch kind {
    case .lstm: (256, 256, 8, 0.012)
    case .waveNet(let size):
      (8192, (size.dilations.first + size.dilations.second).reduce(0) { $0 + 2 * $1 }, 16, 0.004)
    }
  }
}
