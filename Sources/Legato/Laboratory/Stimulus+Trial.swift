// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ReferenceInterpreter

extension Stimulus {
  /// The seed of the first row's noise; each row behind it has the next.
  static let noiseSeed = 1
  /// The seed of parameter changes.
  static let parameterSeed = 99

  /// A signal to try a graph on, with parameters that move through their ranges.
  static func trial(
    of graph: Graph, frames: Int, amplitude: Float = 1, movesParameters: Bool = true
  ) -> Stimulus {
    Stimulus(
      inputs: signals(for: graph, frames: frames, amplitude: amplitude), frames: frames,
      changes: movesParameters ? changes(for: graph, frames: frames) : [])
  }

  private static func signals(for graph: Graph, frames: Int, amplitude: Float) -> [[Float]] {
    switch graph.clock {
    case .stream:
      let rows = graph.inputs.reduce(0) { $0 + $1.type.shape.count }
      return (0..<rows).map { signal(row: $0, frames: frames, amplitude: amplitude) }
    case .step:
      return graph.inputs.enumerated().map { index, input in
        var noise = Noise(seed: noiseSeed + index)
        return (0..<input.type.shape.count * frames).map { _ in amplitude * noise.next() }
      }
    }
  }

  private static func changes(for graph: Graph, frames: Int) -> [ParameterEvent] {
    let isStream = graph.clock == .stream
    let times = isStream ? [0, 200, 333, 1_400, 1_401, 2_100] : [0, 3, 4, 11]
    var changes: [ParameterEvent] = []
    var noise = Noise(seed: parameterSeed)
    for (index, parameter) in graph.parameters.enumerated() {
      for time in times {
        let frame = time == 0 ? 0 : time + index * (isStream ? 31 : 1)
        guard frame < frames || time == 0 else { continue }
        let share = (noise.next() + 1) / 2
        let value = parameter.minimum + share * (parameter.maximum - parameter.minimum)
        changes.append(ParameterEvent(frame: frame, parameter: index, value: value))
      }
    }
    return changes.sorted { ($0.frame, $0.parameter) < ($1.frame, $1.parameter) }
  }

  /// Noise, a saw and clicks by turns.
  private static func signal(row: Int, frames: Int, amplitude: Float) -> [Float] {
    var noise = Noise(seed: noiseSeed + row)
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
struct Noise {
  private var state: UInt64

  init(seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(Int64(bitPattern: state) >> 40) / Float(1 << 23)
  }
}
