// SPDX-License-Identifier: Apache-2.0

extension Run {
  /// Copies a frame of a stream's input, or a step's whole array.
  mutating func readInput(_ first: Int, _ count: Int, into start: Int, _ frame: Int) {
    if isStream {
      for row in 0..<count { results[start + row] = Estimate(inputs[first + row][frame]) }
    } else {
      for row in 0..<count { results[start + row] = Estimate(inputs[first][frame * count + row]) }
    }
  }
}
