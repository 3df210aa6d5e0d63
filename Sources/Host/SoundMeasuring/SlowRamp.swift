// SPDX-License-Identifier: Apache-2.0

/// A ramp from -1 to 1 and back, so slow that it is at rest everywhere for what forgets within a tenth of a second.
struct SlowRamp {
  let signal: [Float]
  /// The frames on which it is looked at on the way up, then on the way down, at the same inputs.
  private let marks: [Int]

  init(sampleRate: Double) {
    let count = 501
    let step = max(1, min(48_000, Int(1.5 * sampleRate) / (count - 1)))
    let way = (count - 1) * step
    // A model that remembers longer than it rests is still on its way when the ramp begins.
    let rest = way
    let up = (0...way).map { Float(2 * Double($0) / Double(way) - 1) }
    signal = Array(repeating: -1, count: rest) + up + up.dropLast().reversed()
    marks = stride(from: 0, through: 2 * way, by: step).map { rest + $0 }
  }

  func transfer(_ output: [Double]) -> [(input: Double, output: Double)] {
    marks.map { (Double(signal[$0]), output[$0]) }
  }

  /// How far two outputs at one input are from each other.
  func hysteresis(_ transfer: [(input: Double, output: Double)]) -> Double {
    zip(transfer, transfer.reversed()).map { abs($0.output - $1.output) }.max() ?? 0
  }
}
