// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension Run {
  /// Copies a frame of a stream's input, or a step's whole array.
  mutating func readInput(_ port: Int, into node: Int, _ start: Int, _ frame: Int) {
    let count = program.counts[node]
    switch program.graph.clock {
    case .stream:
      let first = program.graph.inputs[..<port].reduce(0) { $0 + $1.type.shape.count }
      for row in 0..<count { results[node][start + row] = Estimate(inputs[first + row][frame]) }
    case .step:
      for row in 0..<count { results[node][start + row] = Estimate(inputs[port][frame * count + row]) }
    }
  }
}
