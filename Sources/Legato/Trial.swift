// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A signal to try a graph on, with parameters that move through their ranges.
struct Trial {
  /// A row for each channel of a stream's inputs; for steps the elements of each input, step after step.
  var inputs: [[Float]]
  /// Frames, or steps.
  var frames: Int
  var changes: [Rendering.Change] = []

  init(_ graph: Graph, frames: Int, amplitude: Float = 1, movesParameters: Bool = true) {
    self.frames = frames
    switch graph.clock {
    case .stream:
      let rows = graph.inputs.reduce(0) { $0 + $1.type.shape.count }
      inputs = (0..<rows).map { Self.signal(row: $0, frames: frames, amplitude: amplitude) }
    case .step:
      inputs = graph.inputs.enumerated().map { index, input in
        var noise = Noise(seed: UInt64(index) + 1)
        return (0..<input.type.shape.count * frames).map { _ in amplitude * noise.next() }
      }
    }
    guard movesParameters else { return }
    let times = graph.clock == .stream ? [0, 200, 333, 1_400, 1_401, 2_100] : [0, 3, 4, 11]
    let spacing = graph.clock == .stream ? 31 : 1
    var noise = Noise(seed: 99)
    for (index, parameter) in graph.parameters.enumerated() {
      for time in times where time == 0 || time + index * spacing < frames {
        let share = (noise.next() + 1) / 2
        let value = parameter.minimum + share * (parameter.maximum - parameter.minimum)
        changes.append(.init(frame: time == 0 ? 0 : time + index * spacing, parameter: index, value: value))
      }
    }
  }

  /// Noise, a saw and clicks by turns: what effects meet.
  private static func signal(row: Int, frames: Int, amplitude: Float) -> [Float] {
    var noise = Noise(seed: UInt64(row) + 1)
    return (0..<frames).map { frame in
      switch frame / 500 % 3 {
      case 0: amplitude * noise.next()
      case 1: amplitude * (1 - 2 * Float(frame * (row + 3) % 101) / 101)
      default: frame % 97 == 0 ? amplitude : 0
      }
    }
  }
}

/// Numbers from -1 to 1 that a seed repeats (Marsaglia's xorshift, 2003).
private struct Noise {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(Int64(bitPattern: state) >> 40) / Float(1 << 23)
  }
}
