// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// The output of a context of its own, in one block.
func rendered(_ program: Program, _ input: [Float]) throws -> [Float] {
  var context = try Context(program)
  var output = [Float](repeating: .nan, count: input.count)
  var span = output.mutableSpan
  context.execute(frames: input.count, input: input.span, output: &span)
  return output
}
