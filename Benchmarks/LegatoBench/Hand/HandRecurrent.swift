// SPDX-License-Identifier: Apache-2.0

internal import HandKernels

/// A recurrent network written by hand, computed one way, with its state and its output row.
@safe final class HandRecurrent {
  static let frames = Int(HAND_RECURRENT_FRAMES)

  let name: String
  let output = Rows([frames])
  private let function: hand_recurrent_function
  private let network: OpaquePointer
  private let input: UnsafePointer<Float>

  /// All ways that are written, in their initial states, over the same input row.
  static func all(_ network: RecurrentNetwork, input: UnsafePointer<Float>) -> [HandRecurrent] {
    let list = unsafe hand_recurrent_ways(network.kind)
    let weights = network.weights
    return unsafe (0..<list.count).map {
      unsafe HandRecurrent(network.kind, list.first! + $0, weights, input)
    }
  }

  private init(
    _ kind: hand_network, _ way: UnsafePointer<hand_recurrent_way>, _ weights: [Float],
    _ input: UnsafePointer<Float>
  ) {
    guard let made = unsafe hand_recurrent_make(kind, way, weights) else {
      preconditionFailure("no memory for a network")
    }
    unsafe network = made
    unsafe name = String(cString: way.pointee.name)
    unsafe function = way.pointee.run
    unsafe self.input = input
  }

  deinit { unsafe hand_recurrent_free(network) }

  /// One block after the other.
  func run(_ times: Int) {
    for _ in 0..<times { unsafe function(network, input, output[0]) }
  }
}
