// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import HandKernels
internal import ModelFiles

/// A WaveNet as Neural Amp Modeler makes them, before training: its sizes, its weights, and the file that it comes in.
struct CaptureNetwork {
  /// Layers of as many channels, and the head that their activations add up in.
  struct LayerArray {
    let channels: Int
    /// One for each layer.
    let kernels, dilations: [Int]
    /// The channels that its head gives.
    let outputs: Int
    var headKernel = 1
    var hasHeadBias = true
  }

  let name: String
  let activation: hand_activation
  let arrays: [LayerArray]
  /// The factor of the output.
  let headScale: Float

  /// The sizes of the first architecture, and the larger one of the second.
  static let standard = a1("A1 standard", 16, doubling(0..<10), doubling(0..<10))
  static let feather = a1("A1 feather", 8, doubling(0..<7), doubling(7..<10) + doubling(0..<10))
  static let nano = a1("A1 nano", 4, doubling(0..<7), doubling(7..<10) + doubling(0..<10))
  static let full = CaptureNetwork(
    name: "A2-Full", activation: HAND_LEAKY_RELU,
    arrays: [
      LayerArray(
        channels: 8, kernels: (0..<23).map { $0 == 14 || $0 == 15 ? 15 : 6 },
        dilations: spread + spread + [1, 13] + spread, outputs: 1, headKernel: 16)
    ], headScale: 0.01)

  /// So many layers of one size.
  static func equal(_ count: Int) -> CaptureNetwork {
    CaptureNetwork(
      name: "\(count) equal layers", activation: HAND_TANH,
      arrays: [
        LayerArray(
          channels: 16, kernels: [Int](repeating: 3, count: count),
          dilations: (0..<count).map { 1 << ($0 % 10) },
          outputs: 1)
      ], headScale: 0.02)
  }

  private static let spread = [1, 3, 7, 17, 41, 101, 239]

  private static func doubling(_ powers: Range<Int>) -> [Int] { powers.map { 1 << $0 } }

  /// Two arrays, the second of half the channels; kernel 3.
  private static func a1(_ name: String, _ channels: Int, _ first: [Int], _ second: [Int]) -> CaptureNetwork {
    func array(_ channels: Int, _ dilations: [Int], outputs: Int, isLast: Bool) -> LayerArray {
      LayerArray(
        channels: channels, kernels: dilations.map { _ in 3 }, dilations: dilations, outputs: outputs,
        hasHeadBias: isLast)
    }
    return CaptureNetwork(
      name: name, activation: HAND_TANH,
      arrays: [
        array(channels, first, outputs: channels / 2, isLast: false),
        array(channels / 2, second, outputs: 1, isLast: true),
      ], headScale: 0.02)
  }

  /// The number of frames, the latest one included, that a frame of the output hangs on.
  var receptiveField: Int {
    arrays.reduce(1) { sum, array in
      sum + array.headKernel - 1 + zip(array.kernels, array.dilations).reduce(0) { $0 + ($1.0 - 1) * $1.1 }
    }
  }

  /// All numbers in the order of the file: those of a product within one over the square root of what it adds up.
  var weights: [Float] {
    var all = [Float]()
    func add(_ inputs: Int, _ outputs: Int, kernel: Int = 1, hasBias: Bool) {
      let scale = 1 / Float(inputs * kernel).squareRoot()
      for _ in 0..<outputs * (inputs * kernel + (hasBias ? 1 : 0)) {
        all.append(Float((all.count * 7919) % 1021 - 510) / 510 * scale)
      }
    }
    var before = 1
    for array in arrays {
      add(before, array.channels, hasBias: false)
      for kernel in array.kernels {
        add(array.channels, array.channels, kernel: kernel, hasBias: true)
        add(1, array.channels, hasBias: false)
        add(array.channels, array.channels, hasBias: true)
      }
      add(array.channels, array.outputs, kernel: array.headKernel, hasBias: array.hasHeadBias)
      before = array.channels
    }
    return all + [headScale]
  }

  /// The `.nam` file.
  var text: String {
    let activation = activation == HAND_TANH ? "Tanh" : "LeakyReLU"
    let layers = arrays.indices.map { index in
      let array = arrays[index]
      return """
        {"input_size": \(index == 0 ? 1 : arrays[index - 1].channels), "condition_size": 1,
         "channels": \(array.channels), "kernel_sizes": \(array.kernels), "dilations": \(array.dilations),
         "activation": "\(activation)", "gated": false,
         "head": {"out_channels": \(array.outputs), "kernel_size": \(array.headKernel), "bias": \(array.hasHeadBias)}}
        """
    }
    return Self.text(
      "WaveNet", config: "{\"layers\": [\(layers.joined(separator: ", "))], \"head_scale\": \(headScale)}",
      weights)
  }

  /// A `.nam` file.
  static func text(_ architecture: String, config: String, _ weights: [Float]) -> String {
    """
    {"version": "0.7.0", "architecture": "\(architecture)", "sample_rate": 48000, "config": \(config),
     "weights": [\(weights.map { String($0) }.joined(separator: ", "))]}
    """
  }

  /// The graph that Legato reads from a `.nam` file.
  static func graph(reading text: String) throws -> Graph {
    try Graph(importing: try ModelDocument.decode(text.utf8, file: "capture.nam"), sampleRate: 48_000)
  }
}
