// SPDX-License-Identifier: Apache-2.0

internal import CRealtime
internal import HandKernels
internal import RealtimeCore

/// The bitcrusher written by hand, over rows of its own.
@safe struct HandBitcrusher {
  /// Resolution, gain and mix, in the order of the model's parameters.
  typealias Settings = [Float]

  let name: String
  private let variant: hand_variant

  /// All variants for this machine; none where it lacks SSE4.1.
  static var all: [HandBitcrusher] {
    (0..<hand_variant_count()).map { unsafe HandBitcrusher(hand_variant_at($0)) }
  }

  private init(_ variant: hand_variant) {
    unsafe self.variant = variant
    unsafe name = String(cString: variant.name)
  }

  /// Crushes a row with parameters that stand still.
  func settled(
    _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ frames: Int, _ settings: Settings,
    times: Int
  ) {
    let (resolution, gain, mix) = (settings[0], settings[1], settings[2])
    for _ in 0..<times { unsafe variant.settled(input, output, frames, gain, resolution, mix) }
  }

  /// Crushes a row with parameters that all begin to move.
  func moving(
    _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ frames: Int, _ ramps: [RampState],
    times: Int
  ) {
    let all = ramps.map { hand_ramp(start: $0.start, step: $0.step) }
    var (resolution, gain, mix) = (all[0], all[1], all[2])
    for _ in 0..<times { unsafe variant.moving(input, output, frames, 0, &gain, &resolution, &mix) }
  }
}
