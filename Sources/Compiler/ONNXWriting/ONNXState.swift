// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The past of one value, which the file leaves to its user: what goes out of a step goes into the next one.
///
///     y = x - delay(x, 3)      x_in [3, …]   what x was in the last three steps, the oldest first
///                              x_out [3, …]  the same for the next step
struct ONNXState: Sendable {
  let name: String
  let value: ValueID
  /// Steps.
  let length: Int
  let extents: [Int]
  /// Whether the value is of one position, in the body of a loop along these.
  let isInBody: Bool

  var input: String { name + "_in" }
  var output: String { name + "_out" }
  var shape: [Int] {
    guard isAlone else { return [length] + extents }
    return isInBody ? Array(extents.dropFirst()) : extents
  }

  /// Whether it is the value of one step that has an axis of 1 in front: one more for the step would be read again as
  /// the value's own, and have one more each time.
  var isAlone: Bool { length == 1 && extents.first == 1 }
}
