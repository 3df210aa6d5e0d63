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

  var input: String { name + "_in" }
  var output: String { name + "_out" }
  var shape: [Int] { [length] + extents }
}
