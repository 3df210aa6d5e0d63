// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning
internal import HandKernels

/// A level of x86-64 that kernels are written for by hand.
enum HandLevel: String, CaseIterable {
  case v4 = "x86-64-v4"
  case v3 = "x86-64-v3"
  case baseline = "x86-64"

  private var level: hand_level {
    switch self {
    case .v4: HAND_V4
    case .v3: HAND_V3
    case .baseline: HAND_BASELINE
    }
  }

  /// Those that this machine has, the best first.
  static var here: [HandLevel] { allCases.filter { hand_has($0.level) != 0 } }

  var target: Target { Target.x86(level: rawValue)! }

  /// All ways to convolve at this level.
  var convolutions: [HandConvolution] {
    (0..<hand_convolution_count(level)).map { unsafe HandConvolution(hand_convolution_at(level, $0)) }
  }

  /// The time of so many multiply-adds in registers, one chain beside the other: what no kernel undercuts.
  func peak(of multiplyAdds: Int) -> Contender {
    let level = level
    return Contender(name: "peak") { times in
      // A batch at once: few multiply-adds would take the time of the calls.
      let rounds = times * multiplyAdds / hand_multiply_adds(level)
      precondition(hand_multiply_add(level, rounds) != 0, "multiply-adds that came to nothing")
    }
  }
}

/// Convolutions written by hand, over histories of their own: one from 16 to 16 channels, and a stack of them.
@safe final class HandConvolution {
  /// The dilations of the stack's layers.
  static let dilations = [1, 2, 4, 8, 16]
  static let frames = HAND_FRAMES

  let name: String
  private let variant: hand_convolution
  /// A row for each layer's history, and rows of weights and biases.
  private let memory: Rows
  private var layers: [hand_layer] = unsafe []
  private let head: Int

  init(_ variant: hand_convolution) {
    unsafe self.variant = variant
    unsafe name = String(cString: variant.name)
    let inputs = Self.dilations.indices.map { $0 == 0 ? 1 : 16 }
    memory = Rows(
      inputs.flatMap { [$0 * HAND_PITCH, Models.stackWeights($0).count, 16] } + [17])
    head = inputs.count * 3
    for (layer, (inputs, dilation)) in zip(inputs, Self.dilations).enumerated() {
      let natural = Models.stackWeights(inputs)
      let rows = unsafe variant.rows
      var place = 0
      // [output][input][tap] into panels of rows.
      for panel in stride(from: 0, to: 16, by: rows) {
        for (tap, input) in (0..<3).flatMap({ tap in (0..<inputs).map { (tap, $0) } }) {
          for output in panel..<panel + rows {
            unsafe memory[layer * 3 + 1][place] = natural[(output * inputs + input) * 3 + tap]
            place += 1
          }
        }
      }
      for (output, bias) in Models.stackBias.enumerated() { unsafe memory[layer * 3 + 2][output] = bias }
      unsafe layers.append(
        hand_layer(
          weights: memory[layer * 3 + 1], bias: memory[layer * 3 + 2], history: memory[layer * 3],
          inputs: inputs, dilation: dilation))
    }
    for (input, weight) in (Models.stackHead + [Models.stackBias[0]]).enumerated() {
      unsafe memory[head][input] = weight
    }
  }

  /// The second layer of the stack alone.
  func convolve(_ instrument: Instrument, _ output: Rows, times: Int) {
    let x = unsafe (0..<16).map { unsafe instrument.input($0) }
    let y = unsafe (0..<16).map { unsafe output[$0] }
    for _ in 0..<times { unsafe variant.convolve(&layers[1], x, y) }
  }

  func stack(_ instrument: Instrument, _ output: Rows, times: Int) {
    for _ in 0..<times {
      unsafe variant.stack(layers, layers.count, memory[head], instrument.input(0), output[0])
    }
  }
}
