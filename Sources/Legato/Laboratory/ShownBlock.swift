// SPDX-License-Identifier: Apache-2.0

/// The numbers of some values in a few frames.
struct ShownBlock {
  /// Shows in a stream a row for each number of each value; in steps one for each value.
  let program: WatchedProgram
  let firstRows, counts: [Int]
  let isStream: Bool

  subscript(value: Int, element: Int, frame: Int) -> Float {
    isStream ? program[firstRows[value] + element, frame] : program[value, frame * counts[value] + element]
  }
}

extension [Int] {
  /// For each number the sum of those before it.
  var runningSums: [Int] {
    var sum = 0
    return map { number in
      defer { sum += number }
      return sum
    }
  }
}
