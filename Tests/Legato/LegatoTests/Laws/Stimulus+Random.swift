// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Legato
import ReferenceInterpreter
import TestEquipment

extension Stimulus {
  /// Chance for the ports and parameters of a graph.
  ///
  /// - Parameter isWild: whether numbers that are none, infinities and huge numbers are among the inputs.
  static func random(for graph: Graph, _ random: inout SplitMix, isWild: Bool) -> Stimulus {
    let isStream = graph.clock == .stream
    let frames = isStream ? 260 + random.below(200) : 4 + random.below(12)
    let lengths = graph.inputs.flatMap { port in
      let count = port.type.shape.count
      return isStream ? [Int](repeating: frames, count: count) : [count * frames]
    }
    let inputs = lengths.map { row($0, &random, isWild: isWild) }
    return Stimulus(inputs: inputs, frames: frames, changes: changes(for: graph, frames, &random))
  }

  private static func row(_ length: Int, _ random: inout SplitMix, isWild: Bool) -> [Float] {
    let amplitude = random.pick([1.0, 1, 1, 0.1, 16])
    let kind = random.below(8)
    return (0..<length).map { position in
      if isWild, random.chance(0.02) { return random.pick(specials) }
      switch kind {
      case 0: return Float(amplitude * (position.isMultiple(of: 37) ? 1 : 0))
      case 1: return Float(bitPattern: UInt32(random.below(0x80_0000)) | (random.chance() ? 0x8000_0000 : 0))
      case 2: return Float(amplitude) * Float(position % 23 - 11) / 11
      default: return random.float(-amplitude, amplitude)
      }
    }
  }

  static let specials: [Float] = [
    0, -0.0, 1, -1, 0.5, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 3e38, -3e38, .infinity, -.infinity,
    .nan, 1e20, -1e-20, 65536, 1e-38,
  ]

  /// Changes at the start, several at one frame, equal ones, and bursts in the middle of ramps.
  private static func changes(
    for graph: Graph, _ frames: Int, _ random: inout SplitMix
  ) -> [ParameterEvent] {
    var changes: [ParameterEvent] = []
    for (index, parameter) in graph.parameters.enumerated() {
      var value = parameter.initial
      var frame = random.chance(0.4) ? 0 : random.below(frames)
      for _ in 0..<random.below(6) {
        if random.chance(0.8) { value = random.float(Double(parameter.minimum), Double(parameter.maximum)) }
        if random.chance(0.1) { value = random.pick([0, parameter.minimum, parameter.maximum, .nan, 1e9]) }
        changes.append(ParameterEvent(frame: frame, parameter: index, value: value))
        frame += random.pick([0, 1, 2, 17, 64, random.below(frames)])
        if frame >= frames { break }
      }
    }
    return changes.enumerated().sorted { ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset) }
      .map(\.element)
  }
}
