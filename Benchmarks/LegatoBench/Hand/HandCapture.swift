// SPDX-License-Identifier: Apache-2.0

internal import HandKernels

/// A WaveNet written by hand, computed one way, with its state and its output row.
@safe final class HandCapture {
  static let frames = Int(HAND_WAVENET_FRAMES)
  /// The blocks that a history has room for; more are moved less often, and fill more of the caches.
  private static let rooms = [1, 4, 16]

  let name: String
  let output = Rows([frames])
  private let way: hand_wavenet_way
  private let network: OpaquePointer
  private let input: UnsafePointer<Float>

  /// All ways that are written, their histories zero, over the same input row.
  static func all(_ network: CaptureNetwork, input: UnsafePointer<Float>) -> [HandCapture] {
    let list = unsafe hand_wavenet_ways()
    let weights = network.weights
    return unsafe (0..<list.count).flatMap { index in
      rooms.map { unsafe HandCapture(network, list.first![index], blocks: $0, weights, input) }
    }
  }

  private init(
    _ network: CaptureNetwork, _ way: hand_wavenet_way, blocks: Int, _ weights: [Float],
    _ input: UnsafePointer<Float>
  ) {
    let arrays = network.arrays.map {
      hand_wavenet_array(
        channels: $0.channels, layers: $0.kernels.count, outputs: $0.outputs, head_kernel: $0.headKernel,
        has_head_bias: $0.hasHeadBias ? 1 : 0)
    }
    let layers = network.arrays.flatMap { array in
      zip(array.kernels, array.dilations).map { hand_wavenet_layer(kernel: $0, dilation: $1) }
    }
    let made = unsafe arrays.withUnsafeBufferPointer { arrays in
      unsafe layers.withUnsafeBufferPointer { layers in
        let shape = unsafe hand_wavenet_shape(
          activation: network.activation, arrays: arrays.baseAddress!, array_count: arrays.count,
          layers: layers.baseAddress!)
        return unsafe withUnsafePointer(to: way) { unsafe hand_wavenet_make(shape, $0, blocks, weights) }
      }
    }
    guard let made = unsafe made else { preconditionFailure("a network that is not written, or no memory") }
    unsafe self.network = made
    unsafe self.way = way
    unsafe self.input = input
    let room = blocks == 1 ? "a block" : "\(blocks) blocks"
    name = unsafe String(cString: way.name) + ", moved every \(room)"
  }

  deinit { unsafe hand_wavenet_free(network) }

  /// One block after the other.
  func run(_ times: Int) {
    for _ in 0..<times { unsafe way.run(network, input, output[0]) }
  }
}
